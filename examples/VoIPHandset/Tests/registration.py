"""Registration at Debian's Kamailio: with the right and a wrong password, refreshed, and at a second registrar."""
import os
import random
import re
import socket
import tempfile
from contextlib import contextmanager

from common import start
from handset import PATIENCE, Caller
from kamailio import REALM, Kamailio

PASSWORD = "a secret"


@contextmanager
def registering(registrars, *options, password=PASSWORD):
    """A handset with an account at these registrars."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "password")
        with open(path, "w") as file:
            file.write(password + "\n")
        named = [part for registrar in registrars for part in ("--registrar", registrar)]
        with start("--account", f"door@{REALM}", "--password-file", path, *named, *options) as handset:
            yield handset


def changes(handset):
    """The changes of the registration so far: the event and the registrar."""
    return [(event["event"], event["registrar"]) for event in list(handset.events)
            if event.get("event") in ("registered", "unregistered")]


def test_registers():
    """It registers by digest, is called through the proxy, and unregisters at its end."""
    with Kamailio(PASSWORD) as kamailio:
        with registering([kamailio.address]) as handset:
            handset.wait(lambda: changes(handset) == [("registered", kamailio.address)], "registered")
            assert handset.status()["registrar"] == kamailio.address
            with Caller(kamailio.port) as caller:
                caller.target = f"sip:door@{kamailio.address}"
                caller.invite()
                assert handset.wait_for(caller.call, "ringing")["sound"]
                caller.cancel()
                handset.wait_for(caller.call, "cancelled")
        kamailio.wait(lambda: kamailio.said("saved door, contact: .*expires=0"), "it unregisters")


def test_refreshes():
    """It refreshes before its time is over, without a word."""
    with Kamailio(PASSWORD) as kamailio, registering([kamailio.address], "--register-for", "2") as handset:
        kamailio.wait(lambda: len(kamailio.said("saved door, contact: <sip:door@.*expires=2")) >= 3, "two refreshes")
        handset.wait(lambda: changes(handset) == [("registered", kamailio.address)], "registered")


def test_wrong_password():
    """A wrong password is reported once; the handset can still be called directly."""
    with Kamailio(PASSWORD) as kamailio, registering([kamailio.address], password="another") as handset:
        handset.wait(lambda: changes(handset) == [("unregistered", kamailio.address)], "unregistered")
        reason = next(event["reason"] for event in handset.events if event.get("event") == "unregistered")
        assert reason == "401 Unauthorized", reason
        # Asked once without a digest, and once with a wrong one; a request that is sent again has the same number.
        challenged = lambda: {line.split("CSeq ")[1].split(",")[0] for line in kamailio.said("challenged door")}
        kamailio.wait(lambda: len(challenged()) == 2, "challenged twice")
        handset.check_rings()
        assert len(changes(handset)) == 1 and len(challenged()) == 2
        assert not kamailio.said("saved") and handset.status()["registrar"] is None


def test_second_registrar():
    """The first registrar is killed: the next refresh fails, and the second one is used at once."""
    with Kamailio(PASSWORD) as first, Kamailio(PASSWORD) as second:
        with registering([first.address, second.address], "--register-for", "2", "--transport", "tcp") as handset:
            handset.wait(lambda: changes(handset) == [("registered", first.address)], "registered")
            first.kill()
            handset.wait(lambda: changes(handset)[1:] == [("unregistered", first.address), ("registered", second.address)],
                         "registered at the second one")
            assert handset.status()["registrar"] == second.address
            assert second.said("saved door")


def test_silent_registrar():
    """A registrar that never answers is given up, and the second one is used."""
    with Kamailio(PASSWORD) as second, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with registering([address, second.address]) as handset:
            handset.wait(lambda: changes(handset) == [("unregistered", address), ("registered", second.address)],
                         "registered at the second one")
            reason = next(event["reason"] for event in handset.events if event.get("event") == "unregistered")
            assert reason == "no answer", reason
            assert silent.recv(2048).startswith(b"REGISTER ")


def branch(request):
    """What tells a request from others, and not from the same one that is sent again."""
    return re.search("branch=([^;\\s]*)", request)[1]


class Registrar:
    """A registrar that answers what the test says, over UDP."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.settimeout(PATIENCE)
        self._socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        # The answer to each request that had one.
        self._answers = {}

    def receive(self):
        """The next REGISTER; where to answer it is kept. One that is sent again gets its answer again."""
        while True:
            data, self._peer = self._socket.recvfrom(65536)
            request = data.decode()
            assert request.startswith("REGISTER "), request
            if branch(request) not in self._answers:
                return request
            self.send(self._answers[branch(request)])

    def reply(self, request, status, headers=""):
        """Answers the request."""
        self._answers[branch(request)] = self.answer(request, status, headers)
        self.send(self._answers[branch(request)])

    @staticmethod
    def answer(request, status, headers=""):
        """An answer to the request."""
        kept = [line for line in request.split("\r\n") if re.match("(Via|From|To|Call-ID|CSeq):", line)]
        return "\r\n".join([f"SIP/2.0 {status}", *kept, f"{headers}Content-Length: 0", "", ""]).encode()

    def send(self, data):
        self._socket.sendto(data, self._peer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()


def test_hostile_registrar():
    """What a registrar says is shown without control characters; damaged answers and useless times harm nothing."""
    with Registrar() as registrar, registering([registrar.address]) as handset, Caller(handset.port) as asking:
        first = registrar.receive()
        noise = random.Random(3261)
        contact = re.search("Contact: [^\r]*", first)[0]
        whole = [
            registrar.answer(first, "401 Unauthorized", 'WWW-Authenticate: Digest realm="a", nonce="b", qop="auth"\r\n'),
            registrar.answer(first, "200 OK", contact + "\r\nExpires: 600\r\n"),
            registrar.answer(first, "423 Interval Too Brief", "Min-Expires: 4000000000\r\n")]
        for turn in range(1500):
            damaged = bytearray(whole[turn % 3])
            # The beginning and the branch are kept, so that the answer is taken for one.
            for _ in range(noise.randrange(1, 6)):
                damaged[noise.randrange(len(damaged) // 3, len(damaged))] = noise.randrange(256)
            registrar.send(bytes(damaged))
            # No more than the kernel keeps for a socket.
            if turn % 50 == 49:
                asking.send(asking.message("OPTIONS", number=turn, branch=f"{asking.branch}-{turn}"))
                asking.expect(200)
        handset.check_rings()
    for status, headers, reason in (
            ("503 \x1b[2J\x07 away", "", "503 \x1b[2J\x07 away"), ("200 OK", "Expires: 0\r\n", "it grants no usable time"),
            ("401 Unauthorized", 'WWW-Authenticate: Digest realm="a", nonce="b", algorithm=SHA-256\r\n',
             "it wants another digest than MD5")):
        with Registrar() as registrar, registering([registrar.address]) as handset:
            request = registrar.receive()
            if "Expires" in headers:
                headers = re.search("Contact: [^;\r]*", request)[0] + ";expires=0\r\n" + headers
            registrar.send(registrar.answer(request, status, headers))
            handset.wait(lambda: changes(handset) == [("unregistered", registrar.address)], "unregistered")
            assert next(event["reason"] for event in handset.events if "reason" in event) == reason, handset.events
            # No line that was printed has them; the JSON does.
            assert not any(ord(character) < 32 for line in handset.lines for character in line.rstrip("\n"))
            handset.check_rings()


def test_refreshes_forever():
    """Refreshes, each with a new challenge, add no memory, no descriptors and no second digest."""
    with Registrar() as registrar, registering([registrar.address], "--register-for", "1") as handset:
        sizes = []
        for turn in range(16):
            request = registrar.receive()
            if "Authorization:" not in request:
                challenge = f'WWW-Authenticate: Digest realm="a", nonce="{turn}"\r\n'
                registrar.reply(request, "401 Unauthorized", challenge)
                request = registrar.receive()
            assert len(re.findall("^Authorization:", request, re.M)) == 1, request
            registrar.reply(request, "200 OK", re.search("Contact: [^\r]*", request)[0] + "\r\n")
            if turn in (5, 15):
                sizes.append((handset.descriptors(), handset.resident()))
        assert sizes[0][0] == sizes[1][0] and sizes[1][1] - sizes[0][1] < 256, sizes
        assert len(changes(handset)) == 1
