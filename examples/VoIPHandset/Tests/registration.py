"""Registration at Debian's Kamailio: with the right and a wrong password, refreshed, and at a second registrar."""
import os
import socket
import tempfile
from contextlib import contextmanager

from common import start
from handset import Caller
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


def test_registers_and_refreshes():
    """It registers by digest, is called through the proxy, refreshes without a word, and unregisters at its end."""
    with Kamailio(PASSWORD) as kamailio:
        with registering([kamailio.address], "--register-for", "2") as handset:
            handset.wait(lambda: changes(handset) == [("registered", kamailio.address)], "registered")
            assert handset.status()["registrar"] == kamailio.address
            with Caller(kamailio.port) as caller:
                caller.target = f"sip:door@{kamailio.address}"
                caller.invite()
                assert handset.wait_for(caller.call, "ringing")["sound"]
                caller.cancel()
                handset.wait_for(caller.call, "cancelled")
            kamailio.wait(lambda: len(kamailio.said("saved door, contact: <sip:door@")) >= 3, "two refreshes")
            assert len(changes(handset)) == 1
        kamailio.wait(lambda: kamailio.said("saved door, contact: .*expires=0"), "it unregisters")


def test_wrong_password():
    """A wrong password is reported once; the handset can still be called directly."""
    with Kamailio(PASSWORD) as kamailio, registering([kamailio.address], password="another") as handset:
        handset.wait(lambda: changes(handset) == [("unregistered", kamailio.address)], "unregistered")
        reason = next(event["reason"] for event in handset.events if event.get("event") == "unregistered")
        assert reason == "401 Unauthorized", reason
        # Asked once without a digest, and once with a wrong one.
        kamailio.wait(lambda: len(kamailio.said("challenged door")) == 2, "challenged twice")
        handset.check_rings()
        assert len(changes(handset)) == 1 and len(kamailio.said("challenged")) == 2
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
            with Caller(second.port, "tcp") as caller:
                caller.target = f"sip:door@{second.address}"
                caller.invite()
                handset.wait_for(caller.call, "ringing")
                caller.cancel()
                handset.wait_for(caller.call, "cancelled")


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
