"""The chime in Python, on Ringer's own parts: ringer-lab pytest test_chime.py"""

import array
import math
import os
import wave
from signal import SIGUSR1

import pytest
from pytest import approx

RATE = 48000


@pytest.fixture
def sound(tmp_path):
    path = tmp_path / "chime.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(array.array("h", (1 + round(9000 * math.sin(frame / 20)) for frame in range(RATE))))
    return path


@pytest.fixture
def chime(lab, sound):
    here = os.path.dirname(os.path.abspath(__file__))
    return lab.firmware("python3", f"{here}/chime.py", str(sound), ready="ready")


def test_the_file_is_heard_sample_for_sample(lab, chime, sound):
    chime.signal(SIGUSR1)
    lab.advance(2)
    assert not lab.speaker.differs(sound)
    (light,) = lab.led("green:status").pulses
    assert light == approx(1, abs=0.1)


def test_a_flip_silences_it(lab, chime):
    chime.signal(SIGUSR1)
    lab.advance(0.5)
    at = lab.switch("SW_MUTE_DEVICE").set(1)
    lab.advance(1)
    assert lab.speaker.silent_since - at < 0.1


def test_it_is_silent_while_muted(lab, chime):
    lab.switch("SW_MUTE_DEVICE").set(1)
    lab.advance(0.1)
    chime.signal(SIGUSR1)
    lab.advance(2)
    assert lab.speaker.heard == []
    assert lab.led("green:status").pulses == []


def test_aplay_knows_nothing_of_the_switch(lab, sound):
    lab.switch("SW_MUTE_DEVICE").set(1)
    lab.advance(0.1)
    assert lab.firmware("aplay", "-q", str(sound)).wait() == 0
    assert not lab.speaker.differs(sound)
