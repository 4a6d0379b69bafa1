"""The bench of a run: what stays from test to test, its power and the shell of its device."""

import collections
import contextlib
import subprocess
import time

from ringer_lab import LabError
from ringer_lab.bench import config
from ringer_lab.bench.gpio import OUTPUT, Input, Request
from ringer_lab.bench.shell import Shell


@contextlib.contextmanager
def at_key(key):
    """Complaints from within name the file's key."""
    try:
        yield
    except LabError as error:
        raise LabError(f"{key}: {error}") from None


class Relay:
    """What a line or two commands switch on and off."""

    def __init__(self, key, part, is_on):
        self.key, self.part = key, part
        with at_key(f"{key}.gpio"):
            self.request = Request(part.gpio, OUTPUT, is_on != part.is_active_low) if part.gpio else None

    def set(self, is_on):
        if self.request:
            self.request.set(is_on != self.part.is_active_low)
            return
        key, words = f"{self.key}.{'on' if is_on else 'off'}", self.part.on if is_on else self.part.off
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise LabError(f"{key}: {words[0]} cannot be started: {error.strerror}") from None
        if done.returncode != 0:
            reason = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
            raise LabError(f"{key}: {words[0]} failed: {reason}")

    def close(self):
        if self.request:
            self.request.close()


class Bench:
    def __init__(self, path):
        self.config = config.read(path)
        self.lacking = collections.Counter()  # how many tests were skipped for what it has not
        self.shell = self.power = self.power_sense = None
        self.is_up = False  # the device has power, and has answered since

    def named(self, problem):
        return f"bench {self.config.name}: {problem}"

    def open(self):
        """Brings the device up, unless it is."""
        power = self.config.power
        self.take_power()
        is_lost = self.power_sense is not None and self.power_sense.level == 0
        if power and (not self.is_up or is_lost or power.each == "test" or self.shell and self.shell.is_closed):
            self.restart()
        elif self.config.firmware and (self.shell is None or self.shell.is_closed or self.shell.problem):
            if self.shell:
                self.shell.close()
            self.shell = self.reached(0)
        if self.power_sense:
            self.power_sense.begin()

    def take_power(self):
        """Takes the lines of the power, unless it has them. The relay is off at first."""
        power = self.config.power
        if power and power.sense and self.power_sense is None:
            with at_key("power.sense"):
                self.power_sense = Input(power.sense)
        if power and self.power is None:
            self.power = Relay("power", power, False)

    def restart(self):
        if self.shell:
            self.shell.close()
        self.shell, self.is_up = None, False
        self.power.set(False)
        time.sleep(1)
        self.power.set(True)
        if self.config.firmware:
            self.shell = self.reached(self.config.power.boot)
        self.is_up = True

    def reached(self, within):
        """The device's shell, once it answers."""
        deadline = time.monotonic() + within
        while True:
            shell = None
            try:
                shell = Shell(self.config.firmware)
                shell.ask("true", within=15)  # a login takes its time
                return shell
            except LabError as error:
                if shell:
                    shell.close()
                if time.monotonic() > deadline:
                    raise LabError(f"the device does not answer: {error}") from None
                time.sleep(1)

    def power_problems(self):
        if self.power_sense:
            self.power_sense.drain()
            for at, level in self.power_sense.edges:
                if not level:
                    return [f"the device lost its power at {at:.6f} s"]
        return []

    def close(self):
        """Switches the device off, and lets go of it. After an error it can be tried again."""
        self.is_up = False
        if self.shell:
            self.shell.close()
            self.shell = None
        if self.power_sense:
            self.power_sense.close()
            self.power_sense = None
        if self.power:
            try:
                self.power.set(False)
            except LabError as error:
                raise LabError(self.named(f"{error}: the device may still have power")) from None
            self.power.close()
            self.power = None
