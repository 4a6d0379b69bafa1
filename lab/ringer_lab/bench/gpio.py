"""This machine's GPIO lines, by the kernel's interface for programs, which all versions of libgpiod use.

Source: linux/gpio.h, version 2 of the interface, Linux 5.10.
"""

import fcntl
import glob
import os
import struct

from ringer_lab import LabError
from ringer_lab.lines import GPIO_GET_CHIPINFO, GPIO_V2_GET_LINEINFO

GET_LINE, SET_CONFIG, GET_VALUES, SET_VALUES = 0xC250B407, 0xC110B40D, 0xC010B40E, 0xC010B40F
INPUT, OUTPUT, RISING, FALLING, OPEN_DRAIN = 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6
BIAS = {"": 0, "pull-up": 1 << 8, "pull-down": 1 << 9, "disabled": 1 << 10}
SET_VALUE = 2  # the id of an attribute: the values of outputs
# struct gpio_v2_line_config, the rest of struct gpio_v2_line_request, and struct gpio_v2_line_event.
CONFIG, EVENT = struct.Struct("=QI20x240s"), struct.Struct("=QIIII24x")
EVENTS_KEPT = 1024  # by the kernel, until they are read


def text_of(data):
    return data.split(b"\0")[0].decode(errors="replace")


def find(name):
    """The chip's device and the line's number, of `CHIP:NUMBER` or of a line's name. A chip goes by its device or its label."""
    chip, _, number = name.rpartition(":")
    found = []
    for device in sorted(glob.glob("/dev/gpiochip*")):
        try:
            with open(device, "rb") as file:
                own, label, count = struct.unpack("32s32sI", fcntl.ioctl(file, GPIO_GET_CHIPINFO, bytes(68)))
                if chip and number.isdecimal():
                    if chip in (text_of(own), text_of(label), device) and int(number) < count:
                        found.append((device, int(number)))
                    continue
                for offset in range(count):
                    data = fcntl.ioctl(file, GPIO_V2_GET_LINEINFO, struct.pack("64xI188x", offset))
                    if text_of(data[:32]) == name:
                        found.append((device, offset))
        except OSError as error:
            raise LabError(f"{device} cannot be used: {error.strerror}") from None
    if len(found) != 1:
        raise LabError(f"this machine has {len(found) or 'no'} {'lines' if len(found) > 1 else 'line'} {name}; gpiodetect and gpioinfo list them")
    return found[0]


def config(flags, level):
    # Of an output also its level: struct gpio_v2_line_config_attribute.
    attribute = struct.pack("=IIQQ", SET_VALUE, 0, level, 1) if flags & OUTPUT else b""
    return CONFIG.pack(flags, 1 if attribute else 0, attribute)


class Request:
    """One line that this process has until `close`. It is an open input at first."""

    def __init__(self, name, flags=INPUT, level=0):
        self.name = name
        device, offset = find(name)
        events = EVENTS_KEPT if flags & (RISING | FALLING) else 0
        data = struct.pack("=I252x32s272sII20xi", offset, b"ringer-lab", config(flags, level), 1, events, 0)
        try:
            with open(device, "rb") as file:
                self.file = struct.unpack_from("=i", fcntl.ioctl(file, GET_LINE, data), len(data) - 4)[0]
        except OSError as error:
            raise LabError(f"the line {name} cannot be had: {error.strerror}; gpioinfo says who has it") from None

    def configure(self, flags, level=0):
        """Makes it an output at that level, or an input."""
        try:
            fcntl.ioctl(self.file, SET_CONFIG, config(flags, level))
        except OSError as error:
            raise LabError(f"the line {self.name} cannot be set: {error.strerror}") from None

    @property
    def level(self):
        try:
            return struct.unpack("=QQ", fcntl.ioctl(self.file, GET_VALUES, struct.pack("=QQ", 0, 1)))[0] & 1
        except OSError as error:
            raise LabError(f"the line {self.name} cannot be read: {error.strerror}") from None

    def set(self, level):
        try:
            fcntl.ioctl(self.file, SET_VALUES, struct.pack("=QQ", level, 1))
        except OSError as error:
            raise LabError(f"the line {self.name} cannot be set: {error.strerror}") from None

    def close(self):
        os.close(self.file)


class Input(Request):
    """A line that the bench listens to: `edges` are [(time, level)] with the kernel's time stamps."""

    def __init__(self, name, bias=""):
        super().__init__(name, INPUT | RISING | FALLING | BIAS[bias])
        self.start, self.edges, self.problem, self.number = self.level, [], None, 0
        self.is_closed = False
        os.set_blocking(self.file, False)

    def begin(self):
        """Forgets the edges so far."""
        self.drain()
        self.edges.clear()
        self.start = self.level

    def drain(self):
        """Takes what the kernel has kept until now."""
        while self.problem is None and not self.is_closed:
            try:
                data = os.read(self.file, 64 * EVENT.size)
            except BlockingIOError:
                return
            except OSError as error:
                self.problem = f"the line {self.name} is lost: {error.strerror}"
                return
            for stamp, kind, _, _, number in EVENT.iter_unpack(data):
                if number != self.number + 1:
                    self.problem = f"the line {self.name}: {number - self.number - 1} edges were lost: call advance() more often"
                self.number = number
                self.edges.append((stamp / 1e9, int(kind == 1)))

    def close(self):
        self.drain()
        self.is_closed = True
        super().close()
