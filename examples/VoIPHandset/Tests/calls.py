"""Calls: how they ring, are answered and end, by sipp and by callers of our own."""
import math
import os
import re
import struct
import subprocess
import tempfile

from common import HERE, last_events, sipp, start
from handset import Caller


def test_hundred_calls_given_up():
    """100 INVITE and CANCEL at 10 a second and 10 at a time, over UDP; 20 over TCP."""
    with start("--calls", "16") as handset:
        sipp("cancel", handset, "-m", "100", "-r", "10", "-l", "10", "-d", "100")
        handset.wait(lambda: list(last_events(handset).values()).count("cancelled") == 100, "100 cancelled")
        assert "ringing" in {event.get("event") for event in handset.events}
        sipp("cancel", handset, "-m", "20", "-r", "10", "-l", "10", "-t", "t1", "-d", "100")
        handset.wait(lambda: list(last_events(handset).values()).count("cancelled") == 120, "20 more cancelled")
        handset.check_quiet()
        handset.check_rings()


def test_answer_and_rtp():
    """A call is answered, its RTP heard on the PCM as it was sent, and ended by BYE."""
    with tempfile.TemporaryDirectory() as work:
        rate = 8000
        tone = [int(12000 * math.sin(2 * math.pi * 1000 * frame / rate)) for frame in range(rate * 8)]
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
        share = share_of_tone(samples, 1000, rate)
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


def share_of_tone(samples, frequency, rate):
    """The share of the power that the frequency has in the loudest half second; 0 where nothing is heard."""
    block = max((samples[at:at + rate // 2] for at in range(0, len(samples) - rate // 2, rate // 10)),
                key=lambda part: sum(map(abs, part)), default=[])
    whole = sum(sample * sample for sample in block)
    return power(block, frequency, rate) * len(block) / whole if whole else 0


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
        handset.answer(caller)
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
            answer = handset.answer(caller)
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
                caller.next_packet()
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
            handset.answer(caller)
            for is_stepped in (False, True):
                if is_stepped:
                    open(step, "w").close()
                for _ in range(50):
                    caller.next_packet()
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
    with start() as handset, Caller(handset.port) as first, \
            Caller(handset.port, "tcp") as second, Caller(handset.port) as third:
        first.invite()
        handset.wait_for(first.call, "ringing")
        handset.answer(first)
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


def test_termination():
    """SIGTERM ends the calls for their callers as well."""
    with start() as handset, Caller(handset.port) as talking, Caller(handset.port) as ringing:
        talking.invite()
        handset.wait_for(talking.call, "ringing")
        handset.answer(talking)
        ringing.invite()
        ringing.expect(180)
        handset.process.terminate()
        ringing.expect(480)
        ringing.send(ringing.message("ACK"))
        talking.expect_request("BYE")
        assert handset.stop() == -15
