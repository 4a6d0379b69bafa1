"""The Debian package: installed on a fresh Debian, and unpacked, it runs where there is no compiler and no cache."""

import gzip
import os
import subprocess

import pytest
from conftest import LAB, tutorial

NO_CACHE = "/nonexistent"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    return subprocess.check_output([f"{LAB}/package", str(folder)], text=True).splitlines()[-1]


def test_from_the_installed_package_to_a_green_test(package, tmp_path):
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path / "package"], check=True)
    (tmp_path / "user").mkdir()
    text = (tmp_path / "package/usr/share/doc/ringer-lab/README.md").read_text()
    _, steps = tutorial(text, tmp_path / "user")
    commands = steps.replace("venv/bin/ringer-lab", "ringer-lab")
    assert commands.count("ringer-lab") == 2
    absent = "if command -v cc gcc make flex swift; then exit 1; fi; "
    run = subprocess.run(
        [f"{LAB}/tests/installed", package, tmp_path / "user", absent + commands], capture_output=True, text=True
    )
    assert run.returncode == 0 and "red:alarm" in run.stdout and "1 passed" in run.stdout, run.stdout + run.stderr


def test_lintian_has_nothing_to_say(package):
    command = ["lintian", "--allow-root", "--fail-on", "error,warning", package]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_its_documents(package, tmp_path):
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)
    documents = tmp_path / "usr/share/doc/ringer-lab"
    source = subprocess.check_output(["dpkg-query", "--show", "--showformat=${Version}", "linux-source-6.1"], text=True)
    terms = (documents / "copyright").read_text()
    assert f"linux-source-6.1, version {source}" in terms and "License: GPL-2\n" in terms
    assert gzip.decompress((documents / "changelog.gz").read_bytes()).startswith(b"ringer-lab (")
    (tmp_path / "page").write_bytes(gzip.decompress((tmp_path / "usr/share/man/man1/ringer-lab.1.gz").read_bytes()))
    # What it refers to is not installed everywhere.
    said = subprocess.run(["mandoc", "-Tlint", "-Wwarning", tmp_path / "page"], capture_output=True, text=True).stdout
    assert said == ""
    page = subprocess.check_output(["mandoc", "-Tascii", tmp_path / "page"], text=True, stderr=subprocess.DEVNULL)
    assert all(word in page for word in ("--overlay", "--times", "124", "lab.speaker", "labels that overlays may use"))


def test_the_package_runs_without_a_compiler(package, tmp_path):
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path / "root"], check=True)
    fields = subprocess.check_output(["dpkg-deb", "--field", package], text=True)
    assert "Package: ringer-lab\n" in fields and "Built-Using: linux (= 6.1." in fields
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("python3", "sh", "true", "dtc", "fdtoverlay"):
        os.symlink(f"/usr/bin/{name}", tools / name)
    environment = {
        "PATH": str(tools),
        "HOME": NO_CACHE,
        "RINGER_CACHE": NO_CACHE,
        "TMPDIR": str(tmp_path),
        "PYTHONPATH": str(tmp_path / "root/usr/lib/python3/dist-packages"),
    }
    command = ["/bin/sh", tmp_path / "root/usr/bin/ringer-lab", "board"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0 and "SW_MUTE_DEVICE" in run.stdout, run.stderr
