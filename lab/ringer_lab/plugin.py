"""pytest's plug-in in the laboratory: the fixture `lab`, and what a failed test leaves."""

import contextlib
import errno
import hashlib
import importlib
import inspect
import json
import os
import shlex
import shutil
import urllib.parse

import pytest

from ringer_lab import junit, report, results
from ringer_lab.lab import Lab

OWN, RESULTS, PART = json.loads(os.environ.pop("RINGER_LAB_OWN", '["", "", ""]'))
LAB, HAS_FAILED, OPTIONS = pytest.StashKey(), pytest.StashKey(), pytest.StashKey()
# The command's words. Not in the firmware's environment, whose length it would notice: by microseconds, when it starts.
COMMAND, WORDS = json.loads(os.environ.pop("RINGER_LAB_WORDS", "[[], []]"))


def pytest_addoption(parser):
    group = parser.getgroup("ringer-lab")
    group.addoption("--lab-times", type=int, default=0)
    group.addoption("--lab-over", type=float, default=0.1)
    group.addoption("--lab-shift", type=float)
    # pytest-xdist's, which is not loaded: each of its processes would need a laboratory.
    group._addoption("-n", "--numprocesses", dest="lab_jobs", metavar="N", help="N laboratories side by side; auto: one for each processor")
    group.addoption("--dist", dest="lab_dist", help="ignored: the tests are dealt one by one")
    for option in ("--tx", "--rsyncdir", "--maxprocesses", "--max-worker-restart"):
        group.addoption(option, dest="lab_xdist", action="append", help="not in the laboratory")
    group._addoption("-f", "--looponfail", dest="lab_loops", action="store_true", help="not in the laboratory")


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests(early_config):
    # Before pytest-cov begins, in its own implementation of this hook.
    options = early_config.known_args_namespace
    if getattr(options, "cov_source", None):
        path = importlib.import_module("coverage").Coverage(config_file=options.cov_config).get_option("run:data_file")
        os.environ["COVERAGE_FILE"] = on_the_host(early_config, path)
        if options.cov_append and os.path.exists(path):
            shutil.copyfile(path, os.environ["COVERAGE_FILE"])
    yield


def on_the_host(config, path):
    """Where the guest writes a file that the host then puts to `path`."""
    path = os.path.join(config.invocation_params.dir, os.path.expanduser(path))
    if os.path.commonpath([path, os.environ["RINGER_LAB_OUTPUT"]]) == os.environ["RINGER_LAB_OUTPUT"]:
        return path
    path = f"{OWN}/files{os.path.normpath(path)}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


REFUSED = {
    "usepdb": ("--pdb", "there is no input: print, or read firmware.log and run.vcd of the failed test"),
    "trace": ("--trace", "there is no input: print, or read firmware.log and run.vcd of the failed test"),
    "pastebin": ("--pastebin", "there is no network: send lab-results/junit.xml"),
    "lab_xdist": ("--tx, --rsyncdir, --maxprocesses or --max-worker-restart", "laboratories side by side are -n N"),
    "lab_loops": ("--looponfail", "run ringer-lab pytest again with --lf"),
    "debug": ("--debug", "use -v, or --trace-config"),
}
COVERAGE = {"html": "htmlcov", "xml": "coverage.xml", "json": "coverage.json", "lcov": "coverage.lcov"}


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    options(config)  # before any is set below
    option = config.option
    for name, (word, instead) in REFUSED.items():
        if getattr(option, name, None):
            raise pytest.UsageError(f"{word} does not work in the laboratory: {instead}")
    jobs = option.lab_jobs or "0"
    if not jobs.isdecimal() and jobs not in ("auto", "logical"):
        raise pytest.UsageError(f"-n {jobs}: a number of laboratories is meant, or auto")
    # What is written beside the tests.
    if option.xmlpath and not PART:
        path = on_the_host(config, option.xmlpath)
        if path.startswith(OWN):
            os.symlink(RESULTS, path)
    option.xmlpath = RESULTS
    if jobs != "0" and not PART and not option.collectonly:
        for name, word in {"htmlpath": "--html", "cov_source": "--cov"}.items():
            if getattr(option, name, None):
                raise pytest.UsageError(f"{word} and -n do not work together in the laboratory: leave out one of them")
        with open(os.path.join(os.environ["RINGER_LAB_RUN"], "jobs"), "w", encoding="utf-8") as file:
            file.write(jobs)
        return pytest.ExitCode.OK
    for name in ("htmlpath", "log_file"):
        if path := getattr(option, name, None):
            setattr(option, name, on_the_host(config, path))
    if coverage := config.pluginmanager.getplugin("_cov"):
        reports = coverage.options.cov_report
        for kind in COVERAGE if isinstance(reports, dict) else ():
            if kind in reports:
                reports[kind] = on_the_host(config, reports[kind] or COVERAGE[kind])
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session):
    """Of several laboratories each has its share of what -k and --lf have left, whatever order a plug-in gave it."""
    if PART:
        items = session.items
        number, count = map(int, PART.split("/"))
        mine = set(sorted(item.nodeid for item in items)[number::count])
        items[:] = [item for item in items if item.nodeid in mine]


@pytest.fixture(scope="session")
def worker_id():
    """pytest-xdist's."""
    return f"gw{PART.partition('/')[0]}" if PART else "master"


# pytest-timeout's seconds are the host's, which ends the run: in virtual time a test that spins would never reach them.


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_set_timer(item, settings):
    with open(os.path.join(os.environ["RINGER_LAB_RUN"], "timeout"), "w", encoding="utf-8") as file:
        file.write(f"{settings.timeout:g}")
    return True


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_cancel_timer(item):
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(os.environ["RINGER_LAB_RUN"], "timeout"))
    return True


def pytest_generate_tests(metafunc):
    option = metafunc.config.getoption
    times, over, shift = option("--lab-times"), option("--lab-over"), option("--lab-shift")
    shifts = [shift] if shift is not None else [round(over * step / times, 6) for step in range(times)]
    if shifts and "lab" in metafunc.fixturenames:
        metafunc.parametrize("lab", shifts, indirect=True, ids=[f"shift={shift!r}" for shift in shifts])


@pytest.fixture
def lab(request):
    if output := folder_of(request.node):
        shutil.rmtree(output, ignore_errors=True)  # of an earlier run
    lab = Lab(getattr(request, "param", request.config.getoption("--lab-shift") or 0.0))
    lab.host_start = lab.host_end = report.host_time("begin")
    request.node.stash[LAB] = lab
    yield lab
    finish(lab)  # another fixture failed, or the test took this one by getfixturevalue()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    # The host names the test that did not end.
    with open(os.path.join(os.environ["RINGER_LAB_RUN"], "doing"), "w", encoding="utf-8") as file:
        file.write(item.nodeid)
    junit.follow(item.config, item)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    lab = pyfuncitem.funcargs.get("lab")
    if not isinstance(lab, Lab) or inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    is_passed = False
    try:
        pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
        is_passed = True
    finally:
        finish(lab, is_passed)
    return True


def finish(lab, is_judged=True):
    """Ends the recording, unless it has ended; fails the test for what was wrong with it."""
    if lab.end is None:
        problems = lab.finish()
        lab.host_end = report.host_time("end")
        if is_judged and problems:
            pytest.fail("; ".join(problems), pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    if call.excinfo is not None and not call.excinfo.errisinstance(pytest.skip.Exception):
        item.stash[HAS_FAILED] = True
        if getattr(call.excinfo.value, "errno", None) == errno.ENOSPC:
            item.add_report_section(call.when, "laboratory", "the guest's own files are in its memory: give it more with --memory")
        if getattr(call.excinfo.value, "errno", None) == errno.EROFS:
            item.add_report_section(call.when, "laboratory", "the host's files are read-only here: write to tmp_path, or use --writable DIR")
    lab = item.stash.get(LAB, None)
    paths = None
    if lab is not None and lab.end is not None and item.stash.get(HAS_FAILED, False):
        del item.stash[LAB]
        paths = explain(item, lab, call.when)
    outcome = yield
    if paths:
        write_page(item, lab, paths, outcome.get_result())


def folder_of(item):
    """Where the test's recordings go: a folder for each part of its id, so that no two tests share one. None: nowhere."""
    output = os.environ.get("RINGER_LAB_OUTPUT")
    path, *names = junit.parts_of(item.nodeid)
    return output and os.path.join(output, *map(file_name, [*path.split("/"), *names]))


def file_name(text):
    """A name that any file system takes, another one for each text."""
    name = urllib.parse.quote(text, safe="[]=,+@") if text.strip(".") else text.replace(".", "%2E")
    return name if len(name) <= 120 else f"{name[:100]}~{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def explain(item, lab, when):
    """Leaves the recordings, and says where. Returns their paths by name, with that of the page, which is written last."""
    paths = None
    if lab.problems:
        item.add_report_section(when, "laboratory", "\n".join(lab.problems))
    if output := folder_of(item):
        try:
            saved = results.save(lab, output)
            paths = {"report.html": os.path.join(output, "report.html"), **saved}
            item.user_properties.append(("nodeid", item.nodeid))
            for name, path in paths.items():
                item.user_properties.append((name, os.path.relpath(path, os.environ["RINGER_LAB_OUTPUT"])))
            item.add_report_section(when, "recordings", "\n".join(paths.values()))
        except OSError as error:
            shutil.rmtree(output, ignore_errors=True)  # junit.xml, which is written last, needs room as well
            item.add_report_section(when, "recordings", f"none: {error}: make room there, or use another --output")
    if lab.shift:
        item.add_report_section(
            when, "shift", f"the events came {lab.shift!r} s later; the same again:\n{repetition(item, lab.shift)}"
        )
    return paths


def write_page(item, lab, paths, result):
    try:
        report.write(
            paths["report.html"], item.nodeid, result.longreprtext, result.sections, lab, paths, repetition(item, lab.shift)
        )
    except OSError as error:
        result.sections.append(("laboratory", f"no report.html: {error}"))


def names_tests(config, number):
    """Whether this one of the words names tests, which the same word is not as the value of -k."""
    if WORDS[number] not in config.args:
        return False
    mark = f"{WORDS[number]}."
    return mark in config._parser.parse_known_args([*WORDS[:number], mark, *WORDS[number + 1 :]]).file_or_dir


def options(config):
    """The command's words but for the tests. Parsing sets options anew where a plug-in keeps them in a default, as pytest-cov: once."""
    if OPTIONS not in config.stash:
        config.stash[OPTIONS] = [word for number, word in enumerate(WORDS) if not names_tests(config, number)]
    return [*config.stash[OPTIONS]]


def repetition(item, shift):
    """The command that runs this test again, in the same way and with the same id."""
    config = item.config
    words = options(config)
    has_root = config.inipath is not None or any(word.startswith("--rootdir") for word in words)
    if not has_root and config.rootpath != item.path.parent:
        words.append(f"--rootdir={os.path.relpath(config.rootpath)}")
    test = os.path.relpath(item.path) + "::" + item.nodeid.partition("::")[2]
    return shlex.join([*COMMAND, "--shift", repr(shift), "--", *words, test])
