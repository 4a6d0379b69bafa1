"""The doorbell in C: ringer-lab pytest --bare --overlay doorbell.dtso --env DOORBELL=./doorbell test_doorbell.py"""

import os
from signal import SIGUSR1

import pytest
from pytest import approx

RISE = 0.03  # from the order to the first frame: what the doorbell and the sound card hold, in ticks of 10 ms


@pytest.fixture
def doorbell(lab):
    return lab.firmware(os.environ["DOORBELL"], ready="ready")


def test_rings(lab, doorbell):
    at = lab.key("KEY_PROG1").press()
    lab.advance(3)
    (tone,) = lab.speaker.heard
    assert tone.start - at < RISE + 0.05 + lab.board.tolerance
    assert tone.end - tone.start == approx(2, abs=0.001 + lab.board.tolerance)
    assert tone.frequency == approx(1000, abs=1)
    assert tone.peak == approx(16000 / 32768, abs=0.001)
    assert lab.line("MOTOR_EN").pulses == []


def test_a_flip_silences_the_tone(lab, doorbell):
    doorbell.signal(SIGUSR1)
    lab.advance(0.5)
    at = lab.line("MUTE_SW").set(1)
    lab.advance(1)
    assert lab.speaker.silent_since - at < 0.05 + lab.board.tolerance
    assert len(lab.line("MOTOR_EN").pulses) == 1


def test_the_motor_turns_for_400_ms(lab, doorbell):
    lab.line("MUTE_SW").set(1)
    lab.advance(1)
    doorbell.signal(SIGUSR1)
    lab.advance(1)
    *_, last = lab.line("MOTOR_EN").pulses
    assert last == approx(0.4, abs=0.001 + lab.board.tolerance)
    assert lab.speaker.heard == []


def test_a_bouncing_switch_is_flipped_once(lab, doorbell):
    lab.line("MUTE_SW").bounce(1)
    lab.advance(1)
    assert len(lab.line("MOTOR_EN").pulses) <= 1
    assert doorbell.output.count("muted") == 1


def test_noise_on_the_switch_is_no_flip(lab, doorbell):
    doorbell.signal(SIGUSR1)
    lab.advance(0.5)
    lab.line("MUTE_SW").noise(width=0.00005)
    lab.advance(2)
    (tone,) = lab.speaker.heard
    assert tone.end - tone.start == approx(2, abs=0.001 + lab.board.tolerance)


def test_an_unplugged_switch_is_survived_and_counts_as_mute(lab, doorbell):
    lab.unplug("expander")
    lab.advance(0.1)
    doorbell.signal(SIGUSR1)
    lab.advance(1)
    assert lab.speaker.heard == []
    assert lab.line("MOTOR_EN").pulses != []
    lab.plug("expander")
    doorbell.signal(SIGUSR1)
    lab.advance(3)
    assert len(lab.speaker.heard) == 1
