"""`ringer-lab pytest`: its fixture, what a failed test leaves, shifted events, runs that are alike."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import wave

import pytest
from conftest import COMMAND, LAB, Run

INSIDE = f"{LAB}/tests/inside"


def test_the_fixture_judges(ringer_lab):
    run = ringer_lab("pytest", f"{INSIDE}/test_recorders.py")
    assert run.failed == {name for name in run.cases if name.startswith("test_bad")}, run.out
    assert len(run.cases) == 24 and run.status == 1
    said = {
        name: "".join(found.get("message") for kind in ("failure", "error") for found in case.iter(kind))
        for name, case in run.cases.items()
    }
    assert "the recorder of the speaker stopped" in said["test_bad_the_speakers_recorder_stops"]
    assert "the recorder of edges stopped" in said["test_bad_the_edges_recorder_stops"]
    assert "the recorder of edges stopped" in said["test_bad_the_edges_recorder_is_off_for_a_while"]
    assert "the recorder of edges lost" in said["test_bad_edges_are_lost"]
    assert "is silent" in said["test_bad_silence_equals_a_silent_file"]
    assert "died: exit status 3" in said["test_bad_a_fixture_that_was_taken_late"]
    assert "did not wait() for it: exit status 0" in said["test_bad_the_firmware_ends_early"]
    assert "had ended before signal 15" in said["test_bad_a_signal_after_the_end"]
    assert "never heard" in said["test_bad_nothing_was_heard"]
    assert "died: exit status 3" in said["test_bad_the_firmware_dies"]
    assert "5 s after SIGTERM" in said["test_bad_the_firmware_ignores_sigterm"]
    assert "did not say 'ready'" in said["test_bad_the_firmware_is_not_ready"]


FAILING = """
def test_fails(lab):
    lab.firmware("env").wait()
    player = lab.firmware("aplay", "-q", "/usr/share/sounds/alsa/Front_Center.wav")
    lab.advance(0.5)
    lab.line("ring-silent").set(1)
    lab.advance(2)
    assert False
"""


def test_a_failed_test_leaves_its_recordings(ringer_lab, tmp_path):
    (tmp_path / "test_fails.py").write_text(FAILING)
    run = ringer_lab("pytest", "test_fails.py")
    named = {item.get("name"): item.get("value") for item in run.cases["test_fails"].iter("property")}
    named.pop("run.svg", None)  # where ringer is installed
    assert set(named) == {"run.vcd", "heard.wav", "firmware.log", "kernel.log"}
    changes = (run.output / named["run.vcd"]).read_text()
    wires = dict((name, wire) for wire, name in re.findall(r"\$var \w+ \d+ (\w+) (\S+) \$end", changes))
    at = [int(part) for part in re.findall(rf"#(\d+)\n[^#]*?\b1{wires['ring-silent']}\n", changes)]
    assert len(at) == 1 and abs(at[0] - 500_000) < 1000
    assert f"1{wires['speaker']}" in changes
    with wave.open(str(run.output / named["heard.wav"])) as file:
        assert file.getnframes() > file.getframerate()
    assert "exit status 0" in (run.output / named["firmware.log"]).read_text()
    assert "gpio" in (run.output / named["kernel.log"]).read_text()


def test_a_full_output(ringer_lab, tmp_path):
    lines = "'sh', '-c', 'head -c 6000000 /dev/zero | tr \\\\0 x | fold -w 1000'"
    (tmp_path / "test_long.py").write_text(f"def test_long(lab):\n    lab.firmware({lines}).wait()\n    assert 0\n")
    # A file system that junit.xml has room in, and firmware.log not.
    script = 'mkdir out && mount -t tmpfs -o size=5m none out && exec "$0" pytest --output out test_long.py'
    run = subprocess.run(["unshare", "--mount", "sh", "-c", script, COMMAND], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1 and "No space left" in run.stdout and "--output" in run.stdout
    assert "generated xml file" in run.stdout and "INTERNALERROR" not in run.stdout


RINGER = """#!/bin/sh
[ "$1" = trace ] && grep -q enddefinitions "$2" && echo "<svg/>" >"$3"
"""


@pytest.mark.parametrize("script, is_drawn", [(RINGER, True), ("#!/bin/sh\nexit 1\n", False)])
def test_where_ringer_is_installed_the_dump_is_drawn(ringer_lab, tmp_path, monkeypatch, script, is_drawn):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ringer").write_text(script)
    (tmp_path / "bin/ringer").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    (tmp_path / "test_fails.py").write_text(FAILING)
    run = ringer_lab("pytest", "test_fails.py")
    named = {item.get("name"): item.get("value") for item in run.cases["test_fails"].iter("property")}
    assert named.get("run.svg") == ("test_fails/run.svg" if is_drawn else None)
    assert (run.output / "test_fails/run.svg").exists() == is_drawn


RACE = """
from signal import SIGUSR1

FIRMWARE = "trap 'echo got' USR1; echo ready; sleep 0.25; trap '' USR1; sleep 0.05; trap 'echo got' USR1; sleep 1; sleep 100"

def test_race(lab):
    firmware = lab.firmware("sh", "-c", FIRMWARE, ready="ready")
    firmware.signal(SIGUSR1)
    lab.advance(2)
    assert "got" in firmware.output
"""


def test_shifted_events_find_a_race_and_repeat_it(ringer_lab, tmp_path):
    (tmp_path / "test_race.py").write_text(RACE)
    run = ringer_lab("pytest", "--times", "40", "--over", "0.4", "test_race.py")
    assert len(run.cases) == 40
    surely = {f"test_race[shift={shift}]" for shift in ("0.26", "0.27", "0.28", "0.29")}
    assert surely <= run.failed <= surely | {"test_race[shift=0.25]", "test_race[shift=0.3]"}
    assert "ringer-lab pytest --shift 0.27 test_race.py::test_race" in run.out
    again = ringer_lab("pytest", "--shift", "0.27", "test_race.py::test_race")
    assert again.failed == {"test_race"}
    assert ringer_lab("pytest", "--shift", "0.2", "test_race.py::test_race").failed == set()


def test_runs_are_alike(tmp_path):
    def report(number):
        folder = tmp_path / f"run-{number:04}"
        folder.mkdir()
        (folder / "test_alike.py").write_text(FAILING)
        run = Run(["pytest", "test_alike.py"], folder)
        names = ("run.vcd", "heard.wav", "firmware.log", "kernel.log")
        files = [
            # The firmware's environment names the folder.
            (run.output / "test_fails" / name).read_bytes().replace(bytes(folder), b"")
            for name in names
        ]
        junit = re.sub(r' timestamp="[^"]*"', "", (run.output / "junit.xml").read_text())
        shutil.rmtree(folder)
        return junit, files

    count = int(os.environ.get("RINGER_LAB_RUNS", "9"))
    first = report(0)
    with concurrent.futures.ThreadPoolExecutor(8) as eight_at_once:
        for other in eight_at_once.map(report, range(1, count)):
            assert other == first


SPEAKER = """
import array, math, wave

def test_speaker(lab, tmp_path):
    path = str(tmp_path / "tone.wav")
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(array.array("h", (round(9000 * math.sin(frame / 3)) or 1 for frame in range(8000))))
    assert lab.firmware("aplay", "-q", "-D", {pcm!r}, path).wait() == 0
    assert not lab.speaker.differs(path)
"""


@pytest.mark.parametrize("pcm", ["default", "hw:0", "plughw:0,0", "hw:2", "hw:Codec", "plughw:CARD=Codec,DEV=0", "paging"])
def test_the_pcm_that_is_recorded(ringer_lab, tmp_path, pcm):
    (tmp_path / "test_speaker.py").write_text(SPEAKER.format(pcm="plug" + pcm if pcm.startswith("hw") else pcm))
    run = ringer_lab("pytest", "--speaker", pcm, "--rate", "8000", "test_speaker.py")
    assert run.status == 0, run.out


DATAGRAM = """
def test_datagram(lab, tmp_path):
    path = tmp_path / "socket"
    receiver = "import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]);" \\
        " print('ready', flush=True); print(s.recv(100).decode())"
    firmware = lab.firmware("python3", "-c", receiver, str(path), ready="ready")
    firmware.datagram(path, "call answered")
    assert firmware.wait() == 0
    assert firmware.lines[-1][1] == "call answered"
"""


def test_a_datagram_reaches_the_firmware(ringer_lab, tmp_path):
    (tmp_path / "test_datagram.py").write_text(DATAGRAM)
    run = ringer_lab("pytest", "test_datagram.py")
    assert run.status == 0, run.out


def test_a_test_that_does_not_end_is_named(ringer_lab, tmp_path):
    (tmp_path / "test_spins.py").write_text("def test_spins(lab):\n    while True: pass\n")
    run = ringer_lab("pytest", "--deadline", "5", "test_spins.py")
    assert run.status == 124 and "test_spins.py::test_spins had not ended" in run.err
