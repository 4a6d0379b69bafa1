"""Run in the laboratory by ../test_pytest.py: of what a test leaves, the next one finds nothing."""

import os
import subprocess

import pytest

from ringer_lab.inputs import input_devices
from ringer_lab.lines import read_text

FOLDERS = ["/tmp", "/var/tmp", "/dev/shm", os.environ["TMPDIR"]]
LED = "/sys/class/leds/vibrator/brightness"


@pytest.fixture(scope="module")
def kept():
    """A file of more than one test."""
    with open("/tmp/kept", "w") as file:
        file.write("kept")


def inhibited():
    return input_devices()["ringer-keys"] + "/device/inhibited"


def test_leaves_a_line_that_is_held(lab):
    lab.line(8).set(1)
    lab.key("KEY_AGAIN").hold()
    lab.switch().set(1)
    lab.advance(0.1)


def test_has_lines_at_rest(lab):
    keys, switch = lab.input("ringer-keys"), lab.input("ring-silent-switch")
    lab.advance(0.1)
    assert (lab.line(8).value, lab.key("KEY_AGAIN").line.value, lab.switch().line.value) == (0, 0, 0)
    assert keys.events == switch.events == []
    lab.key("KEY_AGAIN").press()
    lab.advance(0.1)
    assert [event[3] for event in keys.events] == [1, 0]


def test_leaves_a_bias(lab):
    assert lab.firmware("gpioget", "--bias=pull-up", "gpiochip0", "8").wait() == 0
    assert lab.line(8).value == 1


def test_has_no_bias(lab):
    assert lab.line(8).value == 0


def test_leaves_a_led_on(lab):
    lab.firmware("sh", "-c", f"echo 1 >{LED}").wait()
    assert lab.led("vibrator").value == 1


def test_has_leds_that_are_off(lab):
    assert read_text(LED) == "0" and lab.led("vibrator").highs == []


def test_leaves_an_input_device_that_is_inhibited(lab):
    lab.firmware("sh", "-c", f"echo 1 >{inhibited()}").wait()


def test_has_input_devices_that_report(lab):
    keys = lab.input("ringer-keys")
    lab.key("KEY_AGAIN").press()
    lab.advance(0.1)
    assert read_text(inhibited()) == "0" and len(keys.events) == 2


def test_leaves_files(kept, lab, tmp_path):
    (tmp_path / "file").write_text("pytest's")
    for folder in FOLDERS:
        lab.firmware("sh", "-c", f"mkdir -p {folder}/left/below; echo 1 >{folder}/left/below/file; echo 2 >{folder}/left-too").wait()
        assert os.path.exists(f"{folder}/left/below/file")


def test_finds_those_of_a_fixture_alone(kept, lab, tmp_path):
    assert not [folder for folder in FOLDERS if {"left", "left-too"} & set(os.listdir(folder))]
    assert read_text("/tmp/kept") == "kept"
    assert read_text(next(str(path) for path in tmp_path.parent.glob("test_leaves_files*/file"))) == "pytest's"
    subprocess.run(["mkdir", "/tmp/left"], check=True)  # the folder can be made again
