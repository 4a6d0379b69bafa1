"""--bench, without wires: bench and device share a laboratory, in whose virtual time tests/wired/bridge.py is the wires.

What is sampled by the bench and what the device's drivers do are two GPIO chips and two sound cards of a real kernel. One
laboratory for both keeps the verdicts independent of how busy this machine is, which two kernels in real time would not.
"""

import array
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
import types
import xml.etree.ElementTree as xml

import pytest
from conftest import COMMAND, LAB, tutorial
from test_examples import EXAMPLES, FAULTS

sys.path.insert(0, LAB)
from ringer_lab import LabError  # noqa: E402
from ringer_lab.bench import bench as power  # noqa: E402
from ringer_lab.bench import config, wires  # noqa: E402
from ringer_lab.bench.bench import Bench  # noqa: E402
from ringer_lab.bench.capture import Capture  # noqa: E402
from ringer_lab.bench.firmware import SerialFirmware  # noqa: E402
from ringer_lab.bench.lab import BenchLab  # noqa: E402
from ringer_lab.bench.shell import Shell  # noqa: E402

WIRED = f"{LAB}/tests/wired"
FULL, REAL_TIME = (os.environ.get("RINGER_BENCH") == word for word in ("full", "real-time"))


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
    "test_bad_sound_is_lost": "the recording of the speaker is not whole: ",
    "test_bad_sound_stops": "the recording of the speaker is not whole: ",
    "test_bad_the_capture_overruns": "the recorder of the speaker stopped: Broken pipe",
    "test_bad_edges_are_lost": "the line bench:1: 176 edges were lost",
    "test_bad_the_power_is_cut": "the device lost its power at ",
    "test_bad_the_connection_is_cut": "the connection to the device ended before doorbell",
}


def check_the_doorbells_verdicts(folder, bench, faults, words, bad, attempts=1):
    """Those of a right doorbell and of faulty ones, and of a bench that is faulty itself: each named by its message in `bad`.

    Another failure that begins with `bench doorbell:` is no verdict: up to `attempts` times such a test is run again.
    """
    doorbells = {fault: f"DOORBELL={doorbell(folder, fault)}" for fault in [0, *faults]}
    tests = {fault: [*([f"{WIRED}/test_faults.py"] if fault == 0 else []), f"{EXAMPLES}/test_doorbell.py"] for fault in doorbells}
    found, output, left = {fault: {} for fault in doorbells}, "", {fault: [] for fault in doorbells}
    for _ in range(attempts):
        runs = [(bench, ["--env", doorbells[fault], *tests[fault], *(["-k", " or ".join(names)] if names else [])]) for fault, names in left.items()]
        text, verdicts_now = at_bench(folder, "doorbell", runs, [f"{EXAMPLES}/doorbell.dtso"], ["--bare", *words])
        output += text
        for (fault, names), now in zip(left.items(), verdicts_now):
            found[fault] |= {name: message for name, message in now.items() if not names or name in names}
        left = {fault: [name for name, message in found[fault].items() if is_benchs_own(message, "" if fault else bad.get(name))] for fault in doorbells}
        if not (left := {fault: names for fault, names in left.items() if names}):
            break
    first, *planted = found.values()
    assert len(first) == 23, output
    for name, text in bad.items():
        assert f"bench doorbell: {text}" in (first[name] or ""), f"{name}: {first[name]}\n{output}"
    assert first["test_bad_firmware_dies"].startswith("doorbell died: killed by SIGSEGV")
    lacking = {name for name in first if name.startswith("test_lacks")}
    assert all(first[name].startswith("bench doorbell: it has no ") for name in lacking)
    assert "bench doorbell lacks: jack SW_HEADPHONE_INSERT (1 skipped), recorder of the input device button (1 skipped)" in output
    assert failed(first) == {*bad, "test_bad_firmware_dies", *lacking}, output
    assert [failed(one) for one in planted] == [{FAULTS[fault]} for fault in faults], output
    return first


def is_benchs_own(message, wanted):
    """Whether a test failed for its bench, which no test has asked for."""
    return bool(message) and "bench doorbell: " in message and "bench doorbell: it has no " not in message and not (wanted and wanted in message)


def test_the_doorbells_verdicts_and_the_faults_of_its_bench(tmp_path):
    first = check_the_doorbells_verdicts(tmp_path, f"{WIRED}/doorbell.toml", FAULTS if FULL else [], [], BAD)
    # The recording of the test before ended at its beginning: its clicks are not taken for this one's.
    assert "clicks" not in first["test_bad_a_wire_breaks"]


@pytest.mark.skipif(not REAL_TIME, reason="RINGER_BENCH=real-time runs it: 4 min, on a machine that does nothing else")
def test_the_doorbells_verdicts_are_the_same_in_real_time(tmp_path):
    """Its wires are slower, and it measures less exactly. What makes it wait longer for a processor is a failure of the bench."""
    with open(f"{WIRED}/doorbell.toml", encoding="utf-8") as file:
        text = file.read()
    for virtual, real in {"tolerance = 0.012": "tolerance = 0.04", "skew = 0.003": "skew = 0.016", "latency = 0.2": "latency = 0.7"}.items():
        assert virtual in text
        text = text.replace(virtual, real)
    (tmp_path / "bench.toml").write_text(text)
    bad = BAD | {"test_bad_edges_are_lost": "the line bench:1: "}
    # One processor serves all: while it sets the edges of a bounce, the firmware has no turn and sees the last level alone.
    faults = [fault for fault, name in FAULTS.items() if name != "test_a_bouncing_switch_is_flipped_once"]
    check_the_doorbells_verdicts(tmp_path, f"{tmp_path}/bench.toml", faults, ["--real-time"], bad, attempts=5)


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
        ("skew = -1", "skew is -1; it has to be a number from 0 to 0.1 seconds"),
        ("skew = 20", "skew is 20; it has to be a number from 0 to 0.1 seconds"),
        ("skew = nan", "skew is nan; it has to be a number from 0 to 0.1 seconds"),
        ("skew = true", "skew is true; it has to be a number"),
        ("[lines]\nA = 1", "lines.A is 1; it has to be a table"),
        ("[lines.A]\ngpoi = 'x:1'", "lines.A.gpoi is no key; there are: active, bias, drive, gpio, rest, sense"),
        ("[lines.A]\nactive = 'low'", "lines.A.gpio is missing; it has to be a text"),
        ("[lines.A]\ngpio = 4", "lines.A.gpio is 4; it has to be a text"),
        ("[lines.A]\ngpio = ''", "lines.A.gpio is ''; it has to be a text that is not empty"),
        ("[lines.A]\ngpio = GPIO17", "it is no TOML: Invalid value (at line 4, column 8): gpio = GPIO17"),
        ("[lines.A]\ngpio = 'x:1'\nactive = true", "lines.A.active is true; it has to be one of: high, low"),
        ("[lines.A]\ngpio = 'x:1'\ndrive = 'hard'", "lines.A.drive is 'hard'; it has to be one of: push-pull, open-drain"),
        ("[lines.A]\ngpio = 'x:1'\nrest = 2", "lines.A.rest is 2; it has to be one of: 0, 1"),
        ("[lines.A]\ngpio = 'x:1'\nrest = -1", "lines.A.rest is -1; it has to be one of: 0, 1"),
        ("[lines.A]\ngpio = 'x:1'\nrest = false", "lines.A.rest is false; it has to be one of: 0, 1"),
        ("[lines.A]\ngpio = 'x:1'\n[leds.B]\ngpio = 'x:1'", "leds.B.gpio is x:1, which lines.A.gpio is as well"),
        ("[keys.A]\ngpio = 'x:1'\nbias = 'pull-up'", "keys.A.bias is for a line that the bench listens to, and keys.A.drive says"),
        ("[leds.A]\ngpio = 'x:1'\ndrive = 'push-pull'", "leds.A.drive is no key; there are: active, bias, gpio, rest, sense"),
        ("[sliders.A.up]\ngpio = 'x:1'", "sliders.A.up is no position"),
        ("[speaker]\npcm = 'hw:1'", "speaker.click is missing"),
        ("[speaker]\npcm = 'hw:1'\nclick = 'x:1'\nrate = 0", "speaker.rate is 0; it has to be a whole number from 4000 to 384000"),
        ("[speaker]\npcm = 'hw:1'\nclick = 'x:1'\nlatency = 500", "speaker.latency is 500; it has to be a number from 0 to 5 seconds"),
        ("[firmware]", "firmware has neither command nor serial; it needs one of them"),
        ("[firmware]\ncommand = ['ssh', '{script}']\nserial = 'x'", "firmware has both command and serial; it needs one of them"),
        ("[firmware]\ncommand = ['ssh', '{script}']\nparity = 'even'", "firmware.parity is for firmware.serial, and there is firmware.command"),
        ("[firmware]\ncommand = ['ssh', 'a']", "firmware.command is ['ssh', 'a']; it has to be a list of texts one of which has {script}"),
        ("[firmware]\ncommand = []", "firmware.command is []; it has to be a list of texts that begins with the name of a program"),
        ("[firmware]\ncommand = [1]", "firmware.command is [1]; it has to be a list of texts"),
        ("[firmware]\nserial = 'x'\nbaud = 115201", "firmware.baud is 115201; it has to be one of: 50, 75, "),
        ("[power]\non = ['x']", "power has on; it needs gpio, or both on and off"),
        ("[power]\non = ['x']\noff = ['y']\nactive = 'low'", "power.active is for power.gpio, and there are power.on and power.off"),
        ("name = 'two'", "it is no TOML: Cannot overwrite a value (at line 3, column 13): name = 'two'"),
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
    assert "bench one: lines.A: this machine has no line nonesuch:1" in run.cases["test_it"].find("error").get("message")


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
    for words in (["-n", "2"], ["--tx=popen"], ["--looponfail"]):
        run = ringer_lab("pytest", "--bench", "bench.toml", "test_it.py", "--", *words)
        assert run.status == 4 and re.search(f"{words[0].partition('=')[0]}.* does not work at a bench", run.err), run.err
    assert ringer_lab("board", "--bench", "bench.toml").status == 0
    run = ringer_lab("run", "--bench", "bench.toml", "true")
    assert run.status == 125 and run.err == "ringer-lab: bench one: it has no firmware\n"


def test_the_power_is_off_after_the_deadline(ringer_lab, tmp_path):
    bench_file(tmp_path, "[power]\non = ['touch', 'on']\noff = ['rm', '-f', 'on']\n[devices.chip]\noff = ['touch', 'off']\non = ['rm', 'off']\n")
    (tmp_path / "test_it.py").write_text("def test_it(lab):\n    lab.unplug('chip')\n    open('seen', 'w').close()\n    lab.advance(1000)\n")
    run = ringer_lab("pytest", "--bench", "bench.toml", "--deadline", "5", "test_it.py")
    assert run.status == 124 and "had not ended after 5 s at the bench" in run.err, run.out + run.err
    assert (tmp_path / "seen").exists() and not (tmp_path / "on").exists() and not (tmp_path / "off").exists()
    assert run.cases["test_it"].find("failure").get("message") == "the run was ended before the end of this test"
    assert "had not ended after 5 s" in run.cases["pytest"].find("error").get("message")


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


def test_the_folder_of_a_file_is_made_on_the_device(ringer_lab, tmp_path):
    """The device has the files of this machine below a folder."""
    bench_file(tmp_path, '[firmware]\ncommand = ["sh", "-c", "PATH=device/bin:$PATH; {script}"]\ncopy = ["cp", "{file}", "device{file}"]\n')
    (tmp_path / "device/bin").mkdir(parents=True)
    (tmp_path / "device/bin/mkdir").write_text('#!/bin/sh\ntest "$1" = -p && exec /bin/mkdir -p "device$2"\n')
    (tmp_path / "device/bin/mkdir").chmod(0o755)
    (tmp_path / "program.sh").write_text("echo $0\n")
    run = ringer_lab("run", "--bench", "bench.toml", "--", "sh", "program.sh")
    assert (run.status, run.out) == (0, f"{tmp_path}/program.sh\n"), run.err
    assert (tmp_path / f"device{tmp_path}/program.sh").read_text() == "echo $0\n"


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


LOCAL_ONLY = '[firmware]\ncommand = ["sh", "-c", "{script}"]\n'


def test_outside_of_a_laboratory(ringer_lab, tmp_path):
    bench_file(tmp_path, LOCAL_ONLY)
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers/helper.py").write_text("word = 'said'\n")
    (tmp_path / "test_it.py").write_text(
        "import helper\n\n\ndef test_fails(lab):\n    lab.firmware('echo', helper.word).wait()\n    assert 0\n\n\ndef test_passes(lab):\n    pass\n"
    )
    run = ringer_lab("pytest", "--bench", "bench.toml", "--env", "PYTHONPATH=helpers", "test_it.py", "--", "--junitxml=made/mine.xml")
    assert run.status == 1 and set(run.cases) == {"test_fails", "test_passes"} and run.failed == {"test_fails"}, run.out + run.err
    page = (run.output / "test_it.py/test_fails/report.html").read_text()
    assert "bench.log" in page and "said" in page and "the host&#x27;s clock" in page
    assert (tmp_path / "made/mine.xml").read_text() == (run.output / "junit.xml").read_text()


def test_a_command_is_ended_at_the_deadline_and_has_its_variables(ringer_lab, tmp_path):
    bench_file(tmp_path, LOCAL_ONLY)
    assert ringer_lab("run", "--bench", "bench.toml", "--env", "WORD=said", "--", "sh", "-c", "echo $WORD").out == "said\n"
    run = ringer_lab("run", "--bench", "bench.toml", "--deadline", "1", "--", "sh", "-c", "echo $$ >number; exec sleep 1000")
    assert run.status == 124
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


def test_a_power_that_cannot_be_switched_off(ringer_lab, tmp_path):
    bench_file(tmp_path, "[power]\non = ['true']\noff = ['sh', '-c', 'test ! -e seen']\n")
    (tmp_path / "test_it.py").write_text("def test_it(lab):\n    open('seen', 'w').close()\n")
    run = ringer_lab("pytest", "--bench", "bench.toml", "test_it.py")
    said = "ringer-lab: bench one: power.off: sh failed: exit status 1: the device may still have power\n"
    assert run.status == 125 and run.err == said


def local(folder, text=LOCAL_ONLY):
    bench_file(folder, text)
    return Bench(f"{folder}/bench.toml")


def test_a_program_of_another_processor(tmp_path):
    """What starts it, such as ssh, may be of any: the bench's host is a Raspberry Pi."""
    program = tmp_path / "ssh"
    program.write_bytes(b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\xb7\0" + bytes(44))
    program.chmod(0o755)
    lab = BenchLab(local(tmp_path))
    lab.config.firmware.command[0] = str(program)
    with pytest.raises(LabError, match="cannot be started: Exec format error"):
        lab.firmware("true")
    lab.finish()


def test_a_firmware_whose_connection_stalls_is_ended(tmp_path):
    lab = BenchLab(local(tmp_path))
    lab.config.firmware.command[:] = ["sleep", "1000"]
    firmware = lab.firmware("true")
    wait_for = firmware.changed.wait_for
    firmware.changed.wait_for = lambda predicate, within=5: wait_for(predicate, min(within, 0.1))
    problems = lab.finish()
    assert firmware.process.returncode == -signal.SIGKILL
    assert problems == ["bench one: the connection to the device ended before true"]


def test_a_files_copy_that_cannot_be_started(tmp_path):
    lab = BenchLab(local(tmp_path, LOCAL_ONLY + 'copy = ["nonesuch", "{file}"]\n'))
    with pytest.raises(LabError, match="^nonesuch of firmware.copy cannot be started: No such file or directory$"):
        lab.firmware("sh", f"{tmp_path}/bench.toml")
    lab.finish()


def test_a_serial_line_has_one_program_at_a_time():
    shell = types.SimpleNamespace(listener=None, changed=None, write=lambda text: None)
    lab = types.SimpleNamespace(bench=types.SimpleNamespace(shell=shell), lacks=pytest.skip)
    lab.config = types.SimpleNamespace(firmware=types.SimpleNamespace(copy=[]))
    SerialFirmware(lab, ("one",), None)
    listener = shell.listener
    with pytest.raises(pytest.skip.Exception, match="second program at a time"):
        SerialFirmware(lab, ("two",), None)
    assert shell.listener == listener


def test_a_serial_line_without_parity(tmp_path):
    """Of a pseudo-terminal the kernel ignores the parity, as it does of some adapters."""
    device, bench_end = pty.openpty()
    serial = os.ttyname(bench_end)
    with pytest.raises(LabError, match=f"the device does not answer: the serial line {serial} cannot have even parity: "):
        BenchLab(local(tmp_path, f"[firmware]\nserial = '{serial}'\nparity = 'even'\n"))
    os.close(device)
    os.close(bench_end)


def test_a_byte_of_wrong_parity(monkeypatch):
    """No device of the tests can send one. This is what the kernel makes of it, behind a line that is no terminal."""
    bench, device = socket.socketpair()
    monkeypatch.setattr(Shell, "open_serial", lambda _: bench.detach())
    process = subprocess.Popen(["sh", "-c", "read begin; read begin; exec sh"], stdin=device, stdout=device)
    device.close()
    shell = Shell(types.SimpleNamespace(serial="/dev/ttyUSB0", parity="even"))
    assert shell.ask("echo ready") == (0, "ready") and shell.problem is None
    shell.ask(r"printf 'rea\377\000dy\n'")
    assert shell.check() == [r"the serial line /dev/ttyUSB0 garbles: the device sent b'rea\xff\x00dy'"]
    shell.close()
    process.wait()


def test_nothing_heard_is_no_short_sound(monkeypatch):
    capture = Capture.__new__(Capture)
    capture.rate, capture.pieces, capture.silence = 48000, [], 1
    capture.config = types.SimpleNamespace(gain=1)
    capture.lab = types.SimpleNamespace(config=types.SimpleNamespace(tolerance=0.5))
    monkeypatch.setattr(capture, "checked", lambda: None)
    monkeypatch.setattr("ringer_lab.bench.capture.wave_samples", lambda path, rate: array.array("h", [9000] * 1920))
    assert capture.differs("click.wav") == capture.differs("click.wav", whole=False) == "nothing was heard"


def test_a_sense_line_that_is_busy_once(tmp_path, monkeypatch):
    """It is asked for again by the next test; and what was taken before is given back."""
    closed, lines = [], {"GPIO2": LabError("busy")}

    class Line:
        def __init__(self, name, *_):
            self.name, self.level = name, 1
            if name in lines:
                raise lines[name]

        def begin(self):
            pass

        def close(self):
            closed.append(self.name)

    monkeypatch.setattr(power, "Input", Line)
    bench = local(tmp_path, "[power]\non = ['true']\noff = ['true']\nsense = 'GPIO2'\n")
    for _ in range(2):
        with pytest.raises(LabError):
            bench.open()
    monkeypatch.setattr(wires, "Input", Line)
    part = types.SimpleNamespace(is_active_low=False, gpio="GPIO1", sense="GPIO2", drive="", rest=-1, bias="")
    with pytest.raises(LabError):
        wires.Wire(None, "A", part)
    assert closed == ["GPIO1"]
    del lines["GPIO2"]
    bench.open()
    assert bench.power_sense.name == "GPIO2"
    bench.close()
    assert closed == ["GPIO1", "GPIO2"]


@pytest.mark.parametrize("skew, words", [(0.001, "the bench was too slow for line A: "), (10, None)])
@pytest.mark.parametrize("event, what", [("bounce", "a bounce took "), ("noise", "a pulse of noise took ")])
def test_a_bench_that_waits_for_its_processor(monkeypatch, event, what, skew, words):
    """A bounce that takes longer than a contact's is no fault of the firmware's."""
    monkeypatch.setattr(wires, "Request", lambda name: types.SimpleNamespace(level=0, configure=lambda *_: None, set=lambda _: time.sleep(0.01)))
    part = types.SimpleNamespace(is_active_low=False, gpio="GPIO1", sense="", drive="push-pull", rest=-1)
    lab = types.SimpleNamespace(config=types.SimpleNamespace(skew=skew), before_event=lambda: None)
    wire = wires.Wire(lab, "A", part)
    getattr(wire, event)(*[1][: event == "bounce"])
    assert [problem.startswith(f"{words}{what}") for problem in wire.problems()] == [True] * bool(words)


def test_an_edge_is_late_from_when_it_was_made():
    """That is between two times, and this program may have had to wait for the processor there."""
    order = [wires.Edge(1, 1, 1.5)]
    assert [wires.difference(order, [(at, 1)], 0.1)[:8] for at in (0.8, 0.95, 1.4, 1.55, 1.7)] == ["was late", "", "", "", "was late"]


def test_a_device_that_cannot_be_plugged_in_again(tmp_path):
    lab = BenchLab(local(tmp_path, "[devices.chip]\noff = ['true']\non = ['false']\n"))
    lab.unplug("chip")
    closed = []
    lab.devices["chip"].close = lambda: closed.append("chip")
    assert lab.finish() == ["bench one: devices.chip.on: false failed: exit status 1"]
    assert closed == ["chip"]
