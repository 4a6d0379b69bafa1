"""A shell of the device, that the bench keeps open: over the command of bench.toml, such as ssh, or over a serial line."""

import contextlib
import difflib
import os
import re
import select
import shlex
import subprocess
import termios
import threading
import time
import tty

from ringer_lab import LabError

PATTERN = "The quick brown fox jumps over the lazy dog 0123456789 !#%&()*+,-./:;<=>?@[]^_{|}~ THE QUICK BROWN FOX"
PARITY = {"none": 0, "even": termios.PARENB, "odd": termios.PARENB | termios.PARODD}
NO_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")


def transport(firmware, script):
    """The words of the command that runs a script on the device."""
    return [word.replace("{script}", script) for word in firmware.command]


class Shell:
    """Runs lines in it. Lines of its output that answer none are those of the firmware that it has started, if any."""

    def __init__(self, firmware):
        self.firmware, self.name = firmware, firmware.serial and f"the serial line {firmware.serial}" or "the connection"
        self.answers, self.count = {}, 0  # statuses by number
        self.said, self.heard = [], []  # since the last question: lines that are not the firmware's; all lines
        self.listener, self.problem, self.is_closed = None, None, False
        self.changed = threading.Condition()
        self.process = None
        # Of an interactive shell neither prompt nor echo is wanted: one that reads a pipe has none.
        quiet = "stty -echo 2>/dev/null; cat | sh"
        if firmware.serial:
            self.source = self.target = self.open_serial()
        else:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "bufsize": 0}
            try:
                self.process = subprocess.Popen(transport(firmware, quiet), start_new_session=True, **pipes)
            except OSError as error:
                raise LabError(f"{firmware.command[0]} of firmware.command cannot be started: {error.strerror}") from None
            self.source, self.target = self.process.stdout.fileno(), self.process.stdin.fileno()
        self.closing, self.close_reader = os.pipe()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if firmware.serial:
            self.write(f"\x03\n{quiet}\n")

    def open_serial(self):
        firmware = self.firmware
        try:
            serial = os.open(firmware.serial, os.O_RDWR | os.O_NOCTTY)
            tty.setraw(serial)
            mode = termios.tcgetattr(serial)
            mode[0] |= termios.INPCK | termios.PARMRK
            mode[2] = mode[2] & ~(termios.PARENB | termios.PARODD) | PARITY[firmware.parity] | termios.CLOCAL | termios.CREAD
            mode[4] = mode[5] = getattr(termios, f"B{firmware.baud}")
            termios.tcsetattr(serial, termios.TCSANOW, mode)
            has_parity = termios.tcgetattr(serial)[2] & (termios.PARENB | termios.PARODD) == PARITY[firmware.parity]
        except (OSError, termios.error) as error:
            raise LabError(f"{self.name} cannot be opened: {error.args[1]}") from None
        if not has_parity:  # the driver has ignored it
            os.close(serial)
            raise LabError(f"{self.name} cannot have {firmware.parity} parity: leave firmware.parity out, or take another adapter")
        return serial

    def read(self):
        rest = b""
        while True:
            try:
                ready, _, _ = select.select([self.source, self.closing], [], [])
                data = b"" if self.closing in ready else os.read(self.source, 4096)
            except OSError:  # a terminal whose other side was closed
                data = b""
            at = time.monotonic()
            *texts, rest = (rest + data).split(b"\n")
            with self.changed:
                for text in texts:
                    self.take(at, text.rstrip(b"\r"))
                if not data:
                    self.is_closed = True
                self.changed.notify_all()
            if not data:
                return

    def take(self, at, data):
        text = data.decode(errors="replace")  # a byte of wrong parity comes as \xff\0 and the byte: PARMRK of termios(3)
        if self.firmware.serial and self.count and self.problem is None and (NO_TEXT.search(data) or "\ufffd" in text):
            self.problem = f"{self.name} garbles: the device sent {data[:60]!r}"
        self.heard.append(text)
        if match := re.search(r"ringer-lab:answer:(\d+):(\d+)", text):
            self.answers[int(match[1])] = int(match[2])
        elif self.listener is None or not self.listener(at, text):
            self.said.append(text)

    def write(self, text):
        data = text.encode()
        try:
            while data:
                data = data[os.write(self.target, data) :]
        except OSError as error:
            raise LabError(f"{self.name} to the device is lost: {error.strerror}") from None

    def ask(self, line, within=5):
        """Runs a line, and returns its exit status and what was said meanwhile."""
        with self.changed:
            self.count, self.said, self.heard = self.count + 1, [], []
            number = self.count
            self.write(f"{line}\necho ringer-lab:answer:{number}:$?\n")
            self.changed.wait_for(lambda: number in self.answers or self.is_closed, within)
            if number not in self.answers:
                garbled = difflib.get_close_matches(f"ringer-lab:answer:{number}:0", self.heard, n=1, cutoff=0.8)
                if garbled and not self.problem:
                    self.problem = f"{self.name} garbles: instead of an answer came {garbled[0]!r}"
                why = "it ended" if self.is_closed else f"no answer came within {within:g} s"
                raise LabError(self.problem or f"{self.name} to the device is lost: {why}{self.last()}")
            return self.answers.pop(number), "\n".join(self.said)

    def last(self):
        return f"; the last line was: {self.said[-1]}" if self.said else ""

    def check(self):
        """What is wrong with the connection: a known text has to come back as it was sent."""
        if self.problem is None:
            try:
                said = self.ask(f"echo {shlex.quote(PATTERN)}")[1].strip()
                if said != PATTERN:
                    self.problem = f"{self.name} garbles: of {PATTERN[:20]!r}... came {said[:60]!r}"
            except LabError as error:
                self.problem = str(error)
        return [self.problem] if self.problem else []

    def close(self):
        if self.process is None:
            with contextlib.suppress(LabError):
                self.write("\x03\n")
        os.close(self.close_reader)
        self.reader.join()
        os.close(self.closing)
        if self.process is None:
            os.close(self.source)
            return
        self.process.stdin.close()
        self.process.stdout.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
