"""The tests of the handset against its peers: sipp, and callers of our own. Run by `test`."""
import math
import os
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

from gi.repository import Gio, GLib

from handset import PATIENCE, Caller, Handset
from malformed import messages

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM, RINGERD = sys.argv[1:3]


def start(*options, **others):
    return Handset(PROGRAM, *options, **others)


def sipp(scenario, handset, *options, folder=None):
    """Runs a scenario of sipp to its end; every call must succeed."""
    with tempfile.TemporaryDirectory() as work:
        result = subprocess.run(
            ["sipp", "-sf", os.path.join(HERE, "scenarios", scenario + ".xml"), f"127.0.0.1:{handset.port}", "-i",
             "127.0.0.1", "-nostdin", "-trace_err", "-error_file", os.path.join(work, "errors"), *options],
            cwd=folder or work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=4 * PATIENCE)
        if result.returncode != 0:
            errors = ""
            if os.path.exists(os.path.join(work, "errors")):
                with open(os.path.join(work, "errors")) as file:
                    errors = file.read()
            raise AssertionError(f"sipp {scenario}: {result.returncode}\n{errors[-2000:]}")


def last_events(handset):
    """The last event of each call."""
    return {event["call"]: event["event"] for event in list(handset.events) if "call" in event}


# MARK: - The tests


def test_hundred_calls_given_up():
    """100 INVITE and CANCEL at 10 a second, over UDP; 20 over TCP."""
    with start("--calls", "16") as handset:
        sipp("cancel", handset, "-m", "100", "-r", "10", "-d", "100")
        handset.wait(lambda: list(last_events(handset).values()).count("cancelled") == 100, "100 cancelled")
        assert "ringing" in {event.get("event") for event in handset.events}
        sipp("cancel", handset, "-m", "20", "-r", "10", "-t", "t1", "-d", "100")
        handset.wait(lambda: list(last_events(handset).values()).count("cancelled") == 120, "20 more cancelled")
        handset.check_quiet()
        handset.check_rings()


def test_answer_and_rtp():
    """A call is answered, its RTP heard on the PCM as it was sent, and ended by BYE."""
    with tempfile.TemporaryDirectory() as work:
        rate = 8000
        tone = [int(12000 * math.sin(2 * math.pi * 1000 * frame / rate)) for frame in range(rate * 3)]
        with open(os.path.join(work, "tone.ul"), "wb") as file:
            file.write(bytes(ulaw(sample) for sample in tone))
        heard = os.path.join(work, "heard.raw")
        with start("--answer-after", "0", "--call-pcm", f"paced:CAPTURE={heard},RATE=8000,CHANNELS=1", "--microphone-pcm",
                   "null") as handset:
            sipp("answer", handset, "-m", "1", folder=work)
            event = handset.wait(
                lambda: next((event for event in handset.events if event.get("event") == "ended"), None), "ended")
            assert event["heard"] > 0.5, event
            assert handset.kinds(event["call"])[-2:] == ["answered", "ended"]
            handset.check_quiet()
        with open(heard, "rb") as file:
            data = file.read()
        samples = struct.unpack(f"<{len(data) // 2}h", data)
        loud = [sample for sample in samples if abs(sample) > 1000]
        assert len(loud) > rate / 2, f"{len(loud)} of {len(samples)} samples are loud"
        # Only the tone: a second of it has 1,000 periods.
        block = max((samples[at:at + rate // 2] for at in range(0, len(samples) - rate // 2, rate // 10)),
                    key=lambda part: sum(map(abs, part)))
        share = power(block, 1000, rate) / (sum(sample * sample for sample in block) / len(block))
        assert share > 0.9, f"{share} of the power is the tone's"


def ulaw(sample):
    """The sample in G.711 u-law."""
    sign = 0x80 if sample < 0 else 0
    sample = min(abs(sample), 32635) + 132
    exponent = max(sample.bit_length() - 8, 0)
    return ~(sign | exponent << 4 | (sample >> (exponent + 3)) & 15) & 0xFF


def power(samples, frequency, rate):
    """The power of the frequency in the samples."""
    real = sum(sample * math.cos(2 * math.pi * frequency * at / rate) for at, sample in enumerate(samples))
    imaginary = sum(sample * math.sin(2 * math.pi * frequency * at / rate) for at, sample in enumerate(samples))
    return 2 * (real * real + imaginary * imaginary) / len(samples) ** 2


def test_thousand_at_once():
    """1,000 INVITEs at once: two ring, the others are refused with 486. More of them leave nothing behind."""
    with start() as handset:
        sipp("flood", handset, "-m", "1000", "-r", "100000", "-l", "1000", "-buff_size", "4000000",
             "-max_invite_retrans", "12")
        handset.check_quiet()
        events = last_events(handset)
        assert set(events.values()) <= {"refused", "cancelled"}, set(events.values())
        assert len(events) == 1000, len(events)
        handset.check_rings()
        sizes = []
        with Caller(handset.port) as first, Caller(handset.port) as second, Caller(handset.port) as caller:
            for kept in (first, second):
                kept.invite()
                kept.expect(180)
            for turn in range(4):
                for batch in range(20):
                    # As many as the kernel keeps for a socket.
                    for number in range(50):
                        caller.call = f"flood-{turn}-{batch}-{number}"
                        caller.branch = f"z9hG4bK-{caller.call}"
                        caller.invite()
                    for _ in range(50):
                        assert "486" in caller.receive()
                sizes.append((handset.descriptors(), handset.resident()))
            for kept in (first, second):
                kept.cancel()
        assert len({descriptors for descriptors, _ in sizes}) == 1, f"descriptors: {sizes}"
        assert sizes[3][1] - sizes[1][1] < 512, f"resident memory in KiB: {sizes}"
        handset.check_quiet()
        handset.check_rings()


def test_user():
    """Silence, answer, hang up, reject: what the user does, and what the caller gets."""
    with start() as handset, Caller(handset.port) as caller:
        caller.invite()
        caller.expect(180)
        handset.wait_for(caller.call, "ringing")
        handset.command("silence")
        handset.wait_for(caller.call, "silent")
        handset.command("answer")
        caller.expect(200)
        caller.acknowledge()
        handset.wait_for(caller.call, "answered")
        # The handset's microphone is sent: PCMU, 20 ms.
        packet = caller.rtp.recv(2048)
        assert len(packet) == 12 + 160 and packet[0] == 0x80 and packet[1] & 0x7F == 0, packet[:12]
        handset.command("hang up")
        caller.expect_request("BYE")
        handset.wait_for(caller.call, "ended")
        with Caller(handset.port) as other:
            other.invite()
            handset.wait_for(other.call, "ringing")
            handset.command("reject")
            other.expect(486)
            other.send(other.message("ACK"))
            assert handset.wait_for(other.call, "refused")["reason"] == "rejected"
        handset.check_quiet()


def test_dynamic_payload_types():
    """A codec under a number of the caller's is answered, sent and heard under that number."""
    for number, codec, silence in ((96, "PCMU", 0xFF), (97, "PCMA", 0xD5), (127, "pcma", 0xD5)):
        with start("--microphone-pcm", "null", "--call-pcm", "null") as handset, Caller(handset.port) as caller:
            caller.invite(body=caller.description.replace("RTP/AVP 0", f"RTP/AVP {number}")
                          .replace("rtpmap:0 PCMU", f"rtpmap:{number} {codec}"))
            caller.expect(180)
            handset.wait_for(caller.call, "ringing")
            handset.command("answer")
            answer = caller.expect(200)
            caller.acknowledge()
            port = int(re.search(rf"^m=audio (\d+) RTP/AVP {number}\r$", answer, re.M)[1])
            packet = caller.rtp.recv(2048)
            assert packet[1] & 0x7F == number, packet[:12]
            # The null PCM captures zeros, which the two codecs write in different ways.
            assert all(byte & 0x7F == silence & 0x7F for byte in packet[12:]), packet[12:]
            handset.wait_for(caller.call, "answered")
            # As many as the handset sends: its clock is the pace.
            for sequence in range(25):
                caller.rtp.sendto(
                    struct.pack(">BBHII", 0x80, number, sequence, sequence * 160, 1) + bytes([silence]) * 160,
                    ("127.0.0.1", port))
                caller.rtp.recv(2048)
            caller.hang_up()
            assert handset.wait_for(caller.call, "ended")["heard"] > 0, (number, codec)


def test_wall_clock_is_set_back():
    """The wall clock is set back by an hour during a call: its sound goes on, and calls come and ring as before."""
    # libre's timers were on the wall clock: nothing was sent until it had caught up.
    with tempfile.TemporaryDirectory() as work:
        clock, step = os.path.join(work, "clock.so"), os.path.join(work, "step")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", clock, os.path.join(HERE, "stepped_clock.c")], check=True)
        with start(LD_PRELOAD=clock, STEP_WHILE=step) as handset, Caller(handset.port) as caller:
            caller.invite()
            caller.expect(180)
            handset.wait_for(caller.call, "ringing")
            handset.command("answer")
            caller.expect(200)
            caller.acknowledge()
            handset.wait_for(caller.call, "answered")
            for is_stepped in (False, True):
                if is_stepped:
                    open(step, "w").close()
                for _ in range(50):
                    caller.rtp.recv(2048)
            with Caller(handset.port) as other:
                other.invite()
                other.expect(180)
                other.cancel()
                handset.wait_for(other.call, "cancelled")
            caller.hang_up()
            handset.wait_for(caller.call, "ended")


def test_hold():
    """A call on hold, as RFC 3264 or RFC 2543 says it, is ended after its time."""
    with start("--answer-after", "0", "--hold-for", "1") as handset:
        for before, after in (("a=rtpmap", "a=inactive\r\na=rtpmap"), ("c=IN IP4 127.0.0.1", "c=IN IP4 0.0.0.0")):
            with Caller(handset.port) as caller:
                caller.invite()
                caller.expect(200)
                caller.acknowledge()
                handset.wait_for(caller.call, "answered")
                branch = caller.branch + "-hold"
                caller.invite(body=caller.description.replace(before, after), number=2, branch=branch)
                caller.expect(200)
                caller.send(caller.message("ACK", number=2, branch=branch + "-ack"))
                caller.expect_request("BYE")
                handset.wait_for(caller.call, "ended")
        handset.check_quiet()


def test_switch():
    """The switch decides, also in the middle of a ring."""
    with start("--position", "vibrate") as handset, Caller(handset.port) as caller:
        caller.invite()
        event = handset.wait_for(caller.call, "vibrating")
        assert event["motor"] and not event["sound"], event
        handset.command("position ring")
        handset.wait_for(caller.call, "ringing")
        handset.command("position silent")
        handset.wait(lambda: handset.kinds(caller.call) == ["vibrating", "ringing", "vibrating"], "vibrating again")
        caller.cancel()
        handset.wait_for(caller.call, "cancelled")
        handset.check_quiet()
    with start("--position", "silent", "--no-vibrate-on-silent") as handset, Caller(handset.port) as caller:
        caller.invite()
        event = handset.wait_for(caller.call, "silent")
        assert not event["motor"] and not event["sound"], event
        caller.cancel()
        handset.wait_for(caller.call, "cancelled")


def test_second_call():
    """A second call is felt, not heard; a third one is busy."""
    with start("--haptics-while-recording") as handset, Caller(handset.port) as first, \
            Caller(handset.port, "tcp") as second, Caller(handset.port) as third:
        first.invite()
        handset.wait_for(first.call, "ringing")
        handset.command("answer")
        first.expect(200)
        first.acknowledge()
        handset.wait_for(first.call, "answered")
        second.invite()
        event = handset.wait_for(second.call, "vibrating")
        assert event["motor"] and not event["sound"], event
        third.invite()
        third.expect(486)
        assert handset.wait_for(third.call, "refused")["reason"] == "486 Busy Here"
        first.hang_up()
        handset.wait_for(first.call, "ended")
        assert handset.wait_for(second.call, "ringing")["sound"]
        second.cancel()
        handset.wait_for(second.call, "cancelled")
        handset.check_quiet()


def refuse_all(handset):
    """Refuses the calls that some of the messages were after all, which nobody gives up."""
    for _ in range(3):
        while handset.status()["calls"] > 0:
            handset.command("reject")
        # Another one may be on its way over TCP.
        time.sleep(0.1)
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
        refuse_all(handset)
        rang = {event["call"] for event in handset.events if event.get("event") == "ringing"}
        for name in ("cseq-overflow", "cseq-other-method", "length-beyond", "length-negative", "values-twice",
                     "length-twice", "tag-missing", "require", "scheme-sips", "content-type", "sdp-no-codec"):
            assert f"malformed-{name}" not in rang, name
        noise = random.Random(4475)
        with Caller(handset.port) as caller:
            whole = caller.message("INVITE", body=caller.description)
            for _ in range(2000):
                damaged = bytearray(whole)
                for _ in range(noise.randrange(1, 8)):
                    damaged[noise.randrange(len(damaged))] = noise.randrange(256)
                try:
                    caller.send(bytes(damaged[:noise.randrange(1, len(damaged) + 1)]))
                except ConnectionError:
                    pass
        refuse_all(handset)
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


class Service:
    """The service on the session bus, with a simulated board, and another process that is its client."""

    NAME = "org.ringer.Ringer1"
    PATH = "/org/ringer/Ringer1"

    def __init__(self):
        self.process = subprocess.Popen(
            [RINGERD, "--session", "--board", "simulated"], stderr=subprocess.DEVNULL)
        subprocess.run(["gdbus", "wait", "--session", "--timeout", str(PATIENCE), self.NAME], check=True)
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        self.ended = {}
        self.bus.signal_subscribe(
            self.NAME, self.NAME, "Ended", self.PATH, None, Gio.DBusSignalFlags.NONE,
            lambda *arguments: self._end(*arguments[5].unpack()))

    def _end(self, request, outcome, *_):
        self.ended[request] = outcome

    def call(self, method, signature, *arguments, interface=NAME, path=PATH):
        return self.bus.call_sync(
            self.NAME, path, interface, method, GLib.Variant(signature, arguments), None, Gio.DBusCallFlags.NONE,
            -1, None).unpack()

    def announce(self):
        return self.call("Announce", "(ava{sv})", [GLib.Variant("u", 1007)], {})[0]

    def make_session(self, priority):
        return self.call("CreateSession", "(a{sv})", {"category": GLib.Variant("s", "playback"),
                                                      "priority": GLib.Variant("i", priority)})[0]

    def activate(self, session):
        """Activates a session; false if it is refused."""
        try:
            self.call("Activate", "()", interface="org.ringer.Session1", path=session)
        except GLib.Error:
            return False
        return True

    def deactivate(self, session):
        self.call("Deactivate", "(b)", True, interface="org.ringer.Session1", path=session)

    def outcome(self, request):
        """How a request has ended by now; None if it has not."""
        # The reply of a later call comes after the signal.
        self.call("Decide", "(sa{sv})", "alert", {})
        while GLib.MainContext.default().iteration(False):
            pass
        return self.ended.get(request)

    def wait_for(self, request):
        end = time.monotonic() + PATIENCE
        while self.outcome(request) is None:
            assert time.monotonic() < end, "the request does not end"
            time.sleep(0.02)
        return self.ended[request]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)


def test_service():
    """Over the service: its switch decides, and the announcement of another process waits until the call is over."""
    with Service() as service, start("--call-pcm", "null", board="service", RINGER_BUS="session") as handset:
        handset.check_rings()
        service.call("SetSwitch", "(s)", "vibrate", interface="org.ringer.SimulatedBoard1")
        with Caller(handset.port) as caller:
            caller.invite()
            event = handset.wait_for(caller.call, "vibrating")
            assert event["motor"] and not event["sound"], event
            service.call("SetSwitch", "(s)", "ring", interface="org.ringer.SimulatedBoard1")
            handset.wait_for(caller.call, "ringing")
            service.call("PressKey", "(s)", "silence", interface="org.ringer.SimulatedBoard1")
            handset.wait_for(caller.call, "silent")
            handset.command("answer")
            caller.expect(200)
            caller.acknowledge()
            handset.wait_for(caller.call, "answered")
            waiting = service.announce()
            # Another request comes and goes meanwhile.
            assert service.wait_for(service.call("Vibrate", "(sa{sv})", "50", {})[0]) == "finished"
            assert service.outcome(waiting) is None
            caller.hang_up()
            handset.wait_for(caller.call, "ended")
            assert service.wait_for(waiting) == "finished"
        handset.check_quiet()
        handset.check_rings()


def test_alarm():
    """A call that comes during an alarm of another process keeps others from playing once the alarm is over."""
    with Service() as service, start("--call-pcm", "null", board="service", RINGER_BUS="session") as handset, \
            Caller(handset.port) as caller:
        alarm, music = service.make_session(200), service.make_session(0)
        assert service.activate(alarm)
        caller.invite()
        handset.wait(lambda: [line for line in handset.errors if "matters more" in line], "the session is refused")
        handset.command("answer")
        caller.expect(200)
        caller.acknowledge()
        handset.wait_for(caller.call, "answered")
        service.deactivate(alarm)
        end = time.monotonic() + PATIENCE
        while service.activate(music):
            assert time.monotonic() < end, "the call has no session"
            service.deactivate(music)
            time.sleep(0.05)
        caller.hang_up()
        handset.wait_for(caller.call, "ended")
        end = time.monotonic() + PATIENCE
        while not service.activate(music):
            assert time.monotonic() < end, "the call keeps its session"
            time.sleep(0.05)
        handset.check_quiet()


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


def test_termination():
    """SIGTERM ends the calls for their callers as well."""
    with start() as handset, Caller(handset.port) as talking, Caller(handset.port) as ringing:
        talking.invite()
        handset.wait_for(talking.call, "ringing")
        handset.command("answer")
        talking.expect(200)
        talking.acknowledge()
        handset.wait_for(talking.call, "answered")
        ringing.invite()
        ringing.expect(180)
        handset.process.terminate()
        ringing.expect(480)
        ringing.send(ringing.message("ACK"))
        talking.expect_request("BYE")
        assert handset.stop() == -15


def run():
    chosen = sys.argv[3:]
    failures = 0
    tests = [(name[5:], body) for name, body in globals().items() if name.startswith("test_")]
    tests = [(name, body) for name, body in tests if not chosen or any(part in name for part in chosen)]
    for name, body in tests:
        try:
            body()
            print(f"VoIPHandset: {name} passed", flush=True)
        except Exception:
            failures += 1
            print(f"VoIPHandset: {name} FAILED", flush=True)
            traceback.print_exc()
    print(f"VoIPHandset: {len(tests) - failures} passed, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    run()
