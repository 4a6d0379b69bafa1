"""How soon a cancelled call is over, on real drivers: ringer-lab pytest --env HANDSET=VoIPHandset test_laboratory.py

The times are the design's, because computing takes none there.
"""

import glob
import os

import pytest

from handset import Caller

PORT = 5060
CALLS = 40


@pytest.fixture
def handset(lab):
    return lab.firmware(
        os.environ["HANDSET"], "--listen", f"127.0.0.1:{PORT}", "--board", "auto", "--json", ready="Listening", within=30)


def open_streams():
    """The PCMs for playback that are open, by the kernel's account."""
    statuses = {}
    for path in glob.glob("/proc/asound/card*/pcm*p/sub*/status"):
        with open(path, encoding="utf-8") as file:
            statuses[path] = file.read()
    return [path for path, text in statuses.items() if text.strip() != "closed"]


def cancelled(lab, seconds):
    """Rings for so long, and returns when the caller gave up."""
    with Caller(PORT) as caller:
        caller.invite()
        lab.advance(seconds)
        assert open_streams()
        at = lab.now
        caller.cancel()
        # The ring's PCM is closed by then.
        lab.advance(0.05)
        assert not open_streams(), (seconds, open_streams())
    lab.advance(1)
    return at


def test_the_motor_stops_within_20_ms_of_cancel_and_the_pcm_is_closed_within_50_ms(lab, handset):
    motor = lab.motor()
    # In all phases of the motor's pattern and of the kernel's tick.
    given_up = [cancelled(lab, 0.05 + number * 0.0113) for number in range(CALLS)]
    delays = []
    for at in given_up:
        delays += [end - at for start, end in motor.highs if start < at < end]
    assert len(delays) > CALLS / 2 and max(delays) < 0.02, (len(delays), sorted(delays)[-5:])
