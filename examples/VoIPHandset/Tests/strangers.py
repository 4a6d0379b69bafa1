"""What strangers send: messages that are damaged, connections that say nothing; and ports that other processes have."""
import random
import re
import socket
import subprocess
import time

from common import PROGRAM, start
from handset import PATIENCE, Caller
from malformed import MULTIPART, messages, multipart


def refuse_all(handset, descriptors):
    """Refuses the calls that some of the messages were after all, which nobody gives up, until the connections by which more
    may come have ended."""
    end = time.monotonic() + PATIENCE
    with Caller(handset.port) as asking:
        # What was sent before by UDP has been read by then. The kernel may have dropped it.
        asking.socket.settimeout(1)
        while True:
            asking.send(asking.message("OPTIONS"))
            try:
                asking.expect(200)
                break
            except TimeoutError:
                assert time.monotonic() < end, "no answer to OPTIONS"
    while handset.status()["calls"] > 0 or handset.descriptors() > descriptors:
        assert time.monotonic() < end, f"descriptors: {descriptors}, then {handset.descriptors()}"
        handset.command("reject")
        time.sleep(0.05)
    handset.check_quiet()


def test_malformed():
    """Messages of the classes of RFC 4475, and damaged ones: nothing rings on, nothing leaks, and the next call rings."""
    with start() as handset:
        descriptors = handset.descriptors()
        for name, message in messages(handset.port):
            for transport in ("udp", "tcp"):
                with Caller(handset.port, transport) as caller:
                    try:
                        caller.send(message)
                    except ConnectionError:
                        pass
            assert handset.process.poll() is None, name
        refuse_all(handset, descriptors)
        rang = {event["call"] for event in handset.events if event.get("event") == "ringing"}
        for name in ("cseq-overflow", "cseq-other-method", "length-beyond", "length-negative", "values-twice",
                     "length-twice", "tag-missing", "require", "scheme-sips", "content-type", "sdp-no-codec"):
            assert f"malformed-{name}" not in rang, name
        noise = random.Random(4475)
        with Caller(handset.port) as caller:
            whole = [caller.message("INVITE", body=caller.description),
                     caller.message("INVITE", body=multipart(caller.description), kind=MULTIPART)]
            for turn in range(2000):
                damaged = bytearray(whole[turn % 2])
                for _ in range(noise.randrange(1, 8)):
                    damaged[noise.randrange(len(damaged))] = noise.randrange(256)
                try:
                    caller.send(bytes(damaged[:noise.randrange(1, len(damaged) + 1)]))
                except ConnectionError:
                    pass
        refuse_all(handset, descriptors)
        handset.check_rings()
        handset.check_rings("tcp")
        handset.check_quiet()
        end = time.monotonic() + PATIENCE
        while handset.descriptors() > descriptors:
            assert time.monotonic() < end, f"descriptors: {descriptors}, then {handset.descriptors()}"
            time.sleep(0.1)
        # Nothing of what strangers sent is shown.
        assert len(handset.errors) == 1, handset.errors


def test_connections():
    """Connections of strangers that say nothing take no descriptor that a call needs."""
    with start() as handset:
        strangers = []
        for _ in range(300):
            stranger = socket.create_connection(("127.0.0.1", handset.port))
            strangers.append(stranger)
            try:
                stranger.send(b"INVITE sip:handset SIP/2.0\r\n")
            except OSError:
                pass
        handset.check_rings()
        handset.check_rings()
        for stranger in strangers:
            stranger.close()
        handset.check_rings("udp")


OTHER_PROCESS = """
import os, socket, sys
with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as ports:
    ports.write("40000 40007")
for port in range(40000, 40004):
    taken = socket.create_server(("127.0.0.1", port))
    taken.set_inheritable(True)
    taken.detach()
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_ports_of_others():
    """Of the eight ports that the kernel may choose, another process has four for TCP: one of the others is found, each time."""
    for _ in range(8):
        process = subprocess.Popen(
            ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up; exec python3 -c "$@"', "sh",
             OTHER_PROCESS, PROGRAM, "--listen", "127.0.0.1:0", "--board", "simulated"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            said = process.stderr.readline()
            assert re.fullmatch(r"VoIPHandset: Listening at 127\.0\.0\.1:4000[4-7]\.\n", said), said
        finally:
            process.kill()
            process.communicate()
