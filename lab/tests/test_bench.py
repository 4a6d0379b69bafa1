"""--bench, without wires: bench and device share a laboratory, in whose virtual time tests/wired/bridge.py is the wires.

What is sampled by the bench and what the device's drivers do are two GPIO chips and two sound cards of a real kernel. One
laboratory for both keeps the verdicts independent of how busy this machine is, which two kernels in real time would not.
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest
from conftest import COMMAND, LAB, tutorial
from test_examples import EXAMPLES, FAULTS

sys.path.insert(0, LAB)
from ringer_lab import LabError  # noqa: E402
from ringer_lab.bench import config  # noqa: E402

WIRED = f"{LAB}/tests/wired"
FULL = os.environ.get("RINGER_BENCH") == "full"


def doorbell(folder, fault=0):
    path = folder / f"fault{fault}" / "doorbell"
    path.parent.mkdir()
    subprocess.run(["cc", f"-DFAULT={fault}", f"{EXAMPLES}/doorbell.c", "-o", path, "-lgpiod", "-lasound", "-lm"], check=True)
    return path


def at_bench(folder, board, runs, overlays, words=()):
    """Runs of the command at a bench, in one laboratory: the whole output, and for each run the verdicts by test."""
    command = []
    for number, (bench, run) in enumerate(runs):
        command += [";"] * bool(number)
        command += ["pytest", "--bench", bench, "--deadline", "1500", "--output", f"{folder}/out/{number}", *run]
    done = guest(folder, board, command, overlays, words)
    return done.stdout + done.stderr, [verdicts(f"{folder}/out/{number}/junit.xml") for number in range(len(runs))]


def guest(folder, board, command, overlays, words):
    """Runs the words of wired/host.py in a laboratory with a bench and this board."""
    (folder / "out").mkdir(exist_ok=True)
    return subprocess.run(
        [COMMAND, "run", "--deadline", "1500", "--speaker", "loopback", *words]
        + [word for overlay in [*overlays, f"{WIRED}/wires.dtso"] for word in ("--overlay", overlay)]
        + ["--env", f"PYTHONPATH={LAB}", "--writable", f"{folder}/out", "--", "/usr/bin/python3", "-B", f"{WIRED}/host.py", board, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"/usr/bin:{os.environ['PATH']}"},
        timeout=1800,
    )


def verdicts(path):
    """By test its failure's message, or what it was skipped for; None if it passed."""
    cases = xml.parse(path).getroot().iter("testcase")
    return {case.get("name"): next((one.get("message") for one in case if one.get("message")), None) for case in cases}


def failed(verdicts):
    return {name for name, message in verdicts.items() if message is not None}


BAD = {
    "test_bad_a_set_edge_is_dropped": "the wire of line MUTE_SW dropped 1 of 2 edges",
    "test_bad_a_set_edge_is_dropped_and_the_test_fails_of_it": "the wire of line MUTE_SW dropped 1 of 2 edges; the test itself failed with Asse",
    "test_bad_a_heard_edge_is_dropped": "the wire of line MOTOR_EN and that of its sense line differ: as if it bounced: 2 edges came of 1",
    "test_bad_an_edge_is_delayed": "the wire of line MUTE_SW was late: the edge to ",
    "test_bad_an_edge_bounces": "the wire of line MOTOR_EN and that of its sense line differ: as if it dropped 4 of 6 edges",
    "test_bad_a_wire_is_broken": "line MOTOR_EN is 1 at rest",
    "test_bad_a_wire_breaks": "the wire of line MOTOR_EN and that of its sense line differ",
    "test_bad_sound_is_lost": "the recording of the speaker is not whole: 2 of ",
    "test_bad_sound_stops": "the recording of the speaker is not whole: ",
    "test_bad_the_capture_overruns": "the recorder of the speaker stopped: Broken pipe",
    "test_bad_edges_are_lost": "the line bench:1: 176 edges were lost",
    "test_bad_the_power_is_cut": "the device lost its power at ",
    "test_bad_the_connection_is_cut": "the connection to the device ended before doorbell",
}


def test_the_doorbells_verdicts_and_the_faults_of_its_bench(tmp_path):
    good = f"DOORBELL={doorbell(tmp_path)}"
    bench = f"{WIRED}/doorbell.toml"
    runs = [(bench, ["--env", good, f"{WIRED}/test_faults.py", f"{EXAMPLES}/test_doorbell.py"])]
    for fault in FAULTS if FULL else []:
        runs.append((bench, ["--env", f"DOORBELL={doorbell(tmp_path, fault)}", f"{EXAMPLES}/test_doorbell.py"]))
    output, (first, *planted) = at_bench(tmp_path, "doorbell", runs, [f"{EXAMPLES}/doorbell.dtso"], ["--bare"])
    assert len(first) == 23, output
    for name, text in BAD.items():
        assert f"bench doorbell: {text}" in (first[name] or ""), f"{name}: {first[name]}\n{output}"
    assert first["test_bad_firmware_dies"].startswith("doorbell died: killed by SIGSEGV")
    lacking = {name for name in first if name.startswith("test_lacks")}
    assert all(first[name].startswith("bench doorbell: it has no ") for name in lacking)
    assert "bench doorbell lacks: jack SW_HEADPHONE_INSERT (1 skipped), recorder of the input device button (1 skipped)" in output
    assert failed(first) == {*BAD, "test_bad_firmware_dies", *lacking}, output
    assert [failed(one) for one in planted] == [{FAULTS[fault]} for fault in FAULTS][: len(planted)], output


def test_the_first_pages_test_the_chime_and_a_serial_line(tmp_path):
    with open(f"{LAB}/README.md", encoding="utf-8") as file:
        tutorial(file.read(), tmp_path)
    runs = [(f"{WIRED}/ringer.toml", ["test_alarm.py", f"{EXAMPLES}/test_chime.py", f"{WIRED}/test_terminal.py"]), (f"{WIRED}/serial.toml", [f"{WIRED}/test_serial.py"])]
    output, (examples, serial) = at_bench(tmp_path, "ringer", runs, ["alarm.dtso"])
    assert len(examples) == 6 and failed(examples) == set(), output
    assert failed(serial) == {"test_lacks_input", "test_bad_garbled", "test_bad_flipped"}, output
    for name in ("test_bad_garbled", "test_bad_flipped"):
        assert "bench serial: the serial line /tmp/serial garbles: " in serial[name], serial[name]


@pytest.mark.skipif(not FULL, reason="RINGER_BENCH=full runs it: some minutes")
def test_200_runs_have_the_same_verdict(tmp_path):
    test = f"{EXAMPLES}/test_doorbell.py::test_a_flip_silences_the_tone"
    runs = [(f"{WIRED}/doorbell.toml", ["--env", f"DOORBELL={doorbell(tmp_path)}", "--times", "200", test])]
    output, (run,) = at_bench(tmp_path, "doorbell", runs, [f"{EXAMPLES}/doorbell.dtso"], ["--bare"])
    assert len(run) == 200 and failed(run) == set(), output


def bench_file(folder, text):
    (folder / "bench.toml").write_text('name = "one"\ntolerance = 0.01\n' + text)
    (folder / "test_it.py").write_text("def test_it(lab): pass\n")


@pytest.mark.parametrize(
    "text, words",
    [
        ("tolerances = 1", "tolerances is no key; there are: "),
        ("skew = -1", "skew is -1; it has to be 0 or more"),
        ("skew = true", "skew is True; it has to be a number"),
        ("[lines]\nA = 1", "lines.A is 1; it has to be a table"),
        ("[lines.A]\ngpoi = 'x:1'", "lines.A.gpoi is no key; there are: active, bias, drive, gpio, rest, sense"),
        ("[lines.A]\nactive = 'low'", "lines.A.gpio is missing"),
        ("[lines.A]\ngpio = 4", "lines.A.gpio is 4; it has to be a text"),
        ("[lines.A]\ngpio = 'x:1'\ndrive = 'hard'", "lines.A.drive is 'hard'; it has to be one of: push-pull, open-drain"),
        ("[lines.A]\ngpio = 'x:1'\nrest = 2", "lines.A.rest is 2; it has to be one of: 0, 1"),
        ("[lines.A]\ngpio = 'x:1'\n[leds.B]\ngpio = 'x:1'", "leds.B.gpio is x:1, which lines.A.gpio is as well"),
        ("[leds.A]\ngpio = 'x:1'\ndrive = 'push-pull'", "leds.A.drive is 'push-pull'"),
        ("[sliders.A.up]\ngpio = 'x:1'", "sliders.A.up is no position"),
        ("[speaker]\npcm = 'hw:1'", "speaker.click is missing"),
        ("[speaker]\npcm = 'hw:1'\nclick = 'x:1'\nrate = 0", "speaker.rate is 0; it has to be 1 or more"),
        ("[firmware]", "firmware needs one of command and serial"),
        ("[firmware]\ncommand = ['ssh', 'device']", "firmware.command has no word with {script}"),
        ("[firmware]\ncommand = [1]", "firmware.command is [1]; it has to be a list of texts"),
        ("[power]\non = ['x']", "power needs gpio, or both on and off"),
        ("name = 'two'", "it is no TOML: Cannot overwrite a value"),
    ],
)
def test_a_bench_file_that_is_wrong(tmp_path, text, words):
    bench_file(tmp_path, text + "\n")
    with pytest.raises(LabError) as error:
        config.read(f"{tmp_path}/bench.toml")
    assert str(error.value).startswith(f"{tmp_path}/bench.toml: {words}") and "\n" not in str(error.value)


def test_a_bench_that_this_machine_has_not(ringer_lab, tmp_path):
    run = ringer_lab("pytest", "--bench", "nonesuch.toml", "test_it.py")
    assert (run.status, run.err) == (125, "ringer-lab: nonesuch.toml: it cannot be read: No such file or directory\n")
    bench_file(tmp_path, "[lines.A]\ngpio = 'nonesuch:1'\n")
    run = ringer_lab("pytest", "--bench", "bench.toml", "test_it.py")
    assert "bench one: this machine has no line nonesuch:1" in run.cases["test_it"].find("error").get("message")


def test_one_file_runs_in_both(ringer_lab, tmp_path):
    bench_file(tmp_path, "")
    (tmp_path / "test_it.py").write_text(
        "def test_it(lab):\n    print(lab.board)\n    lab.advance(0.01)\n    assert lab.board.tolerance == (0.01 if lab.board.is_real else 0)\n"
        "def test_speaker(lab):\n    assert lab.speaker.heard == []\n"
    )
    run = ringer_lab("pytest", "--bench", "bench.toml", "test_it.py")
    assert run.status == 0 and "bench one lacks: speaker (1 skipped)" in run.out, run.out
    assert ringer_lab("pytest", "test_it.py").status == 0
    run = ringer_lab("pytest", "--bench", "bench.toml", "test_it.py", "--", "-p", "ringer_lab.outside")  # as where it is installed
    assert run.status == 0, run.out
    run = ringer_lab("pytest", "--bench", "bench.toml", "test_it.py", "--", "-n", "2")
    assert run.status == 4 and "-n does not work at a bench" in run.err
    assert ringer_lab("board", "--bench", "bench.toml").status == 0
    run = ringer_lab("run", "--bench", "bench.toml", "true")
    assert run.status == 125 and run.err == "ringer-lab: bench one: it has no firmware\n"


def test_the_power_is_off_after_the_deadline(ringer_lab, tmp_path):
    bench_file(tmp_path, "[power]\non = ['touch', 'on']\noff = ['rm', '-f', 'on']\n[devices.chip]\noff = ['touch', 'off']\non = ['rm', 'off']\n")
    (tmp_path / "test_it.py").write_text("def test_it(lab):\n    lab.unplug('chip')\n    open('seen', 'w').close()\n    lab.advance(1000)\n")
    run = ringer_lab("pytest", "--bench", "bench.toml", "--deadline", "5", "test_it.py")
    assert run.status == 124 and "had not ended after 5 s at the bench" in run.err, run.out + run.err
    assert (tmp_path / "seen").exists() and not (tmp_path / "on").exists() and not (tmp_path / "off").exists()


def test_the_documents_bench_file(tmp_path):
    with open(f"{LAB}/../docs/bench.md", encoding="utf-8") as file:
        (tmp_path / "bench.toml").write_text(re.search(r"^```toml\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)[1])
    found = config.read(f"{tmp_path}/bench.toml")
    assert found.lines["MUTE_SW"].drive == "open-drain" and not found.lines["MUTE_SW"].is_active_low
    key = found.keys["KEY_PROG1"]
    assert (key.drive, key.active, key.is_active_low) == ("open-drain", "low", True)
    assert len(found.lines) == 2 and found.leds["green:status"].rest == 0 and found.power.sense == "GPIO19"


LOCAL = """
[firmware]
command = ["sh", "-c", "{script}"]
copy = ["cp", "{file}", "{file}.copied"]
[power]
on = ["sh", "-c", "echo on >>log"]
off = ["sh", "-c", "echo off >>log"]
each = "EACH"
"""


def test_a_command_and_its_files_on_the_device(ringer_lab, tmp_path):
    bench_file(tmp_path, LOCAL.replace("EACH", "run"))
    (tmp_path / "program.sh").write_text("echo copied; exit 3\n")
    run = ringer_lab("run", "--bench", "bench.toml", "--", "sh", "program.sh")
    assert (run.status, run.out, run.err) == (3, "copied\n", "")
    assert (tmp_path / "program.sh.copied").exists() and (tmp_path / "log").read_text() == "off\non\noff\n"
    assert ringer_lab("run", "--bench", "bench.toml", "--", "sh", "-c", "kill -9 $$").status == 128 + 9


@pytest.mark.parametrize("each, starts", [("run", 1), ("test", 2)])
def test_how_often_the_device_is_started(ringer_lab, tmp_path, each, starts):
    bench_file(tmp_path, LOCAL.replace("EACH", each))
    (tmp_path / "test_it.py").write_text(
        "def test_one(lab):\n    assert lab.firmware('true').wait() == 0\n\n\ndef test_two(lab):\n    lab.firmware('sh', '-c', 'exit 4')\n    lab.advance(0.5)\n"
    )
    run = ringer_lab("pytest", "--bench", "bench.toml", "test_it.py")
    assert run.failed == {"test_two"} and "sh died: exit status 4" in run.cases["test_two"].find("failure").get("message"), run.out
    assert (tmp_path / "log").read_text().count("on") == starts


def test_a_device_that_does_not_answer(ringer_lab, tmp_path):
    bench_file(tmp_path, '[firmware]\ncommand = ["nonesuch", "{script}"]\n')
    run = ringer_lab("run", "--bench", "bench.toml", "true")
    said = "bench one: the device does not answer: nonesuch of firmware.command cannot be started: No such file or directory"
    assert (run.status, run.err) == (125, f"ringer-lab: {said}\n")
