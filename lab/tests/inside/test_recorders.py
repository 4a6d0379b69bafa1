"""Run in the laboratory by ../test_pytest.py; those whose name begins with test_bad have to fail."""

import os
import subprocess
import time
import wave
from signal import SIGTERM

from pytest import approx, raises

from ringer_lab import LabError
from ringer_lab.lines import TRACING

SOUND = "/usr/share/sounds/alsa/Front_Center.wav"


def test_bad_the_speakers_recorder_stops(lab):
    lab.firmware("sh", "-c", "echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind; sleep 1").wait()
    # What the kernel took away comes back, for the other tests.
    lab.unplugged["snd_aloop.0"] = "/sys/bus/platform/drivers/snd_aloop"


def test_bad_the_edges_recorder_stops(lab):
    lab.firmware("sh", "-c", f"echo 0 >{TRACING}/tracing_on").wait()


def test_bad_the_edges_recorder_is_off_for_a_while(lab):
    switch = f"{TRACING}/tracing_on"
    lab.firmware("sh", "-c", f"echo 0 >{switch}; sleep 1; echo 1 >{switch}").wait()


def test_bad_edges_are_lost(lab):
    lab.firmware("sh", "-c", f"echo 4 >{TRACING}/buffer_size_kb").wait()
    lab.line(8).noise(pulses=2000)


def play(lab):
    assert lab.firmware("aplay", "-q", SOUND).wait() == 0


def test_a_speaker_that_was_plugged_in_again_is_heard(lab):
    play(lab)
    lab.unplug("snd_aloop.0")
    lab.advance(0.5)
    at = lab.plug("snd_aloop.0")
    play(lab)
    first, *_, last = lab.speaker.heard
    assert first.end < at < last.start


def test_bad_a_speaker_that_was_plugged_in_again_is_heard(lab):
    lab.unplug("snd_aloop.0")
    lab.plug("snd_aloop.0")
    play(lab)
    assert lab.speaker.heard == []


def test_bad_silence_equals_a_silent_file(lab, tmp_path):
    with wave.open(str(tmp_path / "silent.wav"), "wb") as file:
        file.setparams((1, 2, 48000, 0, "NONE", ""))
        file.writeframes(bytes(9600))
    assert not lab.speaker.differs(tmp_path / "silent.wav")


def test_bad_a_fixture_that_was_taken_late(request):
    lab = request.getfixturevalue("lab")
    lab.firmware("sh", "-c", "exit 3")
    lab.advance(1)


def test_bad_the_firmware_ends_early(lab):
    lab.firmware("sh", "-c", "echo going")
    lab.advance(1)


def test_bad_a_signal_after_the_end(lab):
    firmware = lab.firmware("true")
    firmware.wait()
    firmware.signal(SIGTERM)


def test_bad_nothing_was_heard(lab):
    lab.advance(1)
    assert lab.speaker.silent_since < lab.now


def test_bad_the_firmware_dies(lab):
    lab.firmware("sh", "-c", "echo going; exit 3")
    lab.advance(1)


def test_bad_the_firmware_ignores_sigterm(lab):
    lab.firmware("sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done", ready="up")


def test_bad_the_firmware_is_not_ready(lab):
    lab.firmware("sh", "-c", "echo going; exec sleep 100", ready="ready")


def test_a_pulse_of_an_led(lab):
    lab.firmware("sh", "-c", "cd /sys/class/leds/vibrator; echo 1 >brightness; sleep 0.3; echo 0 >brightness").wait()
    assert lab.led("vibrator").pulses == approx([0.3], abs=0.001)
    assert [level for _, level in lab.line(4).edges] == [1, 0]


def test_a_line_falls_when_its_user_has_gone(lab):
    lab.firmware("gpioset", "--mode=time", "--usec=250000", "gpiochip0", "3=1").wait()
    assert lab.line("vibrator").pulses == approx([0.25], abs=0.001)


def test_the_motor(lab):
    rumble = (
        "import fcntl, os, struct, time; f = os.open(%r, os.O_RDWR); b = bytearray(struct.pack("
        "'HhHHHHHxxHH28x', 0x50, -1, 0, 0, 0, 400, 0, 65535, 65535)); fcntl.ioctl(f, 0x40304580, b); "
        "os.write(f, struct.pack('qqHHi', 0, 0, 0x15, struct.unpack_from('h', b, 2)[0], 1)); time.sleep(1)"
    )
    path = next(
        f"/dev/input/{name}"
        for name in os.listdir("/sys/class/input")
        if name.startswith("event") and open(f"/sys/class/input/{name}/device/name").read().strip() == "gpio-vibrator"
    )
    assert lab.firmware("python3", "-c", rumble % path).wait() == 0
    # The kernel's timers tick at 100 Hz.
    assert lab.motor().pulses == approx([0.4], abs=0.021)


def test_what_a_hand_does_is_reported(lab):
    keys, switch = lab.input("ringer-keys"), lab.input("ring-silent-switch")
    pressed = lab.key("KEY_AGAIN").press(0.2)
    flipped = lab.switch().bounce(1)
    lab.advance(0.5)
    assert [event[1:] for event in keys.events] == [(1, 129, 1), (1, 129, 0)]
    assert keys.events[0][0] - pressed < 0.05
    assert [event[1:] for event in switch.events] == [(5, 14, 1)]
    assert 0.01 <= switch.events[0][0] - flipped < 0.05


def test_the_slider_and_the_jack(lab):
    slider, jack = lab.input("sound-profile-slider"), lab.input("headphone-jack")
    for position in (1, 0, 2):
        lab.slider().set(position)
        lab.advance(0.2)
    lab.jack().insert()
    lab.advance(0.5)
    assert [event[3] for event in slider.events if event[2] == 0x22][-3:] == [1, 0, 2]
    assert [event[1:] for event in jack.events] == [(5, 2, 1)]


def test_edges_of_a_bouncing_line_come_one_by_one(lab):
    watcher = lab.firmware("gpiomon", "-F", "%e", "gpiochip0", "8")
    lab.advance(0.1)
    lab.line(8).bounce(1, times=5)
    lab.advance(0.1)
    assert watcher.output.split() == ["1", "0"] * 5 + ["1"]
    assert len(lab.line(8).edges) == 11


def test_an_output_cannot_be_set(lab):
    lab.firmware("gpioset", "--mode=signal", "gpiochip0", "9=1")
    lab.advance(0.1)
    with raises(LabError, match="output of gpioset"):
        lab.line(9).set(0)


def test_the_end_of_a_sound_that_is_cut(lab):
    player = lab.firmware("speaker-test", "-t", "sine", "-f", "500", "-c", "1", "-r", "48000", "-b", "100000")
    lab.advance(0.5)
    at = player.signal(SIGTERM)
    lab.advance(1)
    player.wait()
    assert abs(lab.speaker.silent_since - at) < 0.05
    assert lab.speaker.heard[0].frequency == approx(500, abs=1)


def test_virtual_time_is_exact(lab):
    before = time.monotonic()
    subprocess.run(["sleep", "3600"], check=True)
    assert time.monotonic() - before == approx(3600, abs=0.001)


def test_the_board_is_at_rest_again(lab):
    assert lab.line(8).value == 0 and lab.switch().line.value == 0
