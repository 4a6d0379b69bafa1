"""The lines of the simulated GPIO chips, and the kernel's record of their edges."""

import ctypes
import errno
import fcntl
import glob
import math
import os
import random
import re
import struct
import time

from ringer_lab import LabError, devicetree

# An instance of its own, made before the first firmware runs: what that traces, and how, does not change what is recorded.
TRACING = "/sys/kernel/tracing/instances/ringer-lab"
EVENT = f"{TRACING}/events/gpio/gpio_value"
# What is written to one of these changes what is recorded.
SETTINGS = ["tracing_on", "trace", "trace_clock", "set_event", "events/enable", "events/gpio/enable"]
SETTINGS += [f"events/gpio/gpio_value/{name}" for name in ("enable", "filter")]
IN_MODIFY = 2  # linux/inotify.h
# Source: linux/gpio.h. struct gpiochip_info and struct gpio_v2_line_info; the flag of an output.
GPIO_GET_CHIPINFO, GPIO_V2_GET_LINEINFO, LINE_IS_OUTPUT = 0x8044B401, 0xC100B405, 8


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().strip()


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class EdgeRecorder:
    """Every change of every line, with the kernel's time stamp: its tracepoint of gpio values."""

    def __init__(self):
        os.makedirs(TRACING, exist_ok=True)
        try:
            self.pipe = os.open(f"{TRACING}/trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            raise LabError(
                "another process has the one laboratory: run the tests in one process, or each in its own `ringer-lab pytest`"
            ) from None
        write_text(f"{TRACING}/tracing_on", "0")
        write_text(f"{TRACING}/trace", "")
        write_text(f"{TRACING}/buffer_size_kb", "4096")
        write_text(f"{TRACING}/trace_clock", "mono")
        write_text(f"{EVENT}/filter", "get==0")
        write_text(f"{EVENT}/enable", "1")
        write_text(f"{TRACING}/tracing_on", "1")
        self.watch = self.watched()
        self.lines = {}  # the kernel's numbers of lines: (chip, offset)
        self.levels = {}  # the same way: [(time, level)]
        self.rest = ""
        self.lost = 0

    def watched(self):
        """A descriptor that can be read once somebody else changed the recording."""
        library = ctypes.CDLL(None, use_errno=True)
        watch = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        for name in SETTINGS:
            if library.inotify_add_watch(watch, os.fsencode(f"{TRACING}/{name}"), IN_MODIFY) < 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), f"{TRACING}/{name}")
        return watch

    def begin(self, chip, at):
        """Records a chip that was plugged in: its lines are low, and may have other numbers than before."""
        for offset in range(chip.bank.count):
            line = self.lines[chip.base + offset] = chip.bank.label, offset
            self.levels.setdefault(line, []).append((at, 0))

    def drain(self):
        while self.pipe is not None:
            try:
                data = os.read(self.pipe, 65536)
            except BlockingIOError:
                return
            if not data:
                return
            *rows, self.rest = (self.rest + data.decode()).split("\n")
            for row in rows:
                if match := re.search(r" (\d+\.\d+): gpio_value: (\d+) set (\d)", row):
                    if line := self.lines.get(int(match[2])):
                        self.levels[line].append((float(match[1]), int(match[3])))
                elif match := re.search(r"LOST (\d+) EVENTS", row):
                    self.lost += int(match[1])

    def problems(self):
        self.drain()
        if self.lost:
            return [f"the recorder of edges lost {self.lost} of them"]
        try:
            os.read(self.watch, 4096)
        except BlockingIOError:
            return []
        return ["the recorder of edges stopped: something changed the kernel's tracing"]

    def close(self):
        """Ends the recording; what was recorded stays."""
        os.close(self.pipe)
        os.close(self.watch)
        self.pipe = None


class Chip:
    """A simulated chip that is plugged in."""

    def __init__(self, bank):
        self.bank = bank
        for folder in glob.glob(f"/sys/devices/platform/{bank.device}/gpiochip*"):
            self.folder, self.device = folder, f"/dev/{os.path.basename(folder)}"
            if self.ioctl(GPIO_GET_CHIPINFO, bytes(68))[32:64].split(b"\0")[0].decode() == bank.label:
                break
        else:
            raise LabError(f"the GPIO chip {bank.label} is not plugged in")
        for folder in glob.glob(f"/sys/devices/platform/{bank.device}/gpio/gpiochip*"):
            if read_text(f"{folder}/label") == bank.label:
                self.base = int(read_text(f"{folder}/base"))

    def ioctl(self, request, argument):
        with open(self.device, "rb") as file:
            return fcntl.ioctl(file, request, argument)

    def levels(self):
        return [int(read_text(f"{self.folder}/sim_gpio{offset}/value")) for offset in range(self.bank.count)]

    def pulls(self):
        """Of each line the file that sets it from outside, and its pull."""
        files = [f"{self.folder}/sim_gpio{offset}/pull" for offset in range(self.bank.count)]
        return {file: read_text(file) for file in files}

    def line_info(self, offset):
        """The line's name, its user, and its flags."""
        data = self.ioctl(GPIO_V2_GET_LINEINFO, struct.pack("64xI188x", offset))
        name, user, _, _, flags = struct.unpack_from("32s32sIIQ", data)
        return name.split(b"\0")[0].decode(), user.split(b"\0")[0].decode(), flags


class Line:
    """One line. Levels are the line's own; for a part that is active low, 1 is active."""

    def __init__(self, lab, bank, offset, name, is_active_low=False):
        self.lab, self.bank, self.offset, self.name = lab, bank, offset, name
        self.is_active_low = is_active_low
        self.start = (lab.start, lab.levels[bank.label][offset])

    def __repr__(self):
        return f"line {self.name or self.offset}"

    @property
    def chip(self):
        return self.lab.chip(self.bank)

    @property
    def holds(self):
        """[(time, level)]: since when the line is held at that level from outside; None is open."""
        return self.lab.holds.setdefault((self.bank.label, self.offset), [])

    @property
    def pull(self):
        return f"{self.chip.folder}/sim_gpio{self.offset}/pull"

    def set(self, level):
        """Holds the line from outside, as a contact does, whatever bias its user asks for; returns the time."""
        self.lab.before_event()
        return self._set(level)

    def release(self):
        """Opens the line, which then follows its pull, or the bias that its user asked for; returns the time."""
        self.lab.before_event()
        return self._hold(None)

    def _set(self, level):
        if level not in (0, 1):
            raise LabError(f"a line's level is 0 or 1, not {level!r}")
        return self._hold(int(bool(level) != self.is_active_low))

    def _hold(self, level):
        if self.chip.line_info(self.offset)[2] & LINE_IS_OUTPUT:
            raise LabError(
                f"{self!r} is an output of {self.chip.line_info(self.offset)[1]}: it cannot be set from outside"
            )
        at = time.monotonic()
        self.holds.append((at, level))
        write_text(self.pull, {0: "low", 1: "high", None: "open"}[level])
        return at

    def bounce(self, level, times=5, within=0.004):
        """Sets the line like a contact that bounces that often before it settles; returns when it began."""
        self.lab.before_event()
        chance = random.Random(f"{self.name}{self.offset}")
        moments = [0.0] + sorted(chance.uniform(0, within) for _ in range(2 * times))
        at = self._set(level)
        for number, (before, moment) in enumerate(zip(moments, moments[1:])):
            time.sleep(moment - before)
            self._set(level if number % 2 else not level)
        return at

    def noise(self, pulses=10, within=0.1, width=0.0005):
        """Short pulses away from the present level, and back."""
        self.lab.before_event()
        chance, level, at = random.Random(f"{self.name}{self.offset}"), self.value, time.monotonic()
        for _ in range(pulses):
            time.sleep(chance.uniform(0, 2) * (within / pulses - width) if within > pulses * width else 0)
            self._set(not level)
            time.sleep(width)
            self._set(level)
        return at

    def _logical(self, level):
        return 1 - level if self.is_active_low else level

    @property
    def value(self):
        return self._logical(int(read_text(f"{self.chip.folder}/sim_gpio{self.offset}/value")))

    @property
    def edges(self):
        """[(time, level)], after the level at the start of the test."""
        self.lab.edges.drain()
        found, last = [], self.start[1]
        for at, level in self.lab.edges.levels[self.bank.label, self.offset]:
            # What its user sets does not change a line that is held.
            held = next((held for since, held in reversed(self.holds) if since <= at), None)
            if at >= self.lab.start and level != last and held in (None, level):
                found.append((at, self._logical(level)))
                last = level
        return found

    @property
    def highs(self):
        """[(start, end)] of the times at 1; the end of one that lasts is infinite."""
        found = [(self.start[0], math.inf)] if self._logical(self.start[1]) else []
        for at, level in self.edges:
            if level:
                found.append((at, math.inf))
            else:
                found[-1] = (found[-1][0], at)
        return found

    @property
    def pulses(self):
        """How long the line was at 1, each time; one that lasts is infinite."""
        return [round(end - start, 6) for start, end in self.highs]


def check_drivers(parts):
    """Complains of a part that its driver did not take: it is there, and nothing happens."""
    for part in parts:
        device = f"/sys/bus/platform/devices/{part.device}"
        if os.path.isdir(device) and not os.path.exists(f"{device}/driver"):
            raise LabError(f"no driver has taken {part.path}: the kernel's messages say why: ringer-lab run dmesg")


def board():
    """The board's device tree, as it was given to the kernel."""
    with open(os.environ["RINGER_LAB_BOARD"], "rb") as file:
        return devicetree.read(file.read())
