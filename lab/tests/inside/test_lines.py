"""Run in the laboratory by ../test_pytest.py: a line that the test holds, whatever the firmware requests."""

import pytest
from pytest import raises

from ringer_lab import LabError


def get(lab, line, bias):
    """What a firmware reads that requests the line with this bias."""
    firmware = lab.firmware("gpioget", f"--bias={bias}", "gpiochip0", line)
    assert firmware.wait() == 0
    return int(firmware.output)


@pytest.mark.parametrize("bias, level", [("pull-up", 0), ("pull-down", 1), ("as-is", 0), ("as-is", 1), ("disable", 1)])
def test_a_line_that_is_held_keeps_its_level_whatever_its_bias(lab, bias, level):
    line = lab.line(8)
    line.set(level)
    assert (get(lab, 8, bias), line.value) == (level, level)
    assert [to for _, to in line.edges] == [1] * level


def test_a_contact_to_ground_wins_over_a_pull_up_while_the_line_is_requested(lab):
    line = lab.line(8)
    line.set(0)
    watcher = lab.firmware("gpiomon", "--bias=pull-up", "-F", "%e", "gpiochip0", 8)
    lab.advance(0.1)
    assert line.value == 0
    opened = line.release()
    lab.advance(0.1)
    line.set(0)
    lab.advance(0.1)
    assert watcher.output.split() == ["1", "0"]
    assert [to for _, to in line.edges] == [1, 0] and 0 <= line.edges[0][0] - opened < 0.001


def test_an_open_line_follows_the_bias(lab):
    line = lab.line(8)
    assert [(get(lab, 8, f"pull-{bias}"), line.value) for bias in ("up", "down", "up")] == [(1, 1), (0, 0), (1, 1)]
    line.set(0)
    assert get(lab, 8, "pull-up") == 0
    line.release()
    assert (line.value, get(lab, 8, "as-is")) == (1, 1)


def test_an_output_does_not_change_a_line_that_is_held(lab):
    line = lab.line(8)
    line.set(1)
    for setting in ("8=0", "8=1", "8=0"):
        lab.firmware("gpioset", "--mode=time", "--usec=100000", "gpiochip0", setting).wait()
        assert line.value == 1
    assert [to for _, to in line.edges] == [1]
    # Several lines of one request.
    lab.firmware("gpioset", "--mode=signal", "gpiochip0", "8=0", "9=1")
    lab.advance(0.1)
    assert (line.value, lab.line(9).value) == (1, 1)
    with raises(LabError, match="output of gpioset"):
        line.release()


def test_it_is_free_again(lab):
    lab.firmware("gpioset", "--mode=time", "--usec=100000", "gpiochip0", "8=1").wait()
    assert lab.line(8).pulses == pytest.approx([0.1], abs=0.001)


def test_a_key_that_is_held_stays_pressed_while_its_driver_asks_for_its_pull(lab):
    lab.key("KEY_AGAIN").hold()
    lab.unplug("ringer-keys")
    lab.plug("ringer-keys")
    assert lab.key("KEY_AGAIN").line.value == 1
