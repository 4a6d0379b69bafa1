"""Run by ../test_labgrid.py with labgrid's own plug-in of pytest, at the doorbell's bench."""

import os
import time

import pytest
from labgrid.protocol import PowerProtocol


@pytest.fixture
def bench(target):
    return target.get_driver("RingerBenchDriver")


def test_power(target, bench):
    assert target.get_driver(PowerProtocol) is bench
    bench.on()
    assert bench.open_bench.shell.ask("true")[0] == 0
    assert os.path.exists("/tmp/power")
    shell = bench.open_bench.shell
    bench.cycle()
    assert bench.open_bench.shell is not shell and os.path.exists("/tmp/power")
    bench.off()
    time.sleep(0.1)  # the wires take 2 ms
    assert not os.path.exists("/tmp/power")


def test_tests(bench):
    folder = os.environ["OUTPUT"]
    words = ["--output", folder, "--", f"{os.environ['EXAMPLES']}/test_doorbell.py", "-k", "the_motor"]
    assert bench.pytest(*words) == 0
    assert bench.pytest(*words, "-k", "nonesuch") == 5
