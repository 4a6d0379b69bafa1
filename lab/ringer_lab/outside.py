"""pytest's plug-in outside of the laboratory, where ringer-lab is installed: tests that use `lab` are run in one, as if they ran here."""

import json
import os
import shlex
import subprocess
import sys
import tempfile

import pytest

from ringer_lab import is_inside

REPORTS, REASON = pytest.StashKey(), pytest.StashKey()


def pytest_addoption(parser):
    parser.addini("ringer_lab", "options of `ringer-lab pytest`, such as --overlay FILE, for `pytest` alone", type="args", default=[])


def uses(item):
    return "lab" in getattr(item, "fixturenames", ())


def run(session, items, folder):
    """Runs them in a laboratory. Returns what pytest reported of each there, and why others have no report."""
    config = session.config
    words = [word for word in config.invocation_params.args if word not in config.args]
    command = [sys.executable, "-m", "ringer_lab", "pytest", *config.getini("ringer_lab"), "--writable", folder, "--", *words]
    command += [f"--rootdir={config.rootpath}", f"--lab-reports={folder}/reports"]
    command += [f"{item.path}::{item.nodeid.partition('::')[2]}" for item in items]
    with open(f"{folder}/output", "w+", encoding="utf-8", errors="replace") as output:
        # How far the kernel's build is comes on standard error.
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
        output.seek(0)
        said = "\n".join((output.read() + done.stderr).splitlines()[-20:])
    reports = {}
    if os.path.exists(f"{folder}/reports"):
        with open(f"{folder}/reports", encoding="utf-8") as file:
            for line in file:
                report = config.hook.pytest_report_from_serializable(config=config, data=json.loads(line))
                reports.setdefault(report.nodeid, []).append(report)
    # A test at which the laboratory ended has no report of its end.
    complete = {name: found for name, found in reports.items() if found[-1].when == "teardown"}
    return complete, f"ringer-lab pytest ended with status {done.returncode} before this test had:\n{said}"


if not is_inside() and "RINGER_LAB_BENCH" not in os.environ:

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtestloop(session):
        config, items = session.config, [item for item in session.items if uses(item)]
        if items and not config.option.collectonly:
            if hasattr(config, "workerinput") or getattr(config.option, "cov_source", None):
                words = shlex.join(["ringer-lab", "pytest", *config.invocation_params.args])
                config.stash[REASON] = f"the fixture `lab` is a laboratory: with -n or --cov type  {words}"
            else:
                with tempfile.TemporaryDirectory(prefix="ringer-lab-pytest.") as folder:
                    config.stash[REPORTS], config.stash[REASON] = run(session, items, folder)
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(item):
        reports = item.config.stash.get(REPORTS, {}).get(item.nodeid)
        if not reports:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.fixture
    def lab(request):
        words = shlex.join(["ringer-lab", "pytest", *request.config.invocation_params.args])
        reason = request.config.stash.get(REASON, f"the fixture `lab` is a laboratory: type  {words}")
        pytest.fail(reason, pytrace=False)
