"""The program under test."""

import contextlib
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time
import tty

from ringer_lab import LabError
from ringer_lab.machine import check_program


def words_of(command):
    if not command or not all(isinstance(word, (str, os.PathLike, int, float)) for word in command):
        raise LabError('firmware() takes the words of a command one by one, as in lab.firmware("sleep", 1)')
    return [str(word) for word in command]


class Firmware:
    """A program that runs in the laboratory. Its output is kept line by line, with times; its end is judged."""

    def __init__(self, lab, command, env):
        command = words_of(command)
        self.lab, self.name = lab, os.path.basename(command[0])
        if command[0] in ("python", "python3"):
            command[0] = sys.executable
        if not lab.board.is_real:  # a bench's host may have any processor
            check_program(command[0])
        self.lines, self.ended_at, self.was_awaited = [], None, False  # lines: [(time, text)]
        self.found = 0  # how many lines there were up to the one that the last wait found
        self.changed = threading.Condition()
        # Standard output is a terminal: C's stdio would keep the lines for a pipe to itself.
        terminal, output = pty.openpty()
        tty.setraw(output)
        source, errors = os.pipe()
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=errors,
                bufsize=0,
                env=os.environ | {name: str(value) for name, value in (env or {}).items()},
                start_new_session=True,
            )
        except OSError as error:
            raise LabError(f"{command[0]} cannot be started: {error.strerror}: a script has to begin with #!") from None
        finally:
            os.close(output)
            os.close(errors)
        self.started_at = time.monotonic()
        ends = (terminal, self.taken), (source, self.taken_of_errors)
        self.readers = [threading.Thread(target=self.collect, args=end, daemon=True) for end in ends]
        for reader in self.readers:
            reader.start()
        threading.Thread(target=self.watch, daemon=True).start()

    def __repr__(self):
        return f"Firmware({self.name})"

    def collect(self, descriptor, taken):
        rest = b""
        while True:
            try:
                data = os.read(descriptor, 65536)
            except OSError:  # the terminal's other side was closed
                data = b""
            at = time.monotonic()
            *texts, rest = (rest + (data or b"\n" * bool(rest))).split(b"\n")
            with self.changed:
                for text in texts:
                    self.lines += taken(at, text.decode(errors="replace").rstrip("\r"))
                self.changed.notify_all()
            if not data:
                os.close(descriptor)
                return

    def taken(self, at, text):
        """The lines to keep of one that was printed."""
        return [(at, text)]

    def taken_of_errors(self, at, text):
        """The same, on standard error."""
        return self.taken(at, text)

    def watch(self):
        with contextlib.suppress(ChildProcessError):  # kill_rest() was the first to wait for it
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        with self.changed:
            self.ended_at = time.monotonic()
            self.changed.notify_all()

    @property
    def output(self):
        with self.changed:
            return "\n".join(text for _, text in self.lines)

    def kill(self, number):
        with self.changed:
            if self.ended_at is None:  # it keeps its number until somebody waits for it, which is later
                os.kill(self.process.pid, number)
                return True
        return False

    def wait_for(self, text, within=10):
        """Waits for a line that contains the text, behind the line that the last wait found, and returns its time."""
        deadline = time.monotonic() + within
        with self.changed:
            while True:
                for number, (at, line) in enumerate(self.lines[self.found :], self.found + 1):
                    if text in line:
                        self.found = number
                        return at
                left = deadline - time.monotonic()
                if self.ended_at is not None and not any(reader.is_alive() for reader in self.readers):
                    raise AssertionError(f"{self.name} ended without '{text}': {self.end_text()}")
                if left <= 0:
                    raise AssertionError(f"{self.name} did not say '{text}' within {within:g} s")
                # After its end the readers may still have something.
                self.changed.wait(left if self.ended_at is None else 0.01)

    def signal(self, number):
        """Sends a signal, by number or by name, and returns the time."""
        if isinstance(number, str):
            if number not in signal.Signals.__members__:
                raise LabError(f"there is no signal {number}; names are such as SIGTERM")
            number = signal.Signals[number]
        self.lab.before_event()
        at = time.monotonic()
        if not self.kill(number):
            raise AssertionError(f"{self.name} had ended before signal {int(number)}: {self.end_text()}")
        return at

    def input(self, text):
        """Writes to its standard input, and returns the time."""
        self.lab.before_event()
        at = time.monotonic()
        try:
            data = text.encode() if isinstance(text, str) else text
            while data:
                data = data[self.process.stdin.write(data) :]
        except BrokenPipeError:
            raise AssertionError(f"{self.name} does not read its input any more") from None
        return at

    def datagram(self, path, data):
        """Sends a datagram to its socket, and returns the time."""
        self.lab.before_event()
        at = time.monotonic()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            try:
                sender.sendto(data.encode() if isinstance(data, str) else data, os.fspath(path))
            except OSError as error:
                raise AssertionError(f"{self.name} has no socket at {path}: {error.strerror}") from None
        return at

    def wait(self, within=60):
        """Waits for its end, and returns the exit status, negative for a signal. The test judges it."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.ended_at is not None, within):
                raise AssertionError(f"{self.name} had not ended after {within:g} s")
        self.was_awaited = True
        return self.exit_status()

    def exit_status(self):
        return self.process.wait()

    def end_text(self):
        status = self.exit_status()
        names = {number.value: number.name for number in signal.Signals}  # most real-time signals have none
        how = f"exit status {status}" if status >= 0 else f"killed by {names.get(-status, f'signal {-status}')}"
        last = f"; its last line was: {self.lines[-1][1]}" if self.lines else ""
        return f"{how}, {self.ended_at - self.started_at:.3f} s after its start{last}"

    def finish(self):
        """Ends it if it still runs; returns what is wrong with its end."""
        problems = []
        if self.ended_at is None:
            self.kill(signal.SIGTERM)
            with self.changed:
                if not self.changed.wait_for(lambda: self.ended_at is not None, 5):
                    problems.append(f"{self.name} had not ended 5 s after SIGTERM")
                    self.kill(signal.SIGKILL)
                    self.changed.wait_for(lambda: self.ended_at is not None)
            if not problems and self.exit_status() not in (0, -signal.SIGTERM):
                problems.append(f"{self.name} ended badly after SIGTERM: {self.end_text()}")
        elif not self.was_awaited:
            what = "died" if self.exit_status() != 0 else "ended before the test, which did not wait() for it"
            problems.append(f"{self.name} {what}: {self.end_text()}")
        self.kill_rest()
        return problems

    def kill_rest(self):
        """Ends what it left behind."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdin.close()
        for reader in self.readers:
            reader.join(1)
