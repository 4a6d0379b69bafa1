"""`-n`: the tests are dealt to laboratories side by side, each a run of `ringer-lab pytest` of its own."""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

PART = "RINGER_LAB_PART"  # in such a run's environment: its number from 0, a slash, how many there are
LAST_FAILED = "cache/v/cache/lastfailed"


def run(jobs, output, words):
    """Runs them with these words of the command; their junit.xml and what failed are put together. Returns the status."""
    count = int(jobs) if jobs.isdecimal() else len(os.sched_getaffinity(0))
    before = read_json(f"{output}/.pytest_cache/v/cache/lastfailed")
    runs = []
    try:
        for number in range(count):
            out = tempfile.TemporaryFile()
            command = [sys.executable, "-m", "ringer_lab", *words]
            path = os.pathsep.join([os.path.dirname(os.path.dirname(os.path.abspath(__file__))), *filter(None, [os.environ.get("PYTHONPATH")])])
            env = os.environ | {PART: f"{number}/{count}", "PYTHONPATH": path}
            runs.append((out, subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)))
        for number, (out, process) in enumerate(runs):
            process.wait()
            out.seek(0)
            sys.stdout.write(f"laboratory {number + 1} of {count}:\n{out.read().decode(errors='replace')}")
            sys.stdout.flush()
    finally:
        for _, process in runs:
            if process.poll() is None:
                process.terminate()
                process.wait()
    folders = [f"{output}/.part-{number}" for number in range(count)]
    merge(folders, output)
    remember([read_json(f"{folder}/{LAST_FAILED}") for folder in folders], before, output)
    for folder in folders:
        subprocess.run(["rm", "-rf", folder])
    statuses = {process.returncode for _, process in runs}
    # 5 is a laboratory without a test: there were fewer than laboratories.
    return max(statuses - {5}, default=5)


def merge(folders, output):
    suites = [xml.parse(f"{folder}/junit.xml").getroot().find("testsuite") for folder in folders]
    whole, *others = suites
    for suite in others:
        for count in ("errors", "failures", "skipped", "tests"):
            whole.set(count, str(int(whole.get(count, 0)) + int(suite.get(count, 0))))
        whole.extend(suite)
    root = xml.Element("testsuites")
    root.append(whole)
    xml.ElementTree(root).write(f"{output}/junit.xml", encoding="utf-8", xml_declaration=True)
    bad = int(whole.get("errors")) + int(whole.get("failures"))
    print(f"{len(folders)} laboratories: {whole.get('tests')} tests, {bad} failed, {whole.get('skipped')} skipped")


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def remember(failed, before, output):
    """For --lf: a test that failed before is forgotten by the laboratory in which it has passed now."""
    found = {name: True for part in failed for name in part if name not in before or all(name in other for other in failed)}
    folder = f"{output}/.pytest_cache/v/cache"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/lastfailed", "w", encoding="utf-8") as file:
        json.dump(found, file, indent=2)
