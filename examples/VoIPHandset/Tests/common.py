"""What the tests share: the programs under test, and sipp."""
import os
import subprocess
import sys
import tempfile

from handset import PATIENCE, Handset

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM, RINGERD = sys.argv[1:3]


def start(*options, **others):
    return Handset(PROGRAM, *options, **others)


def sipp(scenario, handset, *options, folder=None):
    """Runs a scenario of sipp to its end; every call must succeed."""
    with tempfile.TemporaryDirectory() as work:
        result = subprocess.run(
            ["sipp", "-sf", os.path.join(HERE, "scenarios", scenario + ".xml"), f"127.0.0.1:{handset.port}", "-i",
             "127.0.0.1", "-nostdin", "-trace_err", "-error_file", os.path.join(work, "errors"), *options],
            cwd=folder or work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=4 * PATIENCE)
        if result.returncode != 0:
            errors = ""
            if os.path.exists(os.path.join(work, "errors")):
                with open(os.path.join(work, "errors")) as file:
                    errors = file.read()
            raise AssertionError(f"sipp {scenario}: {result.returncode}\n{errors[-2000:]}")


def last_events(handset):
    """The last event of each call."""
    return {event["call"]: event["event"] for event in list(handset.events) if "call" in event}
