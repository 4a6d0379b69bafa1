"""The fixture `lab` at a bench: the same calls as in the laboratory, on a real device and in real time."""

import time

from ringer_lab import LabError
from ringer_lab.bench import results
from ringer_lab.bench.bench import Relay, at_key
from ringer_lab.bench.capture import Capture
from ringer_lab.bench.firmware import RemoteFirmware, SerialFirmware
from ringer_lab.bench.wires import Wire
from ringer_lab.inputs import Jack, Key, Slider, Switch
from ringer_lab.lab import Board, Lab

COLLECTIONS = {"lines": "line", "leds": "LED", "motors": "motor", "keys": "key", "switches": "switch", "jacks": "jack"}


class Edges:
    """In place of the laboratory's recorder: takes the edges of all wires that the kernel has kept."""

    def __init__(self, lab):
        self.lab = lab

    def drain(self):
        for wire in self.lab.lines.values():
            for ear in wire.ears:
                ear.drain()


class BenchLab(Lab):
    LOGS = {"bench.log": results.write_log}

    def __init__(self, bench, shift=0.0):
        self.bench, self.config = bench, bench.config
        self.board = Board(is_real=True, tolerance=self.config.tolerance, name=self.config.name)
        self.shift, self.end, self.problems, self.bench_problems = shift, None, [], []
        self.firmwares, self.lines, self.inputs, self.devices, self.unplugged = [], {}, [], {}, {}
        self.edges, self.own_speaker = Edges(self), None
        try:
            bench.open()
            for collection in COLLECTIONS:
                for name, part in getattr(self.config, collection).items():
                    with at_key(f"{collection}.{name}"):
                        self.lines[collection, name] = Wire(self, name, part)
            for name, positions in self.config.sliders.items():
                for position, part in positions.items():
                    with at_key(f"sliders.{name}.{position}"):
                        self.lines["sliders", name, position] = Wire(self, f"{name}={position}", part)
            for name, part in self.config.devices.items():
                self.devices[name] = Relay(f"devices.{name}", part, True)
            if self.config.speaker:
                self.own_speaker = Capture(self, self.config.speaker)
            self.start = time.monotonic()
            for wire in self.lines.values():
                wire.begin()
            if problems := bench.shell.check() if bench.shell else []:
                raise LabError(problems[0])
        except BaseException as error:
            self.close()
            if isinstance(error, LabError):
                raise LabError(bench.named(str(error))) from None
            raise

    @property
    def speaker(self):
        return self.own_speaker or (self.lacks("speaker") if self.end is None else None)

    def lacks(self, what):
        """Skips the test, for something that this bench has not."""
        import pytest  # which `run` and `board` do not need

        self.bench.lacking[what] += 1
        pytest.skip(self.bench.named(f"it has no {what}"))

    # The firmware.

    def firmware(self, *command, ready=None, within=10, env=None):
        """Starts the firmware on the device, and waits until it says `ready`."""
        self.check_running()
        if self.config.firmware is None:
            self.lacks("firmware")
        firmware = (SerialFirmware if self.config.firmware.serial else RemoteFirmware)(self, command, env)
        self.firmwares.append(firmware)
        if ready is not None:
            firmware.wait_for(ready, within)
        return firmware

    # The board.

    def _wire(self, collection, name):
        return self.lines.get((collection, name)) or self.lacks(f"{COLLECTIONS[collection]} {name}")

    def line(self, which):
        return self._wire("lines", str(which))

    def key(self, name):
        return Key(self._wire("keys", name))

    def switch(self, name="SW_MUTE_DEVICE"):
        return Switch(self._wire("switches", name))

    def jack(self, name="SW_HEADPHONE_INSERT"):
        return Jack(self._wire("jacks", name))

    def slider(self, name="ABS_SND_PROFILE"):
        if name not in self.config.sliders:
            self.lacks(f"slider {name}")
        return Slider({position: self.lines["sliders", name, position] for position in self.config.sliders[name]})

    def led(self, name):
        return self._wire("leds", name)

    def motor(self, name=None):
        if name is None and len(self.config.motors) == 1:
            (name,) = self.config.motors
        return self._wire("motors", name or "that is the only one")

    def input(self, name):
        self.lacks(f"recorder of the input device {name}")

    def unplug(self, device):
        """Takes a device away from the board, by its relay or its commands."""
        self.before_event()
        if device not in self.devices:
            self.lacks(f"way to unplug {device}")
        if device in self.unplugged:
            raise LabError(f"{device} is unplugged already")
        return self._switch(device, False)

    def _switch(self, device, is_on):
        at = time.monotonic()
        self.devices[device].set(is_on)
        if is_on:
            del self.unplugged[device]
        else:
            self.unplugged[device] = at
        return at

    def _plug(self, device):
        return self._switch(device, True)

    # The end.

    def finish(self):
        """Ends the firmware, and lets go of the lines. Returns what was wrong with it, and with the bench."""
        Lab.present = None
        own = [problem for firmware in self.firmwares for problem in firmware.finish()]
        self.end = time.monotonic()
        try:
            problems = self.wrong()
        finally:
            self.close()
        self.bench_problems = [self.bench.named(problem) for problem in problems]
        self.problems = self.bench_problems + own
        return self.problems

    def wrong(self):
        """What was wrong with the bench. Brings back what is unplugged."""
        time.sleep(2 * self.config.skew)  # what is still on the wires
        problems = self.bench.power_problems()
        problems += [problem for wire in self.lines.values() for problem in wire.problems()]
        if self.bench.shell and not problems:
            problems += self.bench.shell.check()
        for device in list(self.unplugged):
            try:
                self._plug(device)
            except LabError as error:
                problems.append(str(error))
        if self.own_speaker:
            problems += self.own_speaker.check(self.config.tolerance)
        return problems

    def close(self):
        for one in [*self.lines.values(), *self.devices.values(), *([self.own_speaker] if self.own_speaker else [])]:
            one.close()
