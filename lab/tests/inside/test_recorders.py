"""Run in the laboratory by ../test_pytest.py; those whose name begins with test_bad have to fail."""

import math
import os
import signal
import subprocess
import sys
import time
import wave
from signal import SIGTERM

import pytest
from pytest import approx, raises

from ringer_lab import LabError
from ringer_lab.inputs import input_devices
from ringer_lab.lines import TRACING, write_text

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


@pytest.mark.parametrize(
    "setting",
    ["0 >tracing_on", "1 >set_event_pid", "nocontext-info >trace_options", "gpio==0 >events/gpio/filter", "mark >trace_marker"],
)
def test_edges_are_recorded_whatever_the_firmware_traces(lab, setting):
    lab.firmware("sh", "-c", f"cd /sys/kernel/tracing; echo {setting}").wait()
    lab.line(8).set(1)
    assert [level for _, level in lab.line(8).edges] == [1]


def test_another_process_has_no_laboratory(lab):
    lab.line(8).set(1)
    other = lab.firmware("python3", "-c", "from ringer_lab.lab import Lab; Lab()")
    assert other.wait() == 1 and "another process has the one laboratory" in other.output
    assert [level for _, level in lab.line(8).edges] == [1]


def test_bad_edges_are_lost(lab):
    lab.firmware("sh", "-c", f"echo 4 >{TRACING}/buffer_size_kb").wait()
    lab.line(8).noise(pulses=1000)


def test_bad_the_recorder_of_an_input_device_stops(lab):
    switch = lab.input("ring-silent-switch")
    driver = "/sys/bus/platform/drivers/gpio-keys"
    lab.firmware("sh", "-c", f"cd {driver}; echo ring-silent-switch >unbind; sleep 1; echo ring-silent-switch >bind").wait()
    lab.switch().set(1)
    lab.advance(0.1)
    with raises(LabError, match="stopped"):
        assert switch.events == []


def test_an_input_device_that_was_plugged_in_again_is_recorded(lab):
    keys = lab.input("ringer-keys")
    lab.key("KEY_AGAIN").press(0.1)
    lab.advance(0.1)
    lab.unplug("ringer-keys")
    lab.key("KEY_AGAIN").press(0.1)
    lab.plug("ringer-keys")
    lab.advance(0.1)
    lab.key("KEY_MUTE").press(0.1)
    lab.advance(0.1)
    assert [event[1:] for event in keys.events] == [(1, 129, 1), (1, 129, 0), (1, 113, 1), (1, 113, 0)]


def test_the_state_of_an_input_device_that_was_plugged_in_again_is_recorded(lab):
    # Nobody else has the device open: it reports its state to the recorder, which lost that.
    switch = lab.input("ring-silent-switch")
    lab.switch().set(1)
    lab.advance(0.1)
    lab.unplug("ring-silent-switch")
    at = lab.plug("ring-silent-switch")
    lab.switch().set(0)
    lab.advance(0.1)
    assert [event[1:] for event in switch.events] == [(5, 14, 1), (5, 14, 1), (5, 14, 0)]
    assert 0 <= switch.events[1][0] - at < 0.01


def test_more_events_than_the_kernel_keeps_are_recorded(lab):
    keys = lab.input("ringer-keys")
    for _ in range(100):
        lab.key("KEY_AGAIN").press(0.02)
        lab.advance(0.02)
    assert len(keys.events) == 200


RUMBLE = (
    "import fcntl, os, struct, time; f = os.open(%r, os.O_RDWR); b = bytearray(struct.pack("
    "'HhHHHHHxxHH28x', 0x50, -1, 0, 0, 0, 400, 0, 65535, 65535)); fcntl.ioctl(f, 0x40304580, b); "
    "os.write(f, struct.pack('qqHHi', 0, 0, 0x15, struct.unpack_from('h', b, 2)[0], 1)); print('on', flush=True); "
    "time.sleep(1)"
)


def rumble():
    """The words of a program that turns the motor for 400 ms."""
    device = next(path for name, path in input_devices().items() if name == "gpio-vibrator")
    return [sys.executable, "-c", RUMBLE % f"/dev/input/{os.path.basename(device)}"]


@pytest.fixture
def set_before():
    """The motor turns, and lines are driven and pulled, before the laboratory begins."""
    pull = "/sys/devices/platform/gpio-sim/gpiochip0/sim_gpio11/pull"
    write_text(pull, "pull-up")
    lines = subprocess.Popen(["gpioset", "--mode=signal", "gpiochip0", "3=1", "9=1", "10=0"])
    motor = subprocess.Popen(rumble(), stdout=subprocess.PIPE)
    motor.stdout.readline()
    turns_since = time.monotonic()
    time.sleep(0.1)
    yield turns_since
    for program in (lines, motor):
        program.kill()
        program.wait()
    motor.stdout.close()
    write_text(pull, "pull-down")


def test_lines_that_were_set_before_have_no_edges(set_before, lab):
    lab.advance(0.1)
    motor, high = lab.motor(), [(lab.start, math.inf)]
    assert (motor.edges, motor.highs) == ([], high)
    for line, highs in {"vibrator": high, 9: high, 11: high, 10: [], 8: []}.items():
        assert (lab.line(line).edges, lab.line(line).highs) == ([], highs), line
    lab.advance(0.5)
    ((at, level),) = motor.edges
    assert level == 0 and at - set_before == approx(0.4, abs=0.021)


def test_a_line_that_is_set_to_the_level_that_it_has_has_no_edge(lab):
    lab.firmware("gpioset", "--mode=signal", "gpiochip0", "9=0", "3=0")
    lab.advance(0.1)
    for line in ("vibrator", 9):
        assert (lab.line(line).edges, lab.line(line).pulses) == ([], [])


def play(lab):
    assert lab.firmware("aplay", "-q", SOUND).wait() == 0


@pytest.mark.parametrize("pcm", ["default", "hw:0", "hw:1", "hw:1,0,1", "hw:1,0,7", "hw:1,1", "hw:1,1,1"])
def test_no_sound_is_played_unheard(lab, pcm):
    player = ["aplay", "-q", "-D", pcm.replace("hw", "plughw"), SOUND]
    status = lab.firmware(*player).wait()
    assert bool(lab.speaker.heard) == (status == 0) == (pcm in ("default", "hw:1"))
    if status:
        lab.unplug("snd_aloop.0")
        lab.plug("snd_aloop.0")
        assert lab.firmware(*player).wait() == status


def test_no_second_sound_is_played_unheard(lab):
    first = lab.firmware("aplay", "-q", "-D", "plughw:1", SOUND)
    lab.advance(0.1)
    second = lab.firmware("aplay", "-q", "-N", "-D", "plughw:1", SOUND)
    assert (first.wait(), second.wait()) == (0, 1) and "busy" in second.output


def test_a_sound_card_that_a_program_keeps_open_is_unplugged(lab):
    holder = lab.firmware("sh", "-c", "exec 3>/dev/snd/pcmC1D0p; echo open; sleep 100; :", ready="open")
    at = lab.unplug("snd_aloop.0")
    assert lab.now - at < 0.1 and not os.path.exists("/dev/snd/pcmC1D0p")
    with raises(LabError, match="sh, sleep has it open"):
        lab.plug("snd_aloop.0")
    with raises(LabError, match="no device snd_aloop.0 is plugged in"):
        lab.unplug("snd_aloop.0")
    holder.signal(SIGTERM)
    assert holder.wait() == -SIGTERM  # but sleep goes on, with what it has open


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


def test_both_sides_of_a_short_silence_are_measured(lab, tmp_path):
    # A silence that is shorter than 20 ms is part of a sound; it may come in one piece from the card.
    path = str(tmp_path / "two.wav")
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 48000, 0, "NONE", ""))
        for level, frames in ((1000, 4800), (0, 950), (20000, 4800)):
            file.writeframes(level.to_bytes(2, "little") * frames)
    player = lab.firmware("aplay", "-q", path)
    for _ in range(200):
        lab.advance(0.002)
        lab.speaker.checked()
    assert player.wait() == 0
    ((_, _, peak, _),) = lab.speaker.heard
    assert peak == approx(20000 / 32768, abs=0.001)


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


def test_a_wait_begins_behind_the_line_that_the_last_one_found(lab):
    bell = lab.firmware("sh", "-c", "while read x; do echo ring; done")
    bell.input("\n")
    first = bell.wait_for("ring")
    with raises(AssertionError, match="did not say 'ring'"):
        bell.wait_for("ring", within=1)
    bell.input("\n")
    assert bell.wait_for("ring") > first + 1


def test_all_of_a_long_input_is_written(lab):
    # A signal that Python handles ends a write in the middle.
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    counter = lab.firmware("sh", "-c", "sleep 0.2; head -c 200000 | wc -c")
    counter.input("x" * 200_000)
    signal.signal(signal.SIGALRM, before)
    assert counter.wait(1) == 0 and counter.output == "200000"


def test_the_words_of_a_command_and_the_name_of_a_signal(lab):
    sleeper = lab.firmware("sh", "-c", 'trap "exit $NUMBER" USR1; echo up; sleep $0 & wait', 100, env={"NUMBER": 5}, ready="up")
    with raises(LabError, match="no signal SIGNONE"):
        sleeper.signal("SIGNONE")
    sleeper.signal("SIGUSR1")
    assert sleeper.wait() == 5
    for words in ([], [["sh", "-c", "true"]], [None]):
        with raises(LabError, match="one by one"):
            lab.firmware(*words)


def test_the_firmware_in_python_prints_as_elsewhere(lab):
    printer = lab.firmware("sh", "-c", "python3 -c 'import time; print(1); time.sleep(9)' | cat", ready="1")
    assert printer.lines[0][0] - printer.started_at > 9
    assert printer.wait() == 0


@pytest.fixture
def does_more_afterwards(lab):
    yield
    for late in (lambda: lab.line(8).set(1), lambda: lab.firmware("true")):
        with raises(LabError, match="has ended"):
            late()
    lab.advance(0.1)


def test_nothing_happens_after_the_test(lab, does_more_afterwards):
    lab.input("ringer-keys")


def test_a_mistaken_name_or_level(lab):
    for mistake in (lambda: lab.line(""), lambda: lab.line(8).set("0"), lambda: lab.line(8).bounce(2), lambda: lab.led(None)):
        with raises(LabError):
            mistake()
    assert lab.line(8).edges == []


def test_bad_nothing_was_heard(lab):
    lab.advance(1)
    assert lab.speaker.silent_since < lab.now


def test_bad_the_firmware_dies(lab):
    lab.firmware("sh", "-c", "echo going; exit 3")
    lab.advance(1)


def test_bad_a_signal_without_a_name(lab):
    lab.firmware("sh", "-c", "kill -40 $$")
    lab.advance(1)


async def test_that_nobody_awaits(lab):
    assert False


def test_bad_a_device_that_was_not_unplugged(lab):
    lab.plug("gpio-sim")


def test_bad_a_datagram_without_a_socket(lab):
    lab.firmware("sleep", "10").datagram("/run/tmp/nonesuch", "call")


def test_bad_a_file_that_is_no_sound(lab):
    play(lab)
    lab.speaker.differs(__file__)


def test_a_firmware_that_goes_into_the_background(lab):
    lab.firmware("sh", "-c", "setsid sleep 1000 & exit 0").wait()


def test_it_is_gone_in_the_next_test(lab):
    assert lab.firmware("pgrep", "-x", "sleep").wait() == 1


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
    assert lab.firmware(*rumble()).wait() == 0
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
