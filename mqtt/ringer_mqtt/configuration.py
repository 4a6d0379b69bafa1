"""The configuration file: lines of KEY = VALUE, as in ringerd.conf."""
import dataclasses
import ipaddress
import os
import re
import shlex
import socket
import ssl

# What messages may ask for; each has a topic of its own. The second row changes the device, and needs the group ringer.
COMMANDS = ("announce", "play", "alert", "vibrate", "stop")
CONTROLS = (
    "position", "do-not-disturb", "quiet-hours", "lock", "volume",
    "announcement-volume", "media-volume", "alert-volume", "alarm-volume", "call-volume")


class ConfigurationError(Exception):
    """What is wrong, in one line that names the file and the line."""


@dataclasses.dataclass
class Configuration:
    """What the file says."""

    broker: str = ""
    port: int = 0
    name: str = ""
    title: str = ""
    base: str = ""
    discovery_prefix: str | None = "homeassistant"
    user: str | None = None
    password_file: str | None = None
    authorities: str | None = None
    certificate: str | None = None
    key: str | None = None
    commands: tuple = COMMANDS
    sounds: str | None = None
    addresses: tuple = ()
    speech: tuple = ()
    largest_message: int = 4096
    largest_sound: int = 8 << 20
    messages: int = 20
    period: float = 10
    requests: int = 8
    keep_alive: int = 60
    obeys: bool = True

    @property
    def has_tls(self):
        return self.authorities is not None

    @property
    def password(self):
        """The first line of the password's file."""
        if self.password_file is None:
            return None
        try:
            with open(self.password_file, encoding="utf-8") as file:
                return file.readline().rstrip("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{self.password_file}: {error}") from None

    def tls_context(self):
        """What TLS is made of; nothing without it."""
        if not self.has_tls:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        for file, load in (
                (self.authorities, lambda: context.load_verify_locations(self.authorities)),
                (self.certificate, lambda: self.certificate and context.load_cert_chain(self.certificate, self.key))):
            try:
                load()
            except OSError as error:
                raise ConfigurationError(f"{file}: {error.strerror or error}") from None
        return context

    def check(self):
        """What else would show only at work: the files that keys name."""
        _ = self.password
        self.tls_context()
        if self.speech and not os.access(self.speech[0], os.X_OK):
            raise ConfigurationError(f"{self.speech[0]}: there is no such program")
        if self.sounds and not os.path.isdir(self.sounds):
            raise ConfigurationError(f"{self.sounds}: there is no such folder")


def read(path):
    """The configuration of a file."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: {error}") from None
    configuration, seen = Configuration(), set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        where = f"{path}, line {number}"
        if not equals:
            raise ConfigurationError(f"{where}: KEY = VALUE is needed")
        if key not in READERS:
            raise ConfigurationError(f"{where}: there is no key {key}")
        if key in seen:
            raise ConfigurationError(f"{where}: {key} is there twice")
        seen.add(key)
        try:
            READERS[key](configuration, value)
        except ValueError as error:
            raise ConfigurationError(f"{where}: {key}: {error}") from None
    complete(configuration, path)
    return configuration


def complete(configuration, path):
    """What follows from several keys, or from none."""
    if not configuration.broker:
        raise ConfigurationError(f"{path}: the key broker is missing")
    if not configuration.name:
        configuration.name = re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname()) or "ringer"
    configuration.title = configuration.title or configuration.name
    configuration.base = configuration.base or f"ringer/{configuration.name}"
    configuration.port = configuration.port or (8883 if configuration.has_tls else 1883)
    if (configuration.certificate is None) != (configuration.key is None):
        raise ConfigurationError(f"{path}: certificate and key need each other")
    if configuration.certificate and not configuration.has_tls:
        raise ConfigurationError(f"{path}: certificate needs authorities")
    for file in filter(None, (configuration.authorities, configuration.certificate, configuration.key)):
        try:
            with open(file, "rb"):
                pass
        except OSError as error:
            raise ConfigurationError(f"{file}: {error.strerror}") from None
    if configuration.password_file and configuration.user is None:
        raise ConfigurationError(f"{path}: password-file needs user")
    if configuration.user is not None and not configuration.has_tls and not is_loopback(configuration.broker):
        raise ConfigurationError(f"{path}: user and password are not sent without TLS: authorities is missing")


def is_loopback(host):
    """Whether nobody else hears what is sent there."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def setting(name, convert):
    """A reader of a key whose value is kept under that name."""
    return lambda configuration, value: setattr(configuration, name, convert(value))


def text(pattern, description):
    """A value of that form."""
    def convert(value):
        if not re.fullmatch(pattern, value):
            raise ValueError(description)
        return value
    return convert


def number(least, most):
    """A whole number of that range."""
    def convert(value):
        if not re.fullmatch(r"[0-9]{1,9}", value) or not least <= int(value) <= most:
            raise ValueError(f"a whole number from {least} to {most} is needed")
        return int(value)
    return convert


def path(value):
    if not os.path.isabs(value):
        raise ValueError("an absolute path is needed")
    return value


def commands(value):
    """The topics that are obeyed."""
    words = tuple(value.split())
    for word in words:
        if word not in COMMANDS + CONTROLS:
            raise ValueError(f"{word} is none of {', '.join(COMMANDS + CONTROLS)}")
    return words


def addresses(value):
    """Beginnings of addresses; each names its host to the end, so that no other one begins alike."""
    words = tuple(value.split())
    for word in words:
        if not re.fullmatch(r"https?://[A-Za-z0-9.\-\[\]:]+/[^\s?#@]*", word):
            raise ValueError(f"{word} is no beginning of an address: http(s)://HOST/ and perhaps a path are needed")
    return words


def speech(value):
    """A command that reads text and writes a WAV file; its program is an absolute path."""
    words = tuple(shlex.split(value))
    if not words or not os.path.isabs(words[0]):
        raise ValueError("a command that begins with an absolute path is needed")
    return words


def choice(value):
    if value not in ("yes", "no"):
        raise ValueError("yes or no is needed")
    return value == "yes"


def rate(configuration, value):
    found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", value)
    if not found or int(found[1]) < 1 or int(found[2]) < 1:
        raise ValueError("MESSAGES/SECONDS is needed, such as 20/10")
    configuration.messages, configuration.period = int(found[1]), float(found[2])


TOPIC = r"[^/+#\s\x00-\x1f$][^+#\s\x00-\x1f]{0,99}(?<!/)"
READERS = {
    "broker": setting("broker", text(r"[A-Za-z0-9._:\-]{1,253}", "a host is needed")),
    "port": setting("port", number(1, 65535)),
    "name": setting("name", text(r"[A-Za-z0-9_-]{1,64}", "letters, digits, _ and - are needed, 64 at most")),
    "title": setting("title", text(r"[^\x00-\x1f]{1,64}", "1 to 64 characters are needed")),
    "topic": setting("base", text(TOPIC, "a topic is needed, without +, # and blanks")),
    "discovery-prefix": setting("discovery_prefix", lambda value: None if value == "none" else text(
        TOPIC, "a topic is needed, or none")(value)),
    "user": setting("user", text(r"[^\x00-\x1f]{1,128}", "a name is needed")),
    "password-file": setting("password_file", path),
    "authorities": setting("authorities", path),
    "certificate": setting("certificate", path),
    "key": setting("key", path),
    "commands": setting("commands", commands),
    "sounds": setting("sounds", path),
    "addresses": setting("addresses", addresses),
    "speech": setting("speech", speech),
    "largest-message": setting("largest_message", number(64, 65536)),
    "largest-sound": setting("largest_sound", number(1024, 24 << 20)),
    "rate": rate,
    "requests": setting("requests", number(1, 16)),
    "obey": setting("obeys", choice),
    "keep-alive": setting("keep_alive", number(5, 3600)),
}
