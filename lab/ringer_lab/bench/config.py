"""bench.toml: what a bench has, and how it is wired. Every complaint is one sentence that names the file and the key."""

import re
import termios
import tomllib
from dataclasses import MISSING, dataclass, field, fields

from ringer_lab import LabError

DRIVES = {"push-pull": False, "open-drain": True}
CHANNELS = {"left": 0, "right": 1}
BAUDS = sorted(int(name[1:]) for name in dir(termios) if re.fullmatch(r"B[1-9]\d*", name))


def one_of(*values):
    return field(default=values[0], metadata={"values": values})


def seconds(most, **default):
    return field(metadata={"range": (0, most), "unit": " seconds"}, **default)


def between(least, most, default):
    return field(metadata={"range": (least, most)}, default=default)


@dataclass
class Part:
    """A wire between the bench and the device. With `drive` the bench sets it, otherwise it listens."""

    gpio: str
    active: str = one_of("high", "low")
    drive: str = one_of("", *DRIVES)
    sense: str = ""  # a second line, an input, that is wired to the same place at the device
    rest: int = field(default=-1, metadata={"values": (-1, 0, 1)})  # the level while the device is idle; -1: any
    bias: str = one_of("", "pull-up", "pull-down", "disabled")

    @property
    def is_active_low(self):
        return self.active == "low"


@dataclass
class Hand(Part):
    """A part that a hand moves: the bench closes a contact to ground, unless the file has another drive."""

    active: str = one_of("low", "high")
    drive: str = one_of("open-drain", "push-pull")


@dataclass
class Light(Part):
    """A part that the bench only listens to."""

    drive: str = field(default="", init=False)


@dataclass
class Switched:
    """What a relay's line, or two commands, switch on and off."""

    gpio: str = ""
    active: str = one_of("high", "low")
    on: list = field(default_factory=list)
    off: list = field(default_factory=list)

    @property
    def is_active_low(self):
        return self.active == "low"


@dataclass
class Power(Switched):
    sense: str = ""  # an input that is high while the device has power
    boot: float = seconds(3600, default=60.0)  # until the device answers, at most
    each: str = one_of("run", "test")  # how often it is switched off and on


@dataclass
class Firmware:
    command: list = field(default_factory=list)  # runs {script} with a shell of the device: ssh, adb shell
    serial: str = ""  # or a serial line with a shell
    baud: int = field(default=115200, metadata={"values": BAUDS})
    parity: str = one_of("none", "even", "odd")
    copy: list = field(default_factory=list)  # copies {file} to the same path of the device


@dataclass
class Sound:
    pcm: str
    click: str  # the line that is wired to the other input, for the measured latency
    rate: int = between(4000, 384000, 48000)
    channel: str = one_of(*CHANNELS)  # the input that the speaker is wired to
    gain: float = between(0.001, 1000, 1.0)  # what the samples are multiplied by, so that they are as loud as the firmware's
    silence: float = between(0, 0.5, 0.01)  # what is softer, as a part of full scale, is none
    latency: float = seconds(5, default=0.5)  # the longest that is believed


@dataclass
class Config:
    path: str
    name: str
    tolerance: float = seconds(10)  # by how much the times of a right device may differ
    skew: float = seconds(0.1, default=0.001)  # by how much an edge and that of its sense line may differ
    firmware: Firmware = None
    power: Power = None
    speaker: Sound = None
    lines: dict = field(default_factory=dict)
    leds: dict = field(default_factory=dict)
    motors: dict = field(default_factory=dict)
    keys: dict = field(default_factory=dict)
    switches: dict = field(default_factory=dict)
    jacks: dict = field(default_factory=dict)
    sliders: dict = field(default_factory=dict)  # of each the parts by position
    devices: dict = field(default_factory=dict)  # what unplug() takes away


TABLES = {"firmware": Firmware, "power": Power, "speaker": Sound}
COLLECTIONS = {
    "lines": Part,
    "leds": Light,
    "motors": Light,
    "keys": Hand,
    "switches": Hand,
    "jacks": Hand,
    "devices": Switched,
}
TYPES = {str: "a text", int: "a whole number", float: "a number", list: "a list of texts", dict: "a table"}
UNSET = ("", -1)  # defaults that the file cannot say


def is_a(value, kind):
    if kind is list:
        return isinstance(value, list) and all(isinstance(word, str) for word in value)
    return isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)


class Reader:
    def __init__(self, path):
        self.path = path

    def fail(self, text):
        raise LabError(f"{self.path}: {text}")

    def wrong(self, key, value, allowed):
        shown = str(value).lower() if isinstance(value, bool) else repr(value)
        self.fail(f"{key} is {shown}; it has to be {allowed}")

    def typed(self, key, value, kind):
        if not is_a(value, kind):
            self.wrong(key, value, TYPES[kind])
        return value

    def check_value(self, key, value, one):
        """Complains of a value that its field `one` does not allow."""
        if words := [word for word in one.metadata.get("values", ()) if word not in UNSET]:
            if type(value) is not one.type or value not in words:
                self.wrong(key, value, f"one of: {', '.join(map(str, words))}")
            return
        text, is_right = TYPES[one.type], is_a(value, one.type)
        if "range" in one.metadata:
            least, most = one.metadata["range"]
            text += f" from {least:g} to {most:g}{one.metadata.get('unit', '')}"
            is_right = is_right and least <= value <= most
        elif one.type is str:
            text += " that is not empty"
            is_right = is_right and value != ""
        else:
            text += " that begins with the name of a program"
            is_right = is_right and "".join(value[:1]) != ""
        if not is_right:
            self.wrong(key, value, text)

    def table(self, key, values, kind, others=()):
        """An instance of the class `kind` from a table; `others` are keys that the caller reads."""
        self.typed(key or "the file", values, dict)
        known = {one.name: one for one in fields(kind) if one.name != "path" and one.init}
        dot = f"{key}." if key else ""
        for name in values:
            if name not in known:
                self.fail(f"{dot}{name} is no key; there are: {', '.join(sorted(known))}")
        given = {name: value for name, value in values.items() if name not in others}
        for name, value in given.items():
            self.check_value(f"{dot}{name}", value, known[name])
        for name, one in known.items():
            if name not in values and one.default is MISSING and one.default_factory is MISSING:
                self.fail(f"{dot}{name} is missing; it has to be {TYPES[one.type]}")
        return kind(**given) if kind is not Config else given

    def read(self):
        try:
            with open(self.path, "rb") as file:
                text = file.read().decode()
            values = tomllib.loads(text)
        except OSError as error:
            self.fail(f"it cannot be read: {error.strerror}")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            self.fail(f"it is no UTF-8: line {line} has the byte 0x{error.object[error.start]:02x}")
        except tomllib.TOMLDecodeError as error:
            place = re.search(r"at line (\d+)", str(error))
            self.fail(f"it is no TOML: {error}" + (f": {text.splitlines()[int(place[1]) - 1].strip()}" if place else ""))
        plain = self.table("", values, Config, {*TABLES, *COLLECTIONS, "sliders"})
        config = Config(self.path, **plain)
        for name, kind in TABLES.items():
            if name in values:
                setattr(config, name, self.table(name, values[name], kind))
        for name, kind in COLLECTIONS.items():
            parts = self.typed(name, values.get(name, {}), dict)
            setattr(config, name, {one: self.table(f"{name}.{one}", part, kind) for one, part in parts.items()})
        for name, positions in self.typed("sliders", values.get("sliders", {}), dict).items():
            found = config.sliders[name] = {}
            for position, part in self.typed(f"sliders.{name}", positions, dict).items():
                if not position.isdecimal():
                    self.fail(f"sliders.{name}.{position} is no position; positions are whole numbers")
                found[int(position)] = self.table(f"sliders.{name}.{position}", part, Hand)
        self.check(config)
        return config

    def check(self, config):
        """Complains of what fits no other key."""
        if firmware := config.firmware:
            if bool(firmware.command) == bool(firmware.serial):
                self.fail(f"firmware has {'both' if firmware.serial else 'neither'} command {'and' if firmware.serial else 'nor'} serial; it needs one of them")
            for name, default in {"baud": 115200, "parity": "none"}.items():
                if firmware.command and getattr(firmware, name) != default:
                    self.fail(f"firmware.{name} is for firmware.serial, and there is firmware.command")
            for name, part, what in (("command", "{script}", "which the device's shell runs"), ("copy", "{file}", "which is copied")):
                words = getattr(firmware, name)
                if words and not any(part in word for word in words):
                    self.wrong(f"firmware.{name}", words, f"a list of texts one of which has {part}, {what}")
        switched = {f"devices.{name}": device for name, device in config.devices.items()}
        if config.power:
            switched["power"] = config.power
        for key, one in switched.items():
            if bool(one.gpio) == bool(one.on) or bool(one.on) != bool(one.off):
                given = " and ".join(name for name in ("gpio", "on", "off") if getattr(one, name))
                self.fail(f"{key} has {given or 'none of them'}; it needs gpio, or both on and off")
            if one.on and one.is_active_low:
                self.fail(f"{key}.active is for {key}.gpio, and there are {key}.on and {key}.off")
        used = {}
        for key, gpio in self.gpios(config):
            if gpio in used:
                self.fail(f"{key} is {gpio}, which {used[gpio]} is as well")
            used[gpio] = key
        for key, part in parts(config):
            if part.drive and part.bias:
                self.fail(f"{key}.bias is for a line that the bench listens to, and {key}.drive says that it sets it")

    def gpios(self, config):
        """The key and the line of everything in the file that names a line."""
        for key, part in parts(config):
            yield f"{key}.gpio", part.gpio
            if part.sense:
                yield f"{key}.sense", part.sense
        for name, device in config.devices.items():
            if device.gpio:
                yield f"devices.{name}.gpio", device.gpio
        if config.power:
            yield from ((f"power.{name}", gpio) for name in ("gpio", "sense") if (gpio := getattr(config.power, name)))
        if config.speaker:
            yield "speaker.click", config.speaker.click


def parts(config):
    """Every wire of the file by its key."""
    for collection in ("lines", "leds", "motors", "keys", "switches", "jacks"):
        for name, part in getattr(config, collection).items():
            yield f"{collection}.{name}", part
    for name, positions in config.sliders.items():
        for position, part in positions.items():
            yield f"sliders.{name}.{position}", part


def read(path):
    return Reader(path).read()
