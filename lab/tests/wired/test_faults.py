"""Run by ../test_bench.py at the doorbell's bench: those whose name begins with test_bad have to fail, for the bench alone."""

import os
import signal

import pytest

from ringer_lab import LabError


@pytest.fixture
def doorbell(lab):
    return lab.firmware(os.environ["DOORBELL"], ready="ready")


def flip(lab, times=2):
    for number in range(times):
        lab.line("MUTE_SW").set((number + 1) % 2)
        lab.advance(1)


def test_good(lab, doorbell):
    flip(lab)
    at = lab.key("KEY_PROG1").press()
    lab.advance(2.5)
    (tone,) = lab.speaker.heard
    assert 0 <= tone.start - at < 0.1
    assert len(lab.line("MOTOR_EN").edges) == 2
    # What the wires take is no part of the bench's: an edge counts from the kernel's time stamp, in virtual time to less than 1 ms.
    delays = [heard - at for (at, *_), (heard, _) in zip(lab.line("MUTE_SW").orders, lab.line("MUTE_SW").edges, strict=True)]
    least, most = (0.0022, 0.0032) if os.environ["RINGER_LAB_TIME"] == "virtual" else (0.005, 0.005 + lab.board.tolerance)
    assert len(delays) == 2 and all(least <= delay < most for delay in delays)


def test_bad_a_set_edge_is_dropped(lab, doorbell, fault):
    fault("drop MUTE_SW")
    flip(lab)


def test_bad_a_set_edge_is_dropped_and_the_test_fails_of_it(lab, doorbell, fault):
    fault("drop MUTE_SW")
    flip(lab)
    assert lab.line("MUTE_SW").value == 0


def test_bad_a_heard_edge_is_dropped(lab, doorbell, fault):
    fault("drop MOTOR_EN")
    flip(lab)


def test_bad_an_edge_is_delayed(lab, doorbell, fault):
    fault("delay MUTE_SW")
    flip(lab)


def test_bad_an_edge_bounces(lab, doorbell, fault):
    fault("bounce MOTOR_EN")
    flip(lab)


@pytest.fixture
def broken(fault):
    fault("break MOTOR_EN")


def test_bad_a_wire_is_broken(broken, lab):
    assert lab.line("MOTOR_EN").pulses == []


def test_bad_a_wire_breaks(lab, doorbell, fault):
    fault("break MOTOR_EN")
    lab.advance(1)


def test_bad_sound_is_lost(lab, doorbell, fault):
    lab.key("KEY_PROG1").press()
    lab.advance(1)
    fault("underrun")
    lab.advance(1)


def test_bad_sound_stops(lab, doorbell, fault):
    fault("stall")
    lab.advance(1)


def test_bad_the_capture_overruns(lab):
    with lab.speaker.lock:
        lab.advance(3)


def test_bad_edges_are_lost(lab):
    for _ in range(600):
        lab.line("MUTE_SW")._set(1)
        lab.line("MUTE_SW")._set(0)
    lab.advance(3)


def test_bad_the_power_is_cut(lab, doorbell, fault):
    lab.advance(1)
    fault("power")
    lab.advance(1)


def test_bad_the_connection_is_cut(lab, doorbell):
    os.killpg(doorbell.process.pid, signal.SIGKILL)
    with pytest.raises(LabError, match="bench doorbell: the connection to the device ended before doorbell"):
        doorbell.wait()


def test_bad_firmware_dies(lab, doorbell):
    doorbell.kill(signal.SIGSEGV)
    lab.advance(1)


def test_lacks_a_jack(lab):
    lab.jack().insert()


def test_lacks_a_recorder(lab):
    assert lab.input("button").events == []
