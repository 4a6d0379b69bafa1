"""The command line."""
import argparse
import os
import signal
import sys

from . import VERSION
from .bridge import Bridge
from .configuration import ConfigurationError, read
from .loop import Loop


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="ringer-mqtt", description="Ringer's device on an MQTT broker, and in Home Assistant.",
        epilog="Runs until SIGTERM or SIGINT. Exit status, with one line on standard error: 1 failed, 64 bad usage, 78 a wrong "
        "configuration file.")
    parser.error = lambda message: (print(f"ringer-mqtt: {message}; see --help", file=sys.stderr), sys.exit(64))
    parser.add_argument("--config", default="/etc/ringer/ringer-mqtt.conf", metavar="FILE", help="default: %(default)s")
    parser.add_argument("--check", action="store_true", help="only read the file, and look for what it names")
    parser.add_argument("--session", action="store_true", help="the service of the session bus")
    parser.add_argument("--version", action="version", version=VERSION)
    options = parser.parse_args(arguments)
    # As the command and the clients of the service.
    is_session = options.session or os.environ.get("RINGER_BUS") == "session"
    try:
        configuration = read(options.config)
        if options.check:
            configuration.check()
            return 0
        loop = Loop()
        bridge = Bridge(loop, configuration, "SESSION" if is_session else "SYSTEM")
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: loop.hand_over(lambda: end(loop)))
        bridge.start()
        loop.run()
        bridge.stop()
        return 0
    except ConfigurationError as error:
        print(f"ringer-mqtt: {error}", file=sys.stderr)
        return 78
    except (OSError, EOFError, KeyError) as error:
        print(f"ringer-mqtt: {error.strerror if isinstance(error, OSError) and error.strerror else repr(error)}"
              f"{f': {error.filename}' if getattr(error, 'filename', None) else ''}", file=sys.stderr)
        return 1


def end(loop):
    loop.runs = False
