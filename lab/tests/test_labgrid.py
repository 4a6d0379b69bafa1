"""labgrid's resource and driver of a bench: at the bench without wires, and in a place that a coordinator gives away."""

import os
import subprocess

import pytest
from conftest import LAB
from test_bench import EXAMPLES, FULL, WIRED, doorbell, guest

pytestmark = pytest.mark.skipif(not FULL, reason="RINGER_BENCH=full runs it: it installs labgrid")

PLACE = {
    "bench.toml": 'name = "empty"\ntolerance = 0.01\n',
    "exporter.yaml": "benches:\n  RingerBench: {path: bench.toml, host: localhost}\n",
    "place.yaml": """
imports: [ringer_lab.labgrid]
targets:
  main:
    resources:
      RemotePlace: {name: doorbell}
    drivers:
      RingerBenchDriver: {}
""",
    "elsewhere.yaml": """
imports: [ringer_lab.labgrid]
targets:
  main:
    resources:
      RingerBench: {path: bench.toml, host: elsewhere}
    drivers:
      RingerBenchDriver: {}
""",
    "test_place.py": """
def test_place(target):
    bench = target.get_driver("RingerBenchDriver")
    bench.cycle()
    assert bench.pytest("--output", "out", "--", "test_it.py") == 0
""",
    "test_it.py": "def test_it(lab): assert lab.board.is_real\n",
    "go": """
labgrid-coordinator -l $LG_COORDINATOR & coordinator=$!
trap 'kill $coordinator $exporter' EXIT
until labgrid-client places; do sleep 1; done
labgrid-exporter --name here exporter.yaml & exporter=$!
labgrid-client -p doorbell create
labgrid-client -p doorbell add-match '*/benches/RingerBench'
until labgrid-client resources | grep RingerBench; do sleep 1; done
labgrid-client -p doorbell acquire
python -m pytest --lg-env place.yaml test_place.py
labgrid-client -p doorbell release
""",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The folder of the programs of an environment with labgrid."""
    folder = tmp_path_factory.mktemp("labgrid")
    subprocess.run(["/usr/bin/python3", "-m", "venv", folder / "venv"], check=True)
    subprocess.run([folder / "venv/bin/pip", "install", "--quiet", "labgrid"], check=True)
    return folder / "venv/bin"


def test_power_and_tests(programs, tmp_path):
    words = ["exec", f"{programs}/python", "-m", "pytest", "--lg-env", f"{WIRED}/labgrid.yaml", f"{WIRED}/test_labgrid.py"]
    env = {"DOORBELL": doorbell(tmp_path), "OUTPUT": f"{tmp_path}/out", "EXAMPLES": EXAMPLES}
    settings = ["--bare", *(word for name, value in env.items() for word in ("--env", f"{name}={value}"))]
    done = guest(tmp_path, "doorbell", words, [f"{EXAMPLES}/doorbell.dtso"], settings)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + done.stderr


@pytest.fixture
def run(programs, tmp_path):
    """Runs words in the place's folder, with labgrid's programs."""
    for name, content in PLACE.items():
        (tmp_path / name).write_text(content)
    env = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": LAB, "LG_COORDINATOR": "127.0.0.1:20498"}
    return lambda *words: subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600)


def test_a_place(run):
    done = run("bash", "-eux", "go")
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


def test_a_bench_of_another_machine(run):
    done = run("python", "-m", "pytest", "--lg-env", "elsewhere.yaml", "test_place.py")
    assert done.returncode == 1 and "the bench bench.toml is wired to elsewhere: run labgrid's client there" in done.stdout
