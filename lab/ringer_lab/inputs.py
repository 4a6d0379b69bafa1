"""What a hand does to the board: keys, switches, jacks, sliders. Their lines are found in the device tree."""

import contextlib
import fcntl
import functools
import glob
import os
import re
import struct
import time

from ringer_lab import LabError
from ringer_lab.lines import read_text

# Source: linux/input.h.
EVIOCSCLOCKID, EV_SYN, SYN_DROPPED = 0x400445A0, 0, 3
EVENT = struct.Struct("qqHHi")


@functools.cache
def codes():
    """The kernel's names of keys, switches and axes, and their numbers."""
    with open(os.environ["RINGER_LAB_CODES"], encoding="utf-8") as file:
        found = re.findall(r"^#define ((?:KEY|BTN|SW|ABS)_\w+)\s+(0x[0-9a-fA-F]+|\d+)", file.read(), re.MULTILINE)
    return {name: int(number, 0) for name, number in found} | {"ABS_SND_PROFILE": 0x22}


def code(name):
    if isinstance(name, int):
        return name
    if name not in codes():
        raise LabError(f"the kernel has no key, switch or axis {name}")
    return codes()[name]


class Key:
    def __init__(self, line):
        self.line = line

    def press(self, duration=0.05):
        """Presses the key for that time, and returns when it was pressed."""
        at = self.line.set(1)
        time.sleep(duration)
        self.line._set(0)
        return at

    def hold(self):
        return self.line.set(1)

    def release(self):
        return self.line.set(0)


class Switch:
    def __init__(self, line):
        self.line = line

    def set(self, on):
        return self.line.set(on)

    def bounce(self, on, times=5, within=0.004):
        return self.line.bounce(on, times, within)


class Jack(Switch):
    def insert(self):
        return self.line.set(1)

    def remove(self):
        return self.line.set(0)


class Slider:
    """A slider of which one line is active at each position."""

    def __init__(self, lines):
        self.lines = lines

    def set(self, value):
        if value not in self.lines:
            raise LabError(f"the slider has the positions {sorted(self.lines)}, not {value}")
        lab = next(iter(self.lines.values())).lab
        lab.before_event()
        at = time.monotonic()
        for position, line in sorted(self.lines.items(), key=lambda item: item[0] == value):
            line._set(position == value)
        return at


class InputRecorder:
    """What one input device reports from now on: [(time, type, code, value)], without the marks between reports."""

    def __init__(self, name):
        self.name, self.file, self.reports, self.problem = name, None, [], None
        self.is_closed = False
        if not self.open():
            raise LabError(f"no input device is called {name}; there are: {', '.join(sorted(input_devices()))}")

    def open(self):
        """Whether the device is there."""
        if device := input_devices().get(self.name):
            self.device = device
            self.file = os.open(f"/dev/input/{os.path.basename(device)}", os.O_RDONLY | os.O_NONBLOCK)
            # Whoever opens it first gets its state, which the choice of a clock would drop.
            self.read(time.monotonic())
            fcntl.ioctl(self.file, EVIOCSCLOCKID, struct.pack("i", time.CLOCK_MONOTONIC))
        return self.file is not None

    def drain(self):
        """Takes what the device has reported until now."""
        try:
            if not self.is_closed and (self.file is not None or self.open()):
                self.read()
        except OSError as error:
            self.problem = f"the recorder of {self.name} stopped: {error.strerror}"

    def read(self, at=None):
        """Takes what the device has reported to this recorder, at the kernel's times unless another is given."""
        with contextlib.suppress(BlockingIOError):
            while self.problem is None:
                data = os.read(self.file, 64 * EVENT.size)
                for seconds, micros, kind, number, value in EVENT.iter_unpack(data):
                    if kind == EV_SYN and number == SYN_DROPPED:
                        self.problem = f"the recorder of {self.name} lost events: call advance() more often"
                    elif kind != EV_SYN:
                        self.reports.append((at or seconds + micros / 1e6, kind, number, value))

    def let_go(self):
        """Waits for the device to come back, if it has just been unplugged."""
        if self.file is not None and self.problem is None and not os.path.exists(self.device):
            os.close(self.file)
            self.file = None

    @property
    def events(self):
        self.drain()
        if self.problem:
            raise LabError(self.problem)
        return list(self.reports)

    def close(self):
        self.is_closed = True
        if self.file is not None:
            os.close(self.file)


def input_devices():
    """The folders of input devices by their names."""
    folders = sorted(glob.glob("/sys/class/input/event*"), reverse=True)  # of two with one name, the first
    return {read_text(f"{folder}/device/name"): folder for folder in folders}
