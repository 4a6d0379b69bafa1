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
        done = subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
        self.status, self.out, self.err, self.output = done.returncode, done.stdout, done.stderr, folder / "lab-results"

    @property
    def cases(self):
        root = xml.parse(self.output / "junit.xml").getroot()
        return {case.get("name"): case for case in root.iter("testcase")}

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
    Run(["run", "true"], tmp_path_factory.mktemp("built"))


@pytest.fixture
def ringer_lab(tmp_path):
    return lambda *arguments: Run(arguments, tmp_path)
