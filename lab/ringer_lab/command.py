"""The command `ringer-lab`."""

import argparse
import contextlib
import importlib.util
import json
import math
import os
import shutil
import signal
import sys

from ringer_lab import LabError, __version__, deliver, junit, machine, parts
from ringer_lab.parts import PART

DESCRIPTION = """\
Runs firmware on a Linux kernel with real gpio, input, LED and sound drivers over simulated hardware. The kernel is a
process of this machine (x86-64), boots in half a second and needs no rights. Time is virtual: sleeping takes no real
time, computing no virtual time, and every run has the same times.

  run COMMAND     runs a command in it, as root; input is empty, output and exit status are the command's
  pytest TESTS    runs tests in it that use the fixture `lab`; JUnit and recordings are written to lab-results/
  board           which line, driver, name, event device, LED and PCM the board has
  shell           a terminal in it, in real time

The first three take --bench FILE.toml: then they run at a real device that is wired to this machine (docs/bench.md).

`ringer-lab pytest --help` and `ringer-lab board --help` say more of these."""

PYTEST = """\
Runs pytest in the laboratory. A test takes the fixture `lab`, and is at the board until its end:

  def test_flip(lab):
      firmware = lab.firmware("./doorbell", ready="ready")
      at = lab.line("MUTE_SW").set(1)
      lab.advance(1)
      assert lab.speaker.silent_since - at < 0.1

  lab.firmware(COMMAND..., ready=)   .signal .input .datagram .wait .wait_for .lines .output
  lab.line(NAME) .led(NAME) .motor() .set .release .bounce .noise .value .edges .highs .pulses
  lab.key(CODE) .switch .jack .slider, lab.unplug(DEVICE) .plug(DEVICE), lab.input(NAME).events
  lab.speaker                        .heard .silent_since .differs(FILE)
  lab.advance(SECONDS), lab.now      the clock

A test fails as well if the firmware ended badly, or if a recorder stopped. It leaves a folder in --output, named by the
test's id and in junit.xml: report.html, one page with all of it; run.vcd (lines, input, the speaker's level) and its picture
run.svg, heard.wav, firmware.log, kernel.log. A run that is switched off leaves junit.xml as well, with an error at its last test.

pytest's settings and installed plug-ins are those of elsewhere; options of pytest come behind the tests or --. -n N deals
the tests to N laboratories side by side; pytest-timeout's seconds are the host's. Modules of your own are found with
--env PYTHONPATH=FOLDER.

With --times each event of a test (a line that is set, a signal, ...) comes later by another shift in each run. A failure
prints its shift, and the command that repeats it exactly."""

BOARD = """\
Shows the board, as the drivers have it: for each line its chip, its number, its name for libgpiod, the driver, the part (an
LED by its name in /sys/class/leds), the key's, switch's or slider's code, the event device, and who has requested the
line; then the LEDs, the sound cards, and the labels that overlays may use."""

EPILOG = """\
The guest sees the host's files in the same places, read-only; what it writes to /tmp, /var/tmp and $TMPDIR is gone with
it. /dev, /proc, /sys and /run are its own. It has no network but its loopback. Of the environment it gets PATH, HOME,
LANG, TERM, NO_COLOR, LD_LIBRARY_PATH and what --env names; RINGER_LAB=1 says that it is the laboratory.

An overlay is device-tree source that begins with /dts-v1/; /plugin/; and gives lines of the chip to drivers:

  &{/} { keys { compatible = "gpio-keys"; silent { label = "Silent"; gpios = <&gpio 20 0>; linux,code = <148>; }; }; };

`&gpio { gpio-line-names = "MUTE_SW", "MOTOR_EN"; };` names the chip's 32 lines. `ringer-lab board` shows the outcome.

exit status: the command's (128 and the number for a signal; pytest's are 0 passed, 1 failed, 2 interrupted, 3 broken,
4 bad options of its own, 5 no tests), and
  124  it had not ended at the deadline
  125  the laboratory failed, or could not begin; the reason is on standard error
  64   bad usage"""


class Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog):
        super().__init__(prog, width=120)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        if "unrecognized" in message:
            message += "; options of pytest or of your command come after --"
        print(f"{self.prog}: {message}; see ringer-lab --help", file=sys.stderr)
        raise SystemExit(64)


def positive(text):
    value = int(text)
    if value <= 0:
        raise ValueError
    return value


def seconds(text):
    value = float(text)
    if not 0 <= value < math.inf:
        raise ValueError
    return value


positive.__name__ = "positive number"


def parser():
    common = Parser(add_help=False, formatter_class=Formatter)
    several = {"action": "append", "default": []}
    common.add_argument(
        "--overlay", **several, metavar="FILE.dtso", help="a device-tree overlay of your board, applied after Ringer's own parts; any number"
    )
    common.add_argument("--bare", action="store_true", help="without Ringer's own parts: all lines are free")
    common.add_argument(
        "--speaker",
        default="default",
        metavar="PCM",
        help="the PCM of the firmware that is recorded: a name, or hw:0 (default: default)",
    )
    common.add_argument("--rate", type=positive, default=48000, metavar="HZ", help="the speaker's (default: 48000)")
    common.add_argument(
        "--env", **several, metavar="NAME[=VALUE]", help="a variable for the guest, with the host's value or this one; any number"
    )
    common.add_argument("--bus", action="store_true", help="a dbus-daemon inside, as session and as system bus")
    common.add_argument(
        "--writable", **several, metavar="DIR", help="a folder of the host's that the guest may write; any number"
    )
    common.add_argument("--real-time", action="store_true", help="the guest's clock is the host's")
    common.add_argument(
        "--deadline",
        type=positive,
        default=300,
        metavar="S",
        help="real seconds until it is switched off (default: 300; a shell has none)",
    )
    common.add_argument("--memory", type=positive, default=512, metavar="MB", help="the guest's memory (default: 512)")

    bench = Parser(add_help=False)
    bench.add_argument(
        "--bench", metavar="FILE.toml", help="on a real device that is wired to this machine as the file says, in real time (docs/bench.md); what describes the simulated board is ignored"
    )
    shared = common.format_help().partition("options:\n")[2].replace("options:", "")
    main = Parser(
        prog="ringer-lab",
        description=DESCRIPTION,
        formatter_class=Formatter,
        usage="%(prog)s run|pytest|board|shell [OPTIONS] [--] [COMMAND | TESTS]",
        epilog=f"options of all four:\n{shared}\n{EPILOG}",
    )
    main.add_argument("--version", action="version", version=__version__)
    commands = main.add_subparsers(dest="what", required=True, prog="ringer-lab", metavar="run|pytest|board|shell", parser_class=Parser)
    options = {"parents": [common, bench], "epilog": EPILOG, "formatter_class": Formatter}
    run = commands.add_parser("run", usage="ringer-lab run [OPTIONS] [--] COMMAND", description="Runs a command in the laboratory.", **options)
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    tests = commands.add_parser("pytest", usage="ringer-lab pytest [OPTIONS] [--] TESTS", description=PYTEST, **options)
    tests.add_argument(
        "--output",
        default="lab-results",
        metavar="DIR",
        help="gets junit.xml, and a folder for each test that failed (default: lab-results)",
    )
    tests.add_argument(
        "--times",
        type=positive,
        metavar="N",
        help="runs each test N times; its events come later by 0, 1, 2 ... times --over/N",
    )
    tests.add_argument("--over", type=seconds, default=0.1, metavar="S", help="the whole shift of --times, in seconds (default: 0.1)")
    tests.add_argument("--shift", type=seconds, metavar="S", help="runs each test with its events S seconds later")
    tests.add_argument("command", nargs=argparse.REMAINDER, metavar="[--] TESTS", help="and options of pytest")
    board = commands.add_parser("board", usage="ringer-lab board [OPTIONS]", description=BOARD, **options)
    board.add_argument("--json", action="store_true", help="as one JSON object")
    options["parents"] = [common]
    commands.add_parser("shell", usage="ringer-lab shell [OPTIONS]", description="A terminal in the laboratory.", **options)
    return main


def at_bench():
    """What the command does at a bench: the laboratory needs none of it."""
    from ringer_lab.bench import run as module

    return module


def options_of(arguments):
    return machine.Options(
        overlays=arguments.overlay,
        bare=arguments.bare,
        speaker=arguments.speaker,
        rate=arguments.rate,
        env=list(arguments.env),
        real_time=arguments.real_time,
        deadline=arguments.deadline,
        memory=arguments.memory,
        writable=list(arguments.writable),
        bus=arguments.bus,
    )


def python(options, *arguments):
    """A command of this interpreter, resolved here: a shim that looks for it takes seconds in the guest."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if own := machine.environment(options).get("PYTHONPATH"):
        package += f":{own}"
    options.env += [f"PYTHONPATH={package}", "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1"]
    return [sys.executable, "-u", *arguments]


def options_words(arguments):
    """The options that are not their defaults, as words of a command, but for the tests' and their shifts."""
    words, defaults = [], vars(parser().parse_args([arguments.what]))
    for name, value in vars(arguments).items():
        if name not in ("command", "times", "over", "shift", "words") and value != defaults[name]:
            option = "--" + name.replace("_", "-")
            given = value if isinstance(value, list) else [value]
            words += [option] if value is True else [word for one in given for word in (option, str(one))]
    return words


def run(options, arguments):
    command = arguments.command
    if command[:1] == ["--"]:
        command = command[1:]
    if not command:
        parser().error("run needs a command")
    if arguments.bench:
        return at_bench().run(arguments, command)
    if command[0] in ("python", "python3"):
        command = [sys.executable, *command[1:]]
    machine.check_program(command[0])
    return machine.boot(options, command)


def pytest(options, arguments):
    if importlib.util.find_spec("pytest") is None:
        raise LabError(f"{sys.executable} has no pytest: pip install pytest, or apt-get install python3-pytest")
    rest = list(arguments.command)
    if "--" in rest:  # before the tests, or between them and pytest's options
        rest.remove("--")
    shifts = []
    if arguments.shift is not None:
        shifts = [f"--lab-shift={arguments.shift!r}"]
    elif arguments.times:
        shifts = [f"--lab-times={arguments.times}", f"--lab-over={arguments.over!r}"]
    words = [["ringer-lab", "pytest", *options_words(arguments)], rest]
    if arguments.bench:
        return at_bench().pytest(arguments, words, [*shifts, *rest])
    output = os.path.abspath(arguments.output)
    try:
        os.makedirs(output, exist_ok=True)
    except OSError as error:
        raise LabError(f"--output {output}: no such folder can be made: {error.strerror}") from None
    machine.check_space(output, "--output")
    part = os.environ.get(PART, "")
    own = f"{output}/.part-{part.partition('/')[0]}" if part else f"{output}/.own"  # what is not for the user's eyes
    shutil.rmtree(own, ignore_errors=True)
    os.mkdir(own)
    cache = f"{output}/.pytest_cache"
    if part:
        with contextlib.suppress(FileNotFoundError):
            shutil.copytree(cache, f"{own}/cache")
        cache = f"{own}/cache"
    results = f"{own if part else output}/junit.xml"
    junit.write_unfinished(results, "ringer-lab", "pytest", "the tests had not begun when the laboratory ended")
    options.writable.append(output)
    options.env += [
        *(name for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_TIMEOUT", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "COVERAGE_FILE") if name in os.environ),
        f"RINGER_LAB_OUTPUT={output}",
        f"RINGER_LAB_OWN={json.dumps([own, results, part])}",
        f"RINGER_LAB_WORDS={json.dumps(words)}",
    ]
    command = python(
        options,
        "-m",
        "pytest",
        "-p",
        "ringer_lab.plugin",
        "-p",
        "no:xdist",
        "-p",
        "no:xdist.looponfail",
        "-o",
        f"cache_dir={cache}",
        f"--color={'yes' if sys.stdout.isatty() else 'no'}",
        *shifts,
        *rest,
    )
    try:
        status = machine.boot(options, command)
        if options.jobs and not part:
            status = parts.run(options.jobs, output, arguments.words)
        deliver.carry_out(f"{own}/files", arguments.words)
        return status
    finally:
        if not part:
            shutil.rmtree(own, ignore_errors=True)


def board(options, arguments):
    if arguments.bench:
        return at_bench().board(arguments)
    return machine.boot(options, python(options, "-m", "ringer_lab.board", *(["--json"] if arguments.json else [])))


def shell(options, _):
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise LabError("shell needs a terminal; a script runs with: ringer-lab run -- sh FILE")
    options.real_time = True
    size = os.get_terminal_size()
    # Without the host's start-up files: what they look for may take long in the guest.
    script = f"stty rows {size.lines} cols {size.columns}; export PS1='lab# '; exec bash --norc -i"
    return machine.boot(options, ["sh", "-c", script], terminal=True)


def main(words=None):
    words = sys.argv[1:] if words is None else words
    arguments = parser().parse_args(words)
    arguments.words = words
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        command = {"run": run, "pytest": pytest, "board": board, "shell": shell}[arguments.what]
        return command(options_of(arguments), arguments)
    except LabError as error:
        print(f"ringer-lab: {error}", file=sys.stderr)
    except OSError as error:
        print(f"ringer-lab: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return machine.FAILED
