"""examples/lab: right firmware passes, and each planted fault is caught by the test that names it."""

import os
import shutil
import subprocess

import pytest
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
