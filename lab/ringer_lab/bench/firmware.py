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
    """What the device's shell runs for a command: its output has marks with the program's number and its exit status.

    The program's standard error is on standard output too: that of the connection has what ssh itself says. What a shell says
    of a program that was killed is dropped; bash repeats the whole script.
    """
    words = [*(["env", *(f"{name}={value}" for name, value in env.items())] if env else []), *command]
    program = f"""sh -c 'echo ringer-lab:pid:$$; exec "$@" 2>&1' sh {shlex.join(words)}"""
    return f"exec 2>/dev/null; stty -echo; {program}; echo ringer-lab:status:$?"


def copied(lab, command):
    """Copies the files that a command names to the device. Returns the command with their absolute paths: the shell of
    the device is in a folder of its own.
    """
    copy, found = lab.config.firmware.copy, []
    for word in command:
        if not copy or not os.path.isfile(word):
            found.append(word)
            continue
        path = os.path.abspath(word)
        found.append(path)
        if lab.bench.shell.ask(shlex.join(["mkdir", "-p", os.path.dirname(path)]))[0] != 0:
            raise LabError(f"{word} was not copied to the device: it has no folder {os.path.dirname(path)}, and none can be made")
        words = [part.replace("{file}", path) for part in copy]
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise LabError(f"{words[0]} of firmware.copy cannot be started: {error.strerror}") from None
        if done.returncode != 0:
            raise LabError(f"{word} was not copied to the device: {(done.stderr.strip() or 'no reason').splitlines()[-1]}")
    return found


class RemoteFirmware(Firmware):
    """A program that was started through a command such as ssh, which is the process here."""

    def __init__(self, lab, command, env):
        self.pid = self.status = self.farewell = None  # farewell: the last line of the connection's own
        self.command = copied(lab, words_of(command))
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

    def taken_of_errors(self, at, text):
        """None of what ssh says, such as `Connection to device closed.`"""
        self.farewell = text
        return []

    def kill(self, number):
        with self.changed:
            self.changed.wait_for(lambda: self.pid is not None or self.ended_at is not None, 10)
            is_gone = self.pid is None or self.status is not None or self.ended_at is not None
        if is_gone:
            if number == signal.SIGKILL:
                self.kill_rest()  # the connection may hang
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
            last = self.farewell or self.lines and self.lines[-1][1]
            return f"the connection to the device ended before {self.name}" + (f"; its last line was: {last}" if last else "")
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
        if lab.bench.shell.listener is not None:  # whose output and exit status would be taken for this one's
            lab.lacks("second program at a time on its serial line")
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


