"""A test of labgrid, in the laboratory: the console is labgrid's, lines, keys and sound are those of `lab`.

    pip install labgrid
    ringer-lab pytest --bare --overlay doorbell.dtso test_labgrid.py -- --lg-env labgrid.yaml
"""

import pytest


@pytest.fixture
def console(lab, target):
    driver = target.get_driver("ConsoleProtocol")
    driver.expect("ready", timeout=10)
    yield driver
    target.deactivate(driver)


def test_a_ring_is_reported_and_heard(lab, console):
    at = lab.key("KEY_PROG1").press()
    console.expect("ring, audible", timeout=1)
    lab.advance(3)
    (tone,) = lab.speaker.heard
    assert tone.start - at < 0.1


def test_a_ring_while_muted_turns_the_motor(lab, console):
    lab.line("MUTE_SW").set(1)
    console.expect("muted", timeout=1)
    lab.key("KEY_PROG1").press()
    console.expect("ring, muted", timeout=1)
    lab.advance(1)
    assert lab.line("MOTOR_EN").pulses[-1] > 0.39
    assert lab.speaker.heard == []
