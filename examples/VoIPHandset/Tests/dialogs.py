"""What comes within a call: signs of life, digits, INFO and NOTIFY, and a caller that takes the place of another."""
import re
import struct

from common import start
from handset import Caller

# Comfort noise, a digit of RFC 4733, and an empty receiver report: for each the payload type, None for RTCP, and the bytes.
SIGNS = {"noise": (13, b"\x40"), "digit": (101, bytes([5, 10, 0, 160])), "rtcp": (None, bytes([0x80, 0xC9, 0, 1, 0, 0, 0, 1]))}


def events(description):
    """The description of a caller that dials by RFC 4733, which it names first."""
    return description.replace("RTP/AVP 0", "RTP/AVP 101 0") + "a=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-15\r\n"


def answered(handset, caller, **options):
    """Calls and is answered; returns the port for RTP, and the replies 180 and 200."""
    caller.invite(**options)
    ringing = caller.expect(180)
    handset.wait_for(caller.call, "ringing")
    reply = handset.answer(caller)
    return int(re.search(r"^m=audio (\d+) ", reply, re.M)[1]), ringing, reply


def send(caller, port, kind, payload, sequence, timestamp):
    """A packet of RTP, or of RTCP."""
    if kind is None:
        caller.rtp.sendto(payload, ("127.0.0.1", port + 1))
    else:
        caller.rtp.sendto(struct.pack(">BBHII", 0x80, kind, sequence, timestamp, 1) + payload, ("127.0.0.1", port))


def test_signs_of_life():
    """A caller that suppresses silence is not hung up: comfort noise, digits and RTCP are signs of life. One without is."""
    # A call with comfort noise alone was ended after the time.
    for name, (kind, payload) in SIGNS.items():
        with start("--lost-after", "5", "--call-pcm", "null") as handset, Caller(handset.port) as caller:
            port, _, _ = answered(handset, caller, body=events(caller.description))
            # The handset's clock is the pace, 50 packets a second: twice its patience.
            for sequence in range(500):
                caller.rtp.recv(2048)
                if sequence % 5 == 0:
                    send(caller, port, kind, payload, sequence, sequence * 160)
            assert "ended" not in handset.kinds(caller.call), name
            caller.expect_request("BYE")
            handset.wait_for(caller.call, "ended")


def test_digits():
    """Digits by RTP, once for each event of several packets, and by INFO."""
    with start("--call-pcm", "null") as handset, Caller(handset.port) as caller:
        port, _, reply = answered(handset, caller, body=events(caller.description))
        assert "a=rtpmap:101 telephone-event/8000" in reply, reply

        def digits():
            return [(event["digit"], event["way"]) for event in list(handset.events) if event.get("event") == "digit"]

        sequence = 0
        for turn, (number, digit) in enumerate([(4, "4"), (10, "*"), (11, "#"), (15, "D"), (16, None), (4, "4")]):
            before = len(digits())
            for packet in range(6):
                sequence += 1
                payload = bytes([number, 0x8A if packet > 2 else 0x0A]) + struct.pack(">H", 160 * packet)
                send(caller, port, 101, payload, sequence, turn * 4000)
                caller.next_packet()
            # Too short for an event.
            send(caller, port, 101, b"\x01", sequence, turn * 4000 + 1)
            if digit:
                handset.wait(lambda: len(digits()) > before, f"the digit {digit}")
            assert [found for found, _ in digits()[before:]] == ([digit] if digit else []), digits()
        assert {way for _, way in digits()} == {"RTP"}
        number = 2
        for kind, body, status, digit in (
                ("application/dtmf-relay", "Signal=7\r\nDuration=160\r\n", 200, "7"),
                ("application/dtmf-relay", "Signal= 11\r\nDuration=160\r\n", 200, "#"),
                ("application/dtmf", "b", 200, "B"), ("application/dtmf-relay", "Signal=77\r\n", 415, None),
                ("application/dtmf-relay", "Duration=160\r\n", 415, None), ("text/plain", "7", 415, None), ("", "", 200, None)):
            before = len(digits())
            caller.send(caller.message("INFO", number=number, branch=f"{caller.branch}-{number}", body=body, kind=kind))
            caller.expect(status)
            number += 1
            if digit:
                handset.wait(lambda: len(digits()) > before, f"the digit {digit}")
            assert digits()[before:] == ([(digit, "INFO")] if digit else []), (body, digits())
        caller.send(caller.message("INFO", number=number, branch=f"{caller.branch}-{number}", headers="Info-Package: x\r\n"))
        caller.expect(469)
        caller.send(caller.message("BYE", number=number + 1, branch=caller.branch + "-bye"))
        caller.expect(200)
        handset.check_quiet()


def test_requests_within_a_call():
    """180 and 200 say what a caller may send; NOTIFY without a subscription gets 481; an INFO to no call too."""
    with start() as handset, Caller(handset.port) as caller:
        _, ringing, reply = answered(handset, caller)
        for message in (ringing, reply):
            assert re.search(r"^Allow: .*INFO", message, re.M) and "\r\nSupported: replaces\r\n" in message, message
        caller.send(caller.message(
            "NOTIFY", number=2, branch=caller.branch + "-2", headers="Event: refer\r\nSubscription-State: active\r\n"))
        caller.expect(481)
        caller.send(caller.message("INFO", number=3, branch=caller.branch + "-3"))
        caller.expect(200)
        caller.send(caller.message("BYE", number=4, branch=caller.branch + "-4"))
        caller.expect(200)
        caller.send(caller.message("INFO", number=5, branch=caller.branch + "-5"))
        caller.expect(481)


def test_replaces():
    """A caller takes the place of another one, whose call goes on with it; where nothing matches, it gets 481 and nothing
    rings."""
    with start("--call-pcm", "null", "--microphone-pcm", "null") as handset, Caller(handset.port) as first:
        first.invite()
        first.expect(180)
        handset.wait_for(first.call, "ringing")

        def replaces(**parts):
            parts = {"call": first.call, "to": first.tag, "from": "caller", "more": "", **parts}
            return f"Replaces: {parts['call']};to-tag={parts['to']};from-tag={parts['from']}{parts['more']}\r\n"

        def refused(status, headers):
            with Caller(handset.port) as other:
                other.invite(headers=headers)
                other.expect(status)
                other.send(other.message("ACK"))

        # It rings: this side has not begun it.
        refused(481, replaces())
        handset.answer(first)
        for headers, status in (
                (replaces(call="another"), 481), (replaces(to="another"), 481), (replaces(**{"from": "another"}), 481),
                (replaces(more=";early-only"), 486), (f"Replaces: {first.call}\r\n", 400), (replaces() + replaces(), 400)):
            refused(status, headers)
        # Without a codec in common: the call goes on.
        with Caller(handset.port) as other:
            other.invite(headers=replaces(), body=other.description.replace("AVP 0", "AVP 99").replace(
                "rtpmap:0 PCMU", "rtpmap:99 none"))
            other.expect(488)
            other.send(other.message("ACK"))
        first.next_packet()
        with Caller(handset.port) as second:
            second.invite(headers="Require: replaces\r\n" + replaces())
            second.expect(200)
            second.acknowledge()
            first.expect_request("BYE")
            event = handset.wait_for(first.call, "replaced")
            assert event["by"] == second.call, event
            second.rtp.recv(2048)
            second.hang_up()
            handset.wait_for(first.call, "ended")
        assert handset.kinds(first.call) == ["ringing", "answered", "replaced", "ended"], handset.kinds(first.call)
        assert "ringing" not in [event.get("event") for event in handset.events if event.get("call") != first.call]
        handset.check_quiet()
        handset.check_rings()


def test_replaced_sound():
    """The caller that takes another one's place is heard, whatever its packets' numbers."""
    # Its packets were dropped as late: they were compared with the numbers of the caller before.
    with start("--call-pcm", "null", "--microphone-pcm", "null") as handset, Caller(handset.port) as first:
        port, _, _ = answered(handset, first)

        def speak(caller, port, source, sequence, count):
            # The handset's clock is the pace.
            for number in range(count):
                caller.rtp.recv(2048)
                caller.rtp.sendto(
                    struct.pack(">BBHII", 0x80, 0, sequence + number, number * 160, source) + bytes(160), ("127.0.0.1", port))

        speak(first, port, 1, 40000, 25)
        with Caller(handset.port) as second:
            second.invite(headers=f"Replaces: {first.call};to-tag={first.tag};from-tag=caller\r\n")
            reply = second.expect(200)
            second.acknowledge()
            first.expect_request("BYE")
            speak(second, int(re.search(r"^m=audio (\d+) ", reply, re.M)[1]), 2, 10000, 100)
            second.hang_up()
            ended = handset.wait_for(first.call, "ended")
        assert ended["heard"] > 1, ended
