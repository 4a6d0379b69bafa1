"""Who may ring, and by which ring: known callers, strangers, and Alert-Info."""
import os
import re
import tempfile
import wave

from common import last_events, sipp, start
from handset import Caller


def reasons(handset):
    """Why calls were refused, with the caller of each."""
    return [(event["reason"], event["from"]) for event in list(handset.events) if event.get("event") == "refused"]


def test_known_callers():
    """A caller that is known by its name or address rings; others get 403, which is reported with their names."""
    with start("--allow", "caller@127.0.0.1") as handset:
        handset.check_rings()
        with Caller(handset.port, name="mallory") as stranger:
            stranger.invite()
            stranger.expect(403)
            stranger.send(stranger.message("ACK"))
            assert handset.wait_for(stranger.call, "refused")["reason"] == "403 Forbidden"
            assert reasons(handset) == [("403 Forbidden", f"sip:mallory@127.0.0.1:{stranger.local}")]
        handset.check_rings("tcp")
    with start("--allow", "127.0.0.0/8") as handset:
        handset.check_rings()
    with start("--allow", "192.0.2.0/24") as handset, Caller(handset.port) as stranger:
        stranger.invite()
        stranger.expect(403)


def test_strangers():
    """Of 50 strangers two ring; the others get 480 and a time to try again. A known caller rings all the same."""
    with start("--allow", "caller@127.0.0.1", "--strangers", "2/3600", "--calls", "16") as handset:
        sipp("stranger", handset, "-m", "50", "-r", "100")
        handset.wait(lambda: len(reasons(handset)) == 48, "48 are refused")
        assert {reason for reason, _ in reasons(handset)} == {"480 Temporarily Unavailable"}
        handset.wait(lambda: list(last_events(handset).values()).count("cancelled") == 2, "two rang until they gave up")
        handset.check_quiet()
        handset.check_rings()
        with Caller(handset.port, name="mallory") as stranger:
            stranger.invite()
            found = re.search(r"^Retry-After: (\d+)\r$", stranger.expect(480), re.M)
            assert found and 0 < int(found[1]) <= 3601, found


def test_alert_info():
    """Alert-Info chooses a predefined sound or a configured ring by its name; anything else the default ring."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "family.wav")
        with wave.open(path, "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", None))
            file.writeframes(bytes(8000))
        with start("--ring", f"family={path}", "--calls", "4") as handset:
            for value, ring in (("<family>", "family"), ("<http://192.0.2.1/x.wav>;info=Tock", "Tock"), ("alarm", "alarm"),
                                ("<file:///etc/passwd>", None), ("/usr/share/sounds/alsa/Front_Center.wav", None),
                                ("<http://192.0.2.1/x.wav>", None), ("<" + "a" * 3000 + ">", None), (";;;<<", None)):
                with Caller(handset.port) as caller:
                    caller.invite(headers=f"Alert-Info: {value}\r\n")
                    event = handset.wait_for(caller.call, "ringing")
                    assert event["sound"] and event.get("ring") == ring, (value, event)
                    caller.cancel()
                    handset.wait_for(caller.call, "cancelled")
            sipp("alert", handset, "-m", "3", "-r", "100")
            handset.wait(lambda: [event.get("ring") for event in handset.events].count("Tock") == 4, "sipp's three calls")
            handset.check_quiet()
