"""The command's parts with --bench: they run on this machine, and on the device that is wired to it."""

import json
import os
import subprocess
import sys
import time

from ringer_lab import LabError, junit
from ringer_lab.bench.bench import Bench
from ringer_lab.bench.config import parts, read
from ringer_lab.bench.lab import BenchLab
from ringer_lab.machine import DEADLINE_PASSED


def pytest(arguments, words, tests):
    """Runs `tests`, words for pytest, at the bench; `words` are the command that repeats them, and its tests."""
    path = os.path.abspath(arguments.bench)
    read(arguments.bench)
    output = os.path.abspath(arguments.output)
    os.makedirs(output, exist_ok=True)
    junit.write_unfinished(f"{output}/junit.xml", "ringer-lab", "pytest", "the tests did not end at the bench")
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    env = os.environ | {
        "RINGER_LAB_BENCH": path,
        "RINGER_LAB_OUTPUT": output,
        "RINGER_LAB_WORDS": json.dumps(words),
        "PYTHONPATH": os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    for name, value in variables(arguments).items():
        env[name] = os.pathsep.join([package, value]) if name == "PYTHONPATH" else value
    command = [sys.executable, "-u", "-m", "pytest", "-p", "ringer_lab.bench.plugin"]
    command += ["-p", "no:xdist", "-p", "no:xdist.looponfail"]
    process = subprocess.Popen([*command, "-o", f"cache_dir={output}/.pytest_cache", *tests], env=env)
    try:
        return process.wait(arguments.deadline)
    except KeyboardInterrupt:
        process.wait()  # the terminal has interrupted it as well
        raise
    except subprocess.TimeoutExpired:
        text = f"the tests had not ended after {arguments.deadline} s at the bench: use --deadline"
        print(f"ringer-lab: {text}", file=sys.stderr)
        process.terminate()
        process.wait()
        junit.write_unfinished(f"{output}/junit.xml", "ringer-lab", "pytest", text, f"{output}/junit.xml")
        return DEADLINE_PASSED
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


def variables(arguments):
    """Those of --env: with a value, or with this machine's."""
    found = {}
    for setting in arguments.env:
        name, equals, value = setting.partition("=")
        if equals or name in os.environ:
            found[name] = value if equals else os.environ[name]
    return found


def run(arguments, command):
    """Runs a command on the device; its output is this one's."""
    bench = Bench(arguments.bench)
    try:
        lab = BenchLab(bench)
        try:
            if lab.config.firmware is None:
                raise LabError(bench.named("it has no firmware"))
            firmware = lab.firmware(*command, env=variables(arguments))
            status = firmware.wait(arguments.deadline)
        finally:  # also at the deadline, and where the command is ended: the program does not stay on the device
            problems = lab.finish()
        sys.stdout.write("".join(f"{text}\n" for _, text in firmware.lines))
        if problems:
            raise LabError("; ".join(problems))
        return status if status >= 0 else 128 - status
    except AssertionError as error:
        print(f"ringer-lab: {error}", file=sys.stderr)
        return DEADLINE_PASSED
    finally:
        bench.close()


def board(arguments):
    """Shows what the bench has, the present levels, and what was measured of the speaker's wire."""
    bench = Bench(arguments.bench)
    try:
        lab = BenchLab(bench)
        time.sleep(0.5)
        found = {
            "name": lab.config.name,
            "lines": [
                {"key": key, "gpio": part.gpio, "sense": part.sense, "drive": part.drive, "level": wire.value}
                for (key, part), wire in zip(parts(lab.config), lab.lines.values())
            ],
            "devices": sorted(lab.devices),
        }
        if lab.own_speaker:
            found["speaker"] = {"pcm": lab.config.speaker.pcm, "latency": round(lab.own_speaker.latency, 6), "heard": lab.speaker.heard}
        problems = lab.finish()
    finally:
        bench.close()
    if arguments.json:
        print(json.dumps(found | {"problems": problems}))
    else:
        columns = ["key", "gpio", "sense", "drive", "level"]
        rows = [columns] + [[str(row[column]) or "-" for column in columns] for row in found["lines"]]
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        if "speaker" in found:
            print(f"speaker: {found['speaker']['pcm']}, {found['speaker']['latency']:.6f} s late, heard: {found['speaker']['heard'] or 'nothing'}")
    if problems:
        raise LabError("; ".join(problems))
    return 0
