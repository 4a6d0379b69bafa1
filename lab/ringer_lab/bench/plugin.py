"""pytest's plug-in at a bench: the fixture `lab`, what it lacks, and what a failed test leaves."""

import os
import shutil
import signal

import pytest

from ringer_lab import LabError, plugin
from ringer_lab.bench.bench import Bench
from ringer_lab.bench.lab import BenchLab
from ringer_lab.plugin import (  # noqa: F401: pytest calls some of them
    LAB,
    finish,
    folder_of,
    pytest_addoption,
    pytest_generate_tests,
    pytest_runtest_makereport,
)

BENCH = pytest.StashKey()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Where the bench has failed, that is the verdict, whatever the test has made of it."""
    try:
        return plugin.pytest_pyfunc_call(pyfuncitem)
    except (Exception, pytest.fail.Exception) as error:
        problems = getattr(pyfuncitem.funcargs.get("lab"), "bench_problems", [])
        if not problems or str(error).startswith(problems[0]):
            raise
        pytest.fail("; ".join([*problems, f"the test itself failed with {type(error).__name__}: {error}"]))


def pytest_configure(config):
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the device is switched off at the end of the command too
    if config.option.lab_jobs not in (None, "0"):
        raise pytest.UsageError("-n does not work at a bench: there is one device")
    try:
        config.stash[BENCH] = Bench(os.environ["RINGER_LAB_BENCH"])
    except LabError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_unconfigure(config):
    if BENCH in config.stash:
        config.stash[BENCH].close()


@pytest.fixture
def lab(request):
    if output := folder_of(request.node):
        shutil.rmtree(output, ignore_errors=True)  # of an earlier run
    shift = getattr(request, "param", request.config.getoption("--lab-shift") or 0.0)
    lab = BenchLab(request.config.stash[BENCH], shift)
    request.node.stash[LAB] = lab
    request.node.user_properties.append(("bench", lab.board.name))
    if lab.own_speaker:
        request.node.user_properties.append(("latency", f"{lab.own_speaker.latency:.6f}"))
    yield lab
    finish(lab)


def pytest_report_header(config):
    bench = config.stash[BENCH].config
    return f"bench: {bench.name} ({bench.path}), times to {bench.tolerance:g} s"


def pytest_terminal_summary(terminalreporter, config):
    lacking = config.stash[BENCH].lacking
    if lacking:
        parts = ", ".join(f"{what} ({count} skipped)" for what, count in sorted(lacking.items()))
        terminalreporter.write_line(f"bench {config.stash[BENCH].config.name} lacks: {parts}")
