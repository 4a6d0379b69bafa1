"""The wires between a bench and its device, which share one laboratory: bridge.py BOARD

Levels are copied between the lines of the chip `bench` and the device's, 2.2 ms later, in real time 5 ms; the device's sound to the
bench's line-in, whose other input has the clicks; bytes between the two ends of the serial line; and the relay starts
and kills the device's processes. Each line that is written to /tmp/faults begins a fault, an empty one ends it:

    drop WIRE, delay WIRE, bounce WIRE    each second edge is not copied; edges come 50 ms late; an edge comes as three
    break WIRE                            the wire is open at the bench, from the next edge or line of /tmp/faults on
    underrun                              0.1 s of the sound is lost
    stall                                 no more sound is copied
    garble, flip                          each 20th byte of the device on the serial line is none of ASCII, or another one
    power                                 is cut
"""

import array
import collections
import contextlib
import ctypes
import fcntl
import itertools
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
import time
import tty

from ringer_lab import LabError, devicetree
from ringer_lab.lines import LINE_IS_OUTPUT, Chip, board, read_text, write_text
from ringer_lab.speaker import set_timer_slack

TRACING = "/sys/kernel/tracing/instances/bridge"
IS_REAL = os.environ["RINGER_LAB_TIME"] == "real"
# In real time the wires are slow enough that each edge is copied at its time, however late this program reads of it.
DELAY, POLL = 0.005 if IS_REAL else 0.0022, 0.002
# Of each wire the bench's line, its sense line, the device's chip and line, and whether the bench sets it.
BOARDS = {
    "doorbell": {
        "MUTE_SW": (0, 1, "expander", 0, True),
        "MOTOR_EN": (2, 3, "lab-bank", 0, False),
        "KEY_PROG1": (4, 5, "lab-bank", 1, True),
        "green:status": (6, None, "lab-bank", 2, False),
    },
    "ringer": {
        "SW_MUTE_DEVICE": (0, None, "lab-bank", 0, True),
        "green:status": (2, 3, "lab-bank", 16, False),
        "CONTACT": (10, 11, "lab-bank", 3, True),
        "red:alarm": (4, None, "lab-bank", 20, False),
    },
}
POWER, POWER_SENSE, CLICK = 7, 8, 9
OPEN_DRAIN = {10}
WIRES = BOARDS[sys.argv[1]]


class Pull:
    """What a line of a simulated chip is from outside."""

    def __init__(self, bank, offset):
        self.bank, self.offset = bank, offset
        self.find()

    def find(self):
        self.folder = f"{Chip(self.bank).folder}/sim_gpio{self.offset}"

    def set(self, level):
        for _ in range(2):
            try:
                write_text(f"{self.folder}/pull", {0: "low", 1: "high", None: "open"}[level])
                return
            except OSError:  # the chip was unplugged: it is elsewhere now, if it is back
                with contextlib.suppress(LabError):
                    self.find()

    @property
    def level(self):
        try:
            return int(read_text(f"{self.folder}/value"))
        except OSError:
            return 0


class Wires:
    def __init__(self):
        self.banks = {bank.label: bank for bank in devicetree.banks(board()).values()}
        self.sound, self.is_out, self.values, self.queue = None, {}, {}, []
        self.copied, self.fault, self.wire = {}, "", ""
        self.bases = {label: Chip(bank).base for label, bank in self.banks.items()}
        self.ends = {}  # by the number of the line that sets the wire: its name, the far end, the sense line
        for name, (line, sense, chip, offset, is_driven) in WIRES.items():
            own, device = Pull(self.banks["bench"], line), Pull(self.banks[chip], offset)
            ear = Pull(self.banks["bench"], sense) if sense is not None else None
            if line in OPEN_DRAIN:
                write_text(f"{device.folder}/pull", "pull-up")  # the device's resistor
            number, is_output = self.bases[chip] + offset, Chip(self.banks[chip]).line_info(offset)[2] & LINE_IS_OUTPUT
            self.is_out[number] = bool(is_output)
            if is_driven:
                self.ends[self.bases["bench"] + line] = (name, device, ear)
                if ear:
                    ear.set(device.level)
            else:
                self.ends[number] = (name, own, ear)
                for end in (own, ear):
                    if end:
                        end.set(device.level)
        self.power_sense = Pull(self.banks["bench"], POWER_SENSE)
        self.power_sense.set(0)
        os.makedirs(TRACING, exist_ok=True)
        write_text(f"{TRACING}/trace_clock", "mono")
        write_text(f"{TRACING}/events/gpio/gpio_value/filter", "get==0")
        write_text(f"{TRACING}/events/gpio/enable", "1")
        self.pipe = os.open(f"{TRACING}/trace_pipe", os.O_RDONLY | os.O_NONBLOCK)

    def run(self):
        set_timer_slack(1)
        usleep = ctypes.CDLL(None).usleep  # one system call, of which each takes its time here
        while True:
            self.read()
            wait = POLL
            while self.queue and (wait := self.queue[0][0] - time.monotonic()) <= 0:
                _, action, *arguments = self.queue.pop(0)
                action(*arguments)
                wait = POLL
            usleep(max(1, int(min(wait, POLL) * 1e6)))

    def after(self, at, action, *arguments):
        self.queue.append((at, action, *arguments))
        self.queue.sort(key=lambda entry: entry[0])

    def read(self):
        with contextlib.suppress(BlockingIOError):
            while True:  # a read gives a page at most
                for row in os.read(self.pipe, 65536).decode().splitlines():
                    if match := re.search(r" (\d+\.\d+): gpio_(value|direction): (\d+) +(?:set )?(\w+)", row):
                        self.take(float(match[1]), match[2], int(match[3]), match[4])

    def take(self, at, kind, number, text):
        line = number - self.bases["bench"]
        if kind == "direction":
            self.is_out[number] = text == "out"
            if text == "out" and line in OPEN_DRAIN:
                self.values[number] = 0
            self.changed(at, number, self.values.get(number, 0) if text == "out" else None)
        else:
            self.values[number] = int(text)
            if self.is_out.get(number) and line not in OPEN_DRAIN:
                self.changed(at, number, int(text))

    def changed(self, at, number, level):
        line = number - self.bases["bench"]
        if line == POWER:
            self.after(at + DELAY, self.set_power, level or 0)
        elif line == CLICK and level and self.sound:
            self.sound.clicks.append(at)
        elif number in self.ends:
            self.carry(at, *self.ends[number], level, line)

    def carry(self, at, name, far, ear, level, line):
        is_driven = name in WIRES and WIRES[name][4]
        if not is_driven and level is None:
            level = 0  # the firmware has let go of its output: the device's pull
        if self.copied.get(name, (0, level))[1] == level and name in self.copied:
            return
        count = self.copied.get(name, (0, None))[0] + 1
        self.copied[name] = count, level
        delay, levels = DELAY, [level]
        fault = self.fault if self.wire == name else ""
        if fault == "break" or fault == "drop" and count % 2 == 0:
            levels = []
        elif fault == "delay":
            delay += 0.05
        elif fault == "bounce" and level is not None:
            levels = [level, 1 - level, level]
        for number, one in enumerate(levels):
            self.after(at + delay + number * 0.0003, self.set_end, far, one, ear if is_driven else None)
        if ear and not is_driven:
            self.after(at + DELAY, self.set_end, ear, level, None)

    def set_end(self, far, level, ear):
        far.set(level)
        if ear:  # it is wired to the device's end
            ear.set(far.level)

    def set_power(self, level):
        self.power_sense.set(level)
        if level:
            open("/tmp/power", "w").close()
            return
        if os.path.exists("/tmp/power"):
            os.remove("/tmp/power")
        for entry in filter(str.isdecimal, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if b"\0DEVICE=1" in b"\0" + file.read():
                        os.kill(int(entry), signal.SIGKILL)
            except OSError:
                pass


    def follow_faults(self):
        os.mkfifo("/tmp/faults")
        while True:
            with open("/tmp/faults", encoding="utf-8") as file:
                for line in file:
                    self.begin_fault(*line.split(" ")[:2])

    def begin_fault(self, fault, wire=""):
        self.fault, self.wire = fault.strip(), wire.strip()
        self.sound.lost = 10 if self.fault == "underrun" else 10**9 if self.fault == "stall" else 0
        if self.fault == "power":
            self.set_power(0)
        for name, far, ear in self.ends.values():
            level = self.copied.get(name, (0, None if WIRES[name][4] else 0))[1]
            self.copied[name] = 0, level
            if not self.fault:
                self.set_end(far, level, ear)
            if self.fault == "break" and name == self.wire:
                far.set(None)


class Sound:
    """What the device plays goes to the bench's line-in, its left input; clicks to the right one.

    A chunk is passed on HOLD chunks later, when all of its clicks are known. A click's place in it follows from the number of
    frames before it, not from when this program reads them. When more than LATE chunks wait, chunks are dropped, so that the
    delay does not grow.
    """

    CHUNK, HOLD, LATE, RATE = 480, 3, 12, 48000
    BUFFER = 400_000 if IS_REAL else 100_000  # so many microseconds of the sound are kept in the wire
    FORMAT = ["-q", "-t", "raw", "-f", "S16_LE", "-c", "2", "-r", str(RATE), "--period-time=10000", f"--buffer-time={BUFFER}"]

    def __init__(self):
        self.clicks, self.pending, self.lost = [], 0, 0  # lost: how many chunks get lost
        self.open_source()
        self.open_sink()
        threading.Thread(target=self.run, daemon=True).start()

    def open_source(self):
        self.source = subprocess.Popen(["arecord", "-D", "hw:Loopback,1,0", *self.FORMAT], stdout=subprocess.PIPE, bufsize=0)

    def open_sink(self):
        self.sink = subprocess.Popen(["aplay", "-D", "hw:Loopback,0,1", *self.FORMAT], stdin=subprocess.PIPE, bufsize=0)
        self.sink.stdin.write(bytes(6 * self.CHUNK * 4))

    def run(self):
        while True:
            self.copy()
            # arecord has ended, of an error of the card; the bench hears that clicks are missing.
            self.source.wait()
            time.sleep(0.1)
            self.open_source()

    def copy(self):
        size, chunks = self.CHUNK * 4, []
        # When the first frame was, as each of the last chunks says: it cannot have come too early, but for the card's tick.
        starts = collections.deque(maxlen=100)
        for number in itertools.count(1):
            data = bytearray()
            while len(data) < size:
                if not (part := self.source.stdout.read(size - len(data))):
                    return
                data += part
            starts.append(time.monotonic() - (number - 1) * self.CHUNK / self.RATE)
            chunks.append(data)
            waiting = array.array("i", [0])
            fcntl.ioctl(self.source.stdout, termios.FIONREAD, waiting)
            if number > self.HOLD:
                at = min(starts) + (number - self.HOLD - 1) * self.CHUNK / self.RATE
                self.pass_on(chunks.pop(0), at, is_late=waiting[0] > self.LATE * size)

    def pass_on(self, data, at, is_late):
        right, first = bytearray(2 * self.CHUNK), 0
        if self.clicks and not self.pending and (place := round((self.clicks[0] - at) * self.RATE)) < self.CHUNK:
            self.clicks.pop(0)
            first, self.pending = max(0, place), 200
        if self.lost or is_late:
            self.lost, self.pending = max(0, self.lost - 1), 0
            return
        count = min(self.pending, self.CHUNK - first)
        right[2 * first : 2 * (first + count)] = (20000).to_bytes(2, "little") * count
        self.pending -= count
        for place in (2, 3):
            data[place::4] = right[place - 2 :: 2]
        try:
            self.sink.stdin.write(data)
        except BrokenPipeError:  # an underrun has ended it; the bench hears that clicks are missing
            self.sink.wait()
            self.open_sink()


class Serial:
    """/tmp/serial is the bench's end; at the other one the device has a shell."""

    def __init__(self, wires):
        bench, bench_end = pty.openpty()
        device, device_end = pty.openpty()
        tty.setraw(bench_end)
        os.symlink(os.ttyname(bench_end), "/tmp/serial")
        self.wires, self.count = wires, 0

        def control():
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        subprocess.Popen(
            ["sh", "-i"], stdin=device_end, stdout=device_end, stderr=device_end, preexec_fn=control,
            env=os.environ | {"DEVICE": "1", "ALSA_CONFIG_PATH": "/tmp/device.conf"},
        )  # fmt: skip
        threading.Thread(target=self.copy, args=(bench, device, False), daemon=True).start()
        threading.Thread(target=self.copy, args=(device, bench, True), daemon=True).start()

    def copy(self, source, target, is_output):
        while data := bytearray(os.read(source, 4096)):
            for place, byte in enumerate(data) if is_output else ():
                self.count += 1
                if self.count % 20 == 0 and chr(byte).isalpha():
                    data[place] ^= {"garble": 0x80, "flip": 1}.get(self.wires.fault, 0)
            os.write(target, data)


def main():
    if IS_REAL:  # Wires come before all else that runs here, and no thread of theirs keeps another one waiting.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        sys.setswitchinterval(0.0002)
    wires = Wires()
    wires.sound = Sound()
    if sys.argv[1] == "ringer":
        Serial(wires)
    threading.Thread(target=wires.follow_faults, daemon=True).start()
    print("wired", flush=True)
    wires.run()


main()
