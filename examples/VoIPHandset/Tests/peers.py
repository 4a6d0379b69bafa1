"""What other user agents send that is unusual and right: it is taken, or refused with the status that says why."""
import re

from common import start
from handset import Caller
from malformed import MULTIPART, multipart


def test_unusual():
    """A folded CSeq, a format without a clock rate, and a description that is a part of the body: the call rings."""
    with start() as handset:
        def rings(change=lambda message: message, **options):
            with Caller(handset.port) as caller:
                body = options.pop("body", lambda description: description)(caller.description)
                caller.send(change(caller.message("INVITE", body=body, **options)))
                answer = caller.expect(180)
                handset.wait_for(caller.call, "ringing")
                answer = handset.answer(caller)
                caller.rtp.recv(2048)
                caller.hang_up()
                handset.wait_for(caller.call, "ended")
                return answer

        rings(lambda message: message.replace(b"CSeq: 1 INVITE", b"CSeq: 1\r\n  INVITE"))
        answer = rings(body=lambda description: description + "m=video 3227 RTP/AVP 31\r\na=rtpmap:31 LPC\r\n")
        assert "\r\nm=video 0 " in answer, answer
        rings(body=multipart, kind=MULTIPART)
        rings(body=multipart, kind=MULTIPART.replace("mixed", "alternative"))
        handset.check_quiet()


def test_refusals():
    """What cannot be taken is refused with its own status and words."""
    with start() as handset, Caller(handset.port) as caller:
        caller.invite(body=multipart(caller.description, "text/html"), kind=MULTIPART)
        assert "Accept: application/sdp" in caller.expect(415)
        caller.send(caller.message("OPTIONS", number=5, branch=caller.branch + "-options", headers="Require: teleport\r\n"))
        assert re.search(r"^Unsupported: teleport\r$", caller.expect(420), re.M)
        with Caller(handset.port) as forked:
            forked.invite()
            forked.expect(180)
            handset.wait_for(forked.call, "ringing")
            # The same request by another way.
            forked.tag = None
            forked.invite(branch=forked.branch + "-2")
            assert forked.expect(482).startswith("SIP/2.0 482 Loop Detected\r\n")
            forked.cancel()
            handset.wait_for(forked.call, "cancelled")
            assert handset.kinds(forked.call) == ["ringing", "cancelled"]
        with Caller(handset.port) as other:
            other.invite()
            handset.wait_for(other.call, "ringing")
            handset.answer(other)
            # The reason used to be "No such file or directory".
            other.invite(number=2, branch=other.branch + "-2", body=other.description.replace("AVP 0", "AVP 99")
                         .replace("rtpmap:0 PCMU", "rtpmap:99 none"))
            assert other.expect(488).startswith("SIP/2.0 488 Not Acceptable Here\r\n")
            other.send(other.message("ACK", number=2, branch=other.branch + "-2"))
            other.rtp.recv(2048)
            other.send(other.message("BYE", number=3, branch=other.branch + "-bye"))
            other.expect(200)
            handset.wait_for(other.call, "ended")


def test_expires():
    """A caller that waits for so long alone gets 487 then; one that was answered in time is not cut off."""
    with start("--calls", "4") as handset, Caller(handset.port) as late, Caller(handset.port) as answered:
        answered.invite(headers="Expires: 4\r\n")
        handset.wait_for(answered.call, "ringing")
        handset.answer(answered)
        late.invite(headers="Expires: 4\r\n")
        late.expect(180)
        assert late.expect(487).startswith("SIP/2.0 487 Request Terminated\r\n")
        late.send(late.message("ACK"))
        handset.wait_for(late.call, "cancelled")
        answered.hang_up()
        handset.wait_for(answered.call, "ended")
        for unlimited in ("", "many", "-1", "4294967296"):
            with Caller(handset.port) as caller:
                caller.invite(headers=f"Expires: {unlimited}\r\n")
                handset.wait_for(caller.call, "ringing")
                caller.cancel()
                handset.wait_for(caller.call, "cancelled")
        handset.check_quiet()


def test_no_card():
    """Without a sound card a call goes on, and one line says so: alsa-lib used to write hundreds."""
    with start("--call-pcm", "hw:77", "--microphone-pcm", "hw:78") as handset, Caller(handset.port) as caller:
        caller.invite()
        handset.wait_for(caller.call, "ringing")
        handset.answer(caller)
        # The PCMs are tried again every 25 packets.
        for _ in range(100):
            caller.rtp.recv(2048)
        caller.hang_up()
        handset.wait_for(caller.call, "ended")
        assert len(handset.errors) == 2 and "Cannot open the PCM hw:77: No such" in handset.errors[1], handset.errors
