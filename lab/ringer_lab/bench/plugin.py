"""pytest's plug-in at a bench: the fixture `lab`, what it lacks, and what a failed test leaves."""

import os
import shutil
import signal
import sys

import pytest

from ringer_lab import LabError, plugin, report
from ringer_lab.bench.bench import Bench
from ringer_lab.bench.lab import BenchLab
from ringer_lab.machine import FAILED
from ringer_lab.plugin import (  # noqa: F401: pytest calls some of them
    LAB,
    finish,
    folder_of,
    pytest_addoption,
    pytest_generate_tests,
    pytest_runtest_makereport,
)

BENCH, JUNIT = pytest.StashKey(), pytest.StashKey()  # JUNIT: where the project wants junit.xml


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


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the device is switched off at the end of the command too
    if config.option.lab_jobs not in (None, "0"):
        raise pytest.UsageError("-n does not work at a bench: there is one device")
    if config.option.lab_xdist or config.option.lab_loops:
        word = "lab_loops" if config.option.lab_loops else "lab_xdist"
        raise pytest.UsageError(f"{plugin.REFUSED[word][0]} does not work at a bench")
    config.stash[JUNIT] = config.option.xmlpath and os.path.abspath(os.path.expanduser(config.option.xmlpath))
    config.option.xmlpath = os.path.join(os.environ["RINGER_LAB_OUTPUT"], "junit.xml")
    config.pluginmanager.register(Interruption())
    try:
        config.stash[BENCH] = Bench(os.environ["RINGER_LAB_BENCH"])
    except LabError as error:
        raise pytest.UsageError(str(error)) from None


class Interruption:
    """Makes the test a failed one in which the run was ended, as it is at its deadline."""

    item = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.item = item

    def pytest_runtest_logfinish(self):
        self.item = None

    def pytest_keyboard_interrupt(self):
        if self.item:
            text = "the run was ended before the end of this test"
            result = pytest.TestReport(self.item.nodeid, self.item.location, {}, "failed", text, "call")
            self.item.ihook.pytest_runtest_logreport(report=result)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    """Behind all others: switches the device off, and copies junit.xml to where the project wants it."""
    yield
    config = session.config
    try:
        config.stash[BENCH].close()
        if path := config.stash[JUNIT]:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copyfile(config.option.xmlpath, path)
    except (LabError, OSError) as error:
        print(f"ringer-lab: {error}", file=sys.stderr)
        session.exitstatus = FAILED


@pytest.fixture
def lab(request):
    if output := folder_of(request.node):
        shutil.rmtree(output, ignore_errors=True)  # of an earlier run
    shift = getattr(request, "param", request.config.getoption("--lab-shift") or 0.0)
    lab = BenchLab(request.config.stash[BENCH], shift)
    lab.host_start = lab.host_end = report.host_time("begin")
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
