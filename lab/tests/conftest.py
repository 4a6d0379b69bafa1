"""Tests of ringer-lab from outside: what its command does, with the exit status that its help promises."""

import os
import re
import subprocess
import xml.etree.ElementTree as xml

import pytest

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMAND = os.environ.get("RINGER_LAB_COMMAND", f"{LAB}/ringer-lab")


def tutorial(text, folder):
    """Writes the files of the first page's tutorial into the folder, and returns its steps."""
    for name, content in re.findall(r"^`([\w.]+)`: [^\n]*\n\n```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(content)
    return re.findall(r"^```sh\n((?:python3 -m venv|venv).*?)^```", text, re.MULTILINE | re.DOTALL)


class Run:
    """A run of the command: status, out, err, and with pytest the results by test and the folder of recordings."""

    def __init__(self, arguments, folder):
        if arguments[:1] and arguments[0] in ("run", "pytest", "board") and "--deadline" not in arguments:
            arguments = [arguments[0], "--deadline", "1500", *arguments[1:]]  # however busy the machine is
        done = subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=1800)
        self.status, self.out, self.err, self.output = done.returncode, done.stdout, done.stderr, folder / "lab-results"

    @property
    def all_cases(self):
        return list(xml.parse(self.output / "junit.xml").getroot().iter("testcase"))

    @property
    def cases(self):
        return {case.get("name"): case for case in self.all_cases}

    @property
    def failed(self):
        return {
            name
            for name, case in self.cases.items()
            if case.find("failure") is not None or case.find("error") is not None
        }


@pytest.fixture(scope="session", autouse=True)
def built(tmp_path_factory):
    """The kernel and process 1, before a test looks at what is printed."""
    if os.environ.get("RINGER_LAB") != "1":  # inside/ is below this folder
        Run(["run", "true"], tmp_path_factory.mktemp("built"))


@pytest.fixture
def ringer_lab(tmp_path):
    return lambda *arguments: Run(arguments, tmp_path)
