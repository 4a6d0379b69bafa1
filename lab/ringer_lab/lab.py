"""The laboratory as a test sees it: the fixture `lab`."""

import contextlib
import glob
import os
import signal
import threading
import time
from typing import NamedTuple

from ringer_lab import LabError, devicetree, is_inside, results
from ringer_lab.devicetree import EV_ABS, EV_KEY, EV_SW
from ringer_lab.firmware import Firmware
from ringer_lab.initial_state import InitialState
from ringer_lab.inputs import InputRecorder, Jack, Key, Slider, Switch, code
from ringer_lab.lines import Chip, EdgeRecorder, Line, board, check_drivers, read_text, write_text
from ringer_lab.speaker import Speaker, card, wait_between_ticks

DRIVERS = "/sys/bus/platform"


def orphans():
    """The processes whose parent has ended: process 1 has them, and this one."""
    for entry in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if read_text(f"/proc/{entry}/stat").rpartition(")")[2].split()[1] == "1":
                yield int(entry)


def players():
    """The names of the programs that have a PCM open."""
    for link in glob.glob("/proc/[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if os.readlink(link).startswith("/dev/snd/pcm"):
                yield read_text(f"/proc/{link.split('/')[2]}/comm")


class Board(NamedTuple):
    """What a test runs on."""

    is_real: bool  # a bench and its device
    tolerance: float  # by how many seconds a time may be off besides: 0 in the laboratory
    name: str


class Lab:
    """Everything is recorded from the beginning to `finish`. Times are seconds of the kernel's monotonic clock.

    Every event of the test (a line that is set, a signal, ...) comes `shift` seconds later than the test says.
    There is one at a time: the board and the kernel's recorders are the laboratory's only ones.
    """

    present = None
    board = Board(is_real=False, tolerance=0.0, name="laboratory")
    LOGS = {"kernel.log": results.write_kernel_log}  # what a failed test leaves besides: functions that write it

    def __init__(self, shift=0.0):
        if not is_inside():
            raise LabError("this runs in the laboratory only: ringer-lab pytest, or ringer-lab run")
        if Lab.present is not None:
            raise LabError("a test has one laboratory: the fixture `lab` has it, from the test's beginning to its end")
        self.shift, self.end, self.problems = shift, None, []
        self.tree = board()
        self.banks = list(devicetree.banks(self.tree).values())
        self.parts = devicetree.parts(self.tree)
        check_drivers(self.parts)
        self.others = set(orphans())
        self.edges = EdgeRecorder()
        for bank in self.banks:
            self.edges.begin(self.chip(bank), 0)
        self.speaker = Speaker(self) if card() else None
        self.start = wait_between_ticks()
        # A driver that sets a line to the level that it has is recorded too: what a line was cannot be told from that.
        self.levels = {bank.label: self.chip(bank).levels() for bank in self.banks}
        self.firmwares, self.lines, self.inputs, self.holds = [], {}, [], {}
        self.initial_state = InitialState(self)
        self.unplugged, self.unbinding = {}, {}  # devices: their drivers; the threads that take them away
        for bank in self.banks:
            for offset, name in enumerate(bank.names[: bank.count]):
                if name:
                    self._line(bank, offset)
        for part in self.parts:
            self._part_line(part)
        Lab.present = self

    def __repr__(self):
        return "Lab()"

    # The clock.

    @property
    def now(self):
        return time.monotonic()

    def advance(self, seconds):
        """Lets that time pass: none outside, in virtual time."""
        time.sleep(seconds)
        self.drain()

    def before_event(self):
        self.check_running()
        self.drain()
        if self.shift:
            time.sleep(self.shift)

    def check_running(self):
        if self.end is not None:
            raise LabError("the laboratory has ended with the test's function: nobody would undo, record or judge this")

    def drain(self):
        """Takes what the kernel has recorded, before its buffers are full. The speaker's recorder does it by itself."""
        self.edges.drain()
        for recorder in self.inputs:
            recorder.drain()

    # The firmware.

    def firmware(self, *command, ready=None, within=10, env=None):
        """Starts the firmware, and waits until it says `ready`."""
        self.check_running()
        firmware = Firmware(self, command, env)
        self.firmwares.append(firmware)
        if ready is not None:
            firmware.wait_for(ready, within)
        return firmware

    # The board.

    def chip(self, bank):
        return Chip(bank)

    def _line(self, bank, offset, is_active_low=False, name=None):
        key = (bank.label, offset, is_active_low)
        if key not in self.lines:
            own = bank.names[offset] if offset < len(bank.names) else ""
            self.lines[key] = Line(self, bank, offset, name or own or f"{bank.label}.{offset}", is_active_low)
        return self.lines[key]

    def _part_line(self, part):
        bank = next(bank for bank in self.banks if bank.label == part.bank)
        return self._line(bank, part.line, part.is_active_low, part.label)

    def line(self, which):
        """A line by its name, by its number on the board's own chip, or as `CHIP:NUMBER`."""
        found = [
            (bank, offset) for bank in self.banks for offset, name in enumerate(bank.names) if name and name == which
        ]
        if len(found) > 1:
            raise LabError(f"{len(found)} lines are called {which}: name one as CHIP:NUMBER")
        chip, _, number = str(which).rpartition(":")
        if not found and number.isdecimal():
            chip = chip or self.banks[0].label
            found = [(bank, int(number)) for bank in self.banks if bank.label == chip and int(number) < bank.count]
        if found:
            return self._line(*found[0])
        known = [name for bank in self.banks for name in bank.names if name]
        raise LabError(f"no line is called {which}; the names are: {', '.join(known) or 'none'}")

    def _lines_of(self, kind, name):
        found = [
            part
            for part in self.parts
            if part.driver.startswith("gpio-keys") and part.type == kind and part.code == code(name)
        ]
        if not found:
            raise LabError(f"the board has no {name}: an overlay describes it, with gpio-keys")
        if len({part.value for part in found}) < len(found):
            lines = ", ".join(sorted(f'lab.line("{part.bank}:{part.line}")' for part in found))
            raise LabError(f"the board has {len(found)} parts that report {name}: use their lines, {lines}")
        return {part.value: self._part_line(part) for part in found}

    def key(self, name):
        return Key(self._lines_of(EV_KEY, name)[1])

    def switch(self, name="SW_MUTE_DEVICE"):
        return Switch(self._lines_of(EV_SW, name)[1])

    def jack(self, name="SW_HEADPHONE_INSERT"):
        return Jack(self._lines_of(EV_SW, name)[1])

    def slider(self, name="ABS_SND_PROFILE"):
        return Slider(self._lines_of(EV_ABS, name))

    def _part(self, drivers, name):
        found = [part for part in self.parts if part.driver in drivers]
        fitting = [part for part in found if name in (part.label, None)] or [part for part in found if name == part.device]
        if len(fitting) == 1:
            return self._part_line(fitting[0])
        raise LabError(
            f"the board has {len(fitting) or 'no'} {name or drivers[0]}; there are: "
            f"{', '.join(part.label for part in found) or 'none'}"
        )

    def led(self, name):
        """The line of an LED, by the name that it has in /sys/class/leds."""
        return self._part(["gpio-leds"], name)

    def motor(self, name=None):
        """The line of a gpio-vibrator."""
        return self._part(["gpio-vibrator"], name)

    def input(self, name):
        """Records what the input device of this name reports."""
        self.inputs.append(InputRecorder(name))
        return self.inputs[-1]

    def unplug(self, device):
        """Takes a device away from its driver: a node of the device tree, or a sound card's `snd_aloop.0`."""
        self.before_event()
        link = f"{DRIVERS}/devices/{device}/driver"
        if device in self.unplugged or not os.path.exists(link):
            plugged = sorted(
                name for name in os.listdir(f"{DRIVERS}/devices") if os.path.exists(f"{DRIVERS}/devices/{name}/driver")
            )
            raise LabError(f"no device {device} is plugged in; there are: {', '.join(plugged)}")
        self.unplugged[device] = os.path.realpath(link)
        if device.startswith("snd_aloop") and self.speaker:
            self.speaker.unplug()
        self.drain()
        at = time.monotonic()
        unbinding = threading.Thread(target=write_text, args=(f"{self.unplugged[device]}/unbind", device), daemon=True)
        unbinding.start()
        if device.startswith("snd_"):
            # It is gone at once for programs, but the kernel waits until the last one has closed it.
            self.unbinding[device] = unbinding
            unbinding.join(0.01)
        else:
            unbinding.join()
        for recorder in self.inputs:
            recorder.let_go()
        return at

    def plug(self, device):
        """Brings a device back that was unplugged."""
        if device not in self.unplugged:
            raise LabError(f"{device} is not unplugged; what is: {', '.join(self.unplugged) or 'nothing'}")
        self.before_event()
        return self._plug(device)

    def _plug(self, device):
        if unbinding := self.unbinding.pop(device, None):
            unbinding.join(1)
            if unbinding.is_alive():
                self.unbinding[device] = unbinding
                raise LabError(f"{device} cannot come back: {', '.join(players())} has it open since before it was unplugged")
        at = time.monotonic()
        self.edges.drain()
        write_text(f"{self.unplugged.pop(device)}/bind", device)
        for bank in self.banks:
            if bank.device == device:
                self.edges.begin(self.chip(bank), at)
                for (label, _), holds in self.holds.items():
                    if label == bank.label:
                        holds.append((at, None))
        if device.startswith("snd_aloop") and self.speaker:
            self.speaker.plug()
        return at

    # The end.

    def finish(self):
        """Ends the firmware, and puts the board back to rest. Returns what was wrong with it and with the recorders."""
        Lab.present = None
        problems = self.problems = [problem for firmware in self.firmwares for problem in firmware.finish()]
        self.end = time.monotonic()
        while left := set(orphans()) - self.others:  # a firmware that went into the background
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.01)
        problems += self.edges.problems()
        if self.speaker:
            problems += self.speaker.problems()
            self.speaker.close()
        for recorder in self.inputs:
            recorder.drain()
            problems += [recorder.problem] if recorder.problem else []
            recorder.close()
        for device in reversed(list(self.unplugged)):  # a part after its chip
            self._plug(device)
        self.initial_state.restore()
        # The drivers believe a line once it has not bounced for a while.
        time.sleep(max([0.05] + [2 * part.debounce for part in self.parts]))
        self.edges.close()
        return problems
