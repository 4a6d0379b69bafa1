"""pytest's plug-in in the laboratory: the fixture `lab`, and what a failed test leaves."""

import os
import re
import shutil

import pytest

from ringer_lab import recording
from ringer_lab.lab import Lab


def pytest_addoption(parser):
    group = parser.getgroup("ringer-lab")
    group.addoption("--lab-times", type=int, default=0)
    group.addoption("--lab-over", type=float, default=0.1)
    group.addoption("--lab-shift", type=float, default=0.0)


def pytest_generate_tests(metafunc):
    times, over = metafunc.config.getoption("--lab-times"), metafunc.config.getoption("--lab-over")
    if times and "lab" in metafunc.fixturenames:
        shifts = [round(over * step / times, 6) for step in range(times)]
        metafunc.parametrize("lab", shifts, indirect=True, ids=[f"shift={shift:g}" for shift in shifts])


@pytest.fixture
def lab(request):
    if output := folder_of(request.node):
        shutil.rmtree(output, ignore_errors=True)  # of an earlier run
    lab = Lab(getattr(request, "param", request.config.getoption("--lab-shift")))
    yield lab
    if lab.end is None:  # another fixture failed, or the test took this one by getfixturevalue()
        problems = lab.finish()
        explain(request.node, lab, problems, "teardown")
        if problems:
            pytest.fail("; ".join(problems), pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid):
    # The host names the test that did not end.
    with open(os.path.join(os.environ["RINGER_LAB_RUN"], "doing"), "w", encoding="utf-8") as file:
        file.write(nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    lab = pyfuncitem.funcargs.get("lab")
    if not isinstance(lab, Lab):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    is_passed = False
    try:
        pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
        is_passed = True
    finally:
        problems = lab.finish()
        if not is_passed or problems:
            explain(pyfuncitem, lab, problems)
        if is_passed and problems:
            pytest.fail("; ".join(problems), pytrace=False)
    return True


def folder_of(item):
    """Where the test's recordings go; empty if nowhere."""
    output = os.environ.get("RINGER_LAB_OUTPUT")
    return output and os.path.join(output, re.sub(r"[^\w.=-]+", "-", item.name).strip("-"))


def explain(item, lab, problems, when="call"):
    if problems:
        item.add_report_section(when, "laboratory", "\n".join(problems))
    if output := folder_of(item):
        try:
            paths = recording.save(lab, output)
            for name, path in paths.items():
                item.user_properties.append((name, os.path.relpath(path, os.path.dirname(output))))
            item.add_report_section(when, "recordings", "\n".join(paths.values()))
        except OSError as error:
            shutil.rmtree(output, ignore_errors=True)  # junit.xml, which is written last, needs room as well
            item.add_report_section(when, "recordings", f"none: {error}: make room there, or use another --output")
    if lab.shift:
        test = item.nodeid.partition("[")[0]
        item.add_report_section(
            when,
            "shift",
            f"the events came {lab.shift:g} s later; the same again:\nringer-lab pytest --shift {lab.shift:g} {test}",
        )
