"""examples/lab: right firmware passes, and each planted fault is caught by the test that names it."""

import os
import shutil
import subprocess

import pytest
import yaml
from conftest import LAB, tutorial

EXAMPLES = os.path.join(os.path.dirname(LAB), "examples", "lab")
FAULTS = {
    1: "test_a_flip_silences_the_tone",
    2: "test_the_motor_turns_for_400_ms",
    3: "test_a_bouncing_switch_is_flipped_once",
    4: "test_an_unplugged_switch_is_survived_and_counts_as_mute",
}


@pytest.mark.parametrize("fault", [0, *FAULTS])
def test_doorbell(ringer_lab, tmp_path, fault):
    with open(f"{EXAMPLES}/doorbell.c", encoding="utf-8") as file:
        assert len(file.readlines()) <= 150
    doorbell = tmp_path / "doorbell"
    subprocess.run(
        [
            "cc",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            f"-DFAULT={fault}",
            f"{EXAMPLES}/doorbell.c",
            "-o",
            doorbell,
            "-lgpiod",
            "-lasound",
            "-lm",
        ],
        check=True,
    )
    run = ringer_lab(
        "pytest",
        "--bare",
        "--overlay",
        f"{EXAMPLES}/doorbell.dtso",
        "--env",
        f"DOORBELL={doorbell}",
        f"{EXAMPLES}/test_doorbell.py",
    )
    assert len(run.cases) == 6
    assert run.failed == ({FAULTS[fault]} if fault else set()), run.out


def test_chime_and_baresip(ringer_lab):
    run = ringer_lab("pytest", f"{EXAMPLES}/test_chime.py")
    assert run.status == 0 and len(run.cases) == 4, run.out
    run = ringer_lab("pytest", "--rate", "8000", f"{EXAMPLES}/test_baresip.py")
    assert run.status == 0 and len(run.cases) == 1, run.out


def test_the_readmes_steps(ringer_lab, tmp_path):
    with open(f"{LAB}/README.md", encoding="utf-8") as file:
        steps = tutorial(file.read(), tmp_path)
    assert (
        sum(len((tmp_path / name).read_text().splitlines()) for name in ("alarm.dtso", "alarm.sh", "test_alarm.py"))
        <= 27
    )
    for part in ("lab", "dts"):
        shutil.copytree(f"{os.path.dirname(LAB)}/{part}", tmp_path / part)
    # A python3 that looks for the interpreter, as pyenv's does, and that takes seconds in the guest.
    (tmp_path / "shims").mkdir()
    (tmp_path / "shims/python3").write_text('#!/bin/sh\n[ -z "$RINGER_LAB" ] || exit 9\nexec /usr/bin/python3 "$@"\n')
    (tmp_path / "shims/python3").chmod(0o755)
    assert len(steps) == 2
    for step in steps:
        done = subprocess.run(
            ["bash", "-euxc", step],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=os.environ | {"PATH": f"{tmp_path}/shims:/usr/bin:/bin"},
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A firmware's repository with Ringer as a submodule, after each step of the workflow: the folder, and what each printed."""
    folder, tools = tmp_path_factory.mktemp("repository"), tmp_path_factory.mktemp("tools")
    for name in os.listdir(EXAMPLES):
        shutil.copy(f"{EXAMPLES}/{name}", folder)
    for part in ("lab", "dts"):
        shutil.copytree(f"{os.path.dirname(LAB)}/{part}", folder / "ringer" / part)
    # The packages are installed here already; which ones it asks for is kept.
    (tools / "apt-get").write_text(f'#!/bin/sh\necho "$@" >>{tools}/asked\n')
    (tools / "apt-get").chmod(0o755)
    said = [step(folder, words, tools) for words in workflow_steps("run")]
    return folder, said, (tools / "asked").read_text().split()


def workflow_steps(kind):
    with open(f"{EXAMPLES}/github-workflow.yml", encoding="utf-8") as file:
        (job,) = yaml.safe_load(file)["jobs"].values()
    return [found[kind] for found in job["steps"] if kind in found]


def step(folder, words, tools, status=0):
    """Runs it as GitHub does where there is a bash."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", words]
    environment = os.environ | {"PATH": f"{tools}:/usr/bin:/bin"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_the_workflow_of_github(repository, tmp_path):
    folder, said, asked = repository
    assert "tests, 0 failed" in said[-1] and (folder / "lab-results/junit.xml").exists()
    listed = subprocess.check_output([f"{LAB}/../scripts/packages", "--list", "lab-tool"], text=True).split()
    names = set(asked[asked.index("--no-install-recommends") + 1 :])
    assert "linux-source-6.1" in names and names - {"git", "ca-certificates", "libasound2"} <= set(listed)
    assert [used.partition("@")[0] for used in workflow_steps("uses")] == [f"actions/{name}" for name in ("checkout", "cache", "upload-artifact")]
    # A firmware with a fault fails in its last step, and what that leaves is what is uploaded.
    compiles, tests = workflow_steps("run")[-2:]
    step(folder, compiles.replace("cc ", "cc -DFAULT=2 "), tmp_path)
    assert FAULTS[2] in step(folder, tests, tmp_path, status=1)
    assert (folder / "lab-results/test_doorbell.py" / FAULTS[2] / "report.html").exists()
    step(folder, compiles, tmp_path)


def test_labgrid_in_the_laboratory(repository, tmp_path):
    folder, *_ = repository
    with open(f"{EXAMPLES}/test_labgrid.py", encoding="utf-8") as file:
        install, run = (line.strip() for line in file.read().split('"""')[1].splitlines() if line.startswith("    "))
    step(folder, f"venv/bin/{install}", tmp_path)
    assert "2 passed" in step(folder, f"venv/bin/{run}", tmp_path)
