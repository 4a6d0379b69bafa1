"""A project's own settings of pytest, and the plug-ins of its environment, in a laboratory that pip has installed."""

import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import pytest
from conftest import LAB

PLUGINS = ["asyncio", "mock", "timeout", "html", "cov", "xdist"]

PROJECT = {
    "pytest.ini": """[pytest]
asyncio_mode = auto
addopts = --timeout=300 --junitxml=report/results.xml --strict-markers
""",
    "test_project.py": """
import asyncio
import pytest

async def test_awaits(lab):
    start = lab.now
    await asyncio.sleep(100)
    assert lab.now - start >= 100

def test_mocks(lab, mocker):
    assert mocker.Mock(return_value=1)() == 1

@pytest.mark.parametrize("number", range(3))
def test_number(lab, number, worker_id):
    lab.firmware("echo", worker_id).wait()
    assert number != 1
""",
    "test_unending.py": """
import pytest

@pytest.mark.timeout(2)
def test_unending(lab):
    while True: pass
""",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of the programs of an environment with ringer-lab and the plug-ins."""
    folder = tmp_path_factory.mktemp("installed")
    for part in ("lab", "dts"):
        shutil.copytree(f"{os.path.dirname(LAB)}/{part}", folder / part)
    subprocess.run(["/usr/bin/python3", "-m", "venv", folder / "venv"], check=True)
    names = [f"pytest-{name}" for name in PLUGINS]
    subprocess.run([folder / "venv/bin/pip", "install", "--quiet", f"{folder}/lab[pytest]", *names], check=True)
    # As after any run of pytest on the host: the plug-ins' modules are compiled with its assertions, which each laboratory would do.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    (folder / "nothing").mkdir()
    compiled = subprocess.run([folder / "venv/bin/pytest", "--quiet"], cwd=folder / "nothing", env=environment, capture_output=True)
    assert compiled.returncode == 5, compiled.stdout  # no tests
    return folder / "venv/bin"


@pytest.fixture
def project(installed, tmp_path):
    """Runs a program of the environment in the project's folder: its status, and what it printed."""
    for name, content in PROJECT.items():
        (tmp_path / name).write_text(content)

    def run(program, *words):
        done = subprocess.run([installed / program, *words], cwd=tmp_path, capture_output=True, text=True, timeout=1000)
        return done.returncode, done.stdout + done.stderr

    return run


def test_plugins_addopts_and_reports(project, tmp_path):
    status, out = project(
        "ringer-lab", "pytest", "--", "-p", "no:randomly", "--html=report/page.html", "--cov=.", "--cov-report=xml", "test_project.py"
    )
    assert status == 1 and "1 failed, 4 passed" in out, out
    assert "test_number[1]" in (tmp_path / "report/page.html").read_text()
    assert 'filename="test_project.py"' in (tmp_path / "coverage.xml").read_text()
    for path in ("report/results.xml", "lab-results/junit.xml"):
        assert len(list(xml.parse(tmp_path / path).getroot().iter("testcase"))) == 5
    # What has failed is known to the next run.
    status, out = project("ringer-lab", "pytest", "test_project.py", "--lf", "-q")
    assert status == 1 and "1 failed" in out and "passed" not in out, out


def test_coverages_data_arrive_and_are_added_to(project, tmp_path):
    (tmp_path / "parts.py").write_text("def first():\n    return 1\n\ndef second():\n    return 2\n")
    (tmp_path / ".coveragerc").write_text("[run]\ndata_file = made/data\n")
    (tmp_path / "test_first.py").write_text("import parts\n\ndef test_first(lab):\n    assert parts.first() == 1\n")
    (tmp_path / "test_second.py").write_text("import parts\n\ndef test_second(lab):\n    assert parts.second() == 2\n")

    def missing():
        """The lines that no test ran, by coverage's own command on the host."""
        status, out = project("coverage", "report", "--show-missing", "--include=parts.py")
        assert status == 0, out
        return re.search(r"^parts.py +\d+ +(\d+)", out, re.MULTILINE)[1]

    for words, count in ((["test_first.py"], "1"), (["test_second.py", "--cov-append"], "0"), (["test_second.py"], "1")):
        status, out = project("ringer-lab", "pytest", *words, "--cov=.", "--cov-report=")
        assert status == 0, out
        assert missing() == count, out
    assert (tmp_path / "made/data").exists() and not (tmp_path / ".coverage").exists()


def test_laboratories_side_by_side(project, tmp_path):
    status, out = project("ringer-lab", "pytest", "test_project.py", "--", "-n", "2", f"--junitxml={tmp_path}/of-both.xml")
    assert status == 1 and "2 laboratories: 5 tests, 1 failed, 0 skipped" in out, out
    assert len(re.findall("^laboratory . of 2:$", out, re.MULTILINE)) == 2
    assert len({case.get("name") for case in xml.parse(tmp_path / "of-both.xml").getroot().iter("testcase")}) == 5
    assert "gw" in (tmp_path / "lab-results/test_project.py/test_number[1]/firmware.log").read_text()
    status, out = project("ringer-lab", "pytest", "test_project.py", "--", "-n", "2", "--lf", "-k", "number")
    assert status == 1 and "2 laboratories: 1 tests, 1 failed" in out, out


def test_a_tests_timeout_is_of_the_hosts_seconds(project, tmp_path):
    status, out = project("ringer-lab", "pytest", "test_unending.py")
    assert status == 124 and "test_unending.py::test_unending had not ended after 2 s of real time" in out, out
    assert "switched off" in (tmp_path / "lab-results/junit.xml").read_text()


def test_a_report_that_cannot_be_put_to_its_place(project, tmp_path):
    (tmp_path / "test_passes.py").write_text("def test_passes(): pass\n")
    for path in ("/proc/no.xml", f"{tmp_path}/test_passes.py/no.xml"):
        status, out = project("ringer-lab", "pytest", "test_passes.py", f"--junitxml={path}")
        assert status == 125 and f"ringer-lab: {path} cannot be written: " in out, out
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --junitxml=/var/tmp/elsewhere.xml\n")
    status, out = project("ringer-lab", "pytest", "test_passes.py")
    assert status == 125 and "/var/tmp/elsewhere.xml is outside of the present folder" in out, out


@pytest.mark.parametrize("words", [["--pdb"], ["--tx=popen"], ["-n", "2", "--cov=."]])
def test_what_cannot_work_is_refused_by_name(project, words):
    status, out = project("ringer-lab", "pytest", "test_project.py", *words)
    assert status == 4 and re.search(f"ERROR: .*{words[0].partition('=')[0]}.*laboratory: ", out), out


def test_pytest_alone_runs_what_uses_the_laboratory_in_one(project, tmp_path):
    (tmp_path / "test_here.py").write_text("import os\n\ndef test_here():\n    assert 'RINGER_LAB' not in os.environ\n")
    status, out = project("pytest", "test_project.py", "test_here.py", "-q")
    assert status == 1 and "1 failed, 5 passed" in out, out
    assert "> " in out and "assert number != 1" in out and "lab-results/test_project.py/test_number[1]/report.html" in out, out
    assert len(list(xml.parse(tmp_path / "report/results.xml").getroot().iter("testcase"))) == 6
    # What has failed is known to the next run; and options of the laboratory are the project's.
    with open(tmp_path / "pytest.ini", "a") as file:
        file.write("ringer_lab = --overlay missing.dtso\n")
    status, out = project("pytest", "--lf", "-q")
    assert status == 1 and "1 error" in out and "passed" not in out and "missing.dtso cannot be read" in out, out


def test_pytest_alone_says_which_test_ended_the_laboratory_and_what_to_type(project):
    status, out = project("pytest", "test_unending.py", "-q")
    assert status == 1 and "test_unending.py::test_unending had not ended after 2 s of real time" in out, out
    status, out = project("pytest", "test_unending.py", "-q", "-n", "2")
    assert status == 1 and "type  ringer-lab pytest test_unending.py -q -n 2\n" in out, out
