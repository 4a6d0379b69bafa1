"""The program under test, on the device."""

import os
import re
import shlex
import signal
import subprocess
import time

from ringer_lab import LabError
from ringer_lab.bench.shell import transport
from ringer_lab.firmware import Firmware, words_of

MARK = re.compile(r"(.*?)ringer-lab:(pid|status):(\d+)\s*$")


def script_of(command, env):
    """What the device's shell runs for a command: its output has marks with the program's number and its exit status."""
    words = [*(["env", *(f"{name}={value}" for name, value in env.items())] if env else []), *command]
    return f"""stty -echo 2>/dev/null; sh -c 'echo ringer-lab:pid:$$; exec "$@"' sh {shlex.join(words)}; echo ringer-lab:status:$?"""


def copied(config, command):
    """Copies the files that a command names to the device."""
    for word in command if config.copy else []:
        if os.path.isfile(word):
            words = [part.replace("{file}", os.path.abspath(word)) for part in config.copy]
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                raise LabError(f"{word} was not copied to the device: {(done.stderr.strip() or 'no reason').splitlines()[-1]}")


class RemoteFirmware(Firmware):
    """A program that was started through a command such as ssh, which is the process here."""

    def __init__(self, lab, command, env):
        self.pid = self.status = None
        self.command = words_of(command)
        copied(lab.config.firmware, self.command)
        self.begin(lab, script_of(self.command, env))
        self.name = os.path.basename(self.command[0])

    def begin(self, lab, script):
        super().__init__(lab, transport(lab.config.firmware, script), None)

    def taken(self, at, text):
        """Lines without the marks; those are of the program's number and status."""
        if match := MARK.match(text):
            if match[2] == "pid":
                self.pid = int(match[3])
            else:
                self.status = int(match[3])
            text = match[1]
            return [(at, text)] if text else []
        return [(at, text)]

    def kill(self, number):
        with self.changed:
            self.changed.wait_for(lambda: self.pid is not None or self.ended_at is not None, 10)
            if self.pid is None or self.status is not None or self.ended_at is not None:
                return False
        try:
            is_sent = self.lab.bench.shell.ask(f"kill -{int(number)} {self.pid}")[0] == 0
        except LabError as error:
            raise LabError(self.lab.bench.named(str(error))) from None
        if number == signal.SIGKILL:
            self.kill_rest()  # its end may not be seen: the connection is broken, or the process stuck
        return is_sent

    def wait(self, within=60):
        status = super().wait(within)
        if status is None:
            raise LabError(self.lab.bench.named(self.end_text()))
        return status

    def exit_status(self):
        """The program's, which is in its output; None if the connection ended before."""
        self.process.wait()
        for reader in self.readers:
            reader.join(2)
        if self.status is None:
            return None
        return 128 - self.status if self.status > 128 else self.status  # a shell's, of a death by signal

    def end_text(self):
        if self.exit_status() is None:
            last = f"; its last line was: {self.lines[-1][1]}" if self.lines else ""
            return f"the connection to the device ended before {self.name}{last}"
        return super().end_text()

    def finish(self):
        try:
            problems = super().finish()
        except LabError as error:
            self.kill_rest()
            return [str(error)]
        if self.exit_status() is None:
            return [self.lab.bench.named(self.end_text())]
        return problems


class Ended:
    """In place of a process: what a program on a serial line has besides its output."""

    stdin = None

    def __init__(self, firmware):
        self.firmware = firmware

    def wait(self):
        with self.firmware.changed:
            self.firmware.changed.wait_for(lambda: self.firmware.ended_at is not None)
        return self.firmware.status


class SerialFirmware(RemoteFirmware):
    """A program that was started in the shell of a serial line, which its output shares."""

    def begin(self, lab, script):
        self.lab, self.name, self.process, self.readers = lab, "", Ended(self), []
        self.lines, self.ended_at, self.was_awaited, self.found = [], None, False, 0
        self.changed = lab.bench.shell.changed  # the lock that the lines come under
        self.started_at = time.monotonic()
        lab.bench.shell.listener = self.listen
        lab.bench.shell.write(f"({script}) </dev/null 2>&1 &\n")

    def listen(self, at, text):
        self.lines += self.taken(at, text)
        if self.status is not None:
            self.lab.bench.shell.listener, self.ended_at = None, at
        return True

    def input(self, text):
        self.lab.lacks("input to the firmware")

    def kill_rest(self):
        self.lab.bench.shell.listener = None
        with self.changed:
            self.ended_at = self.ended_at or time.monotonic()


