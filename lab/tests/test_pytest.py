"""`ringer-lab pytest`: its fixture, what a failed test leaves, shifted events, runs that are alike."""

import concurrent.futures
import html.parser
import os
import re
import shutil
import subprocess
import wave
import xml.etree.ElementTree as xml

import pytest
from conftest import COMMAND, LAB, Run

INSIDE = f"{LAB}/tests/inside"

# What the tests of test_recorders.py say that have to fail.
SAID = {
    "the_speakers_recorder_stops": "the recorder of the speaker stopped",
    "the_edges_recorder_stops": "the recorder of edges stopped",
    "the_edges_recorder_is_off_for_a_while": "the recorder of edges stopped",
    "the_recorder_of_an_input_device_stops": "the recorder of ring-silent-switch stopped",
    "edges_are_lost": "the recorder of edges lost",
    "a_signal_without_a_name": "killed by signal 40",
    "a_device_that_was_not_unplugged": "gpio-sim is not unplugged",
    "a_datagram_without_a_socket": "has no socket at /run/tmp/nonesuch",
    "a_file_that_is_no_sound": "is no WAV file",
    "silence_equals_a_silent_file": "is silent",
    "a_fixture_that_was_taken_late": "died: exit status 3",
    "the_firmware_ends_early": "did not wait() for it: exit status 0",
    "a_signal_after_the_end": "had ended before signal 15",
    "nothing_was_heard": "never heard",
    "the_firmware_dies": "died: exit status 3",
    "the_firmware_ignores_sigterm": "5 s after SIGTERM",
    "the_firmware_is_not_ready": "did not say 'ready'",
}


def test_the_fixture_judges(ringer_lab):
    run = ringer_lab("pytest", f"{INSIDE}/test_recorders.py")
    assert run.failed == {name for name in run.cases if name.startswith("test_bad")}, run.out
    assert len(run.cases) == 59 and run.status == 1
    said = {
        name: "".join(found.get("message") for kind in ("failure", "error") for found in case.iter(kind))
        for name, case in run.cases.items()
    }
    for name, words in SAID.items():
        assert words in said[f"test_bad_{name}"]
    assert run.cases["test_that_nobody_awaits"].find("skipped") is not None  # by pytest, which says how to run it


@pytest.mark.parametrize("file", ["test_lines.py", "test_rest.py"])
def test_lines_that_are_held_and_a_board_at_rest(ringer_lab, file):
    run = ringer_lab("pytest", f"{INSIDE}/{file}")
    assert run.status == 0, run.out


def properties(case):
    return {item.get("name"): item.get("value") for item in case.iter("property")}


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
    named = properties(run.cases["test_fails"])
    assert set(named) == {"nodeid", "report.html", "run.vcd", "run.svg", "heard.wav", "firmware.log", "kernel.log"}
    assert all(str(run.output / path) in run.out for name, path in named.items() if name != "nodeid")
    texts = [element.text for element in xml.parse(run.output / named["run.svg"]).getroot().iter("{http://www.w3.org/2000/svg}text")]
    assert {"ring-silent", "speaker", "0 s", "2.5 s"} <= set(texts)
    changes = (run.output / named["run.vcd"]).read_text()
    wires = dict((name, wire) for wire, name in re.findall(r"\$var \w+ \d+ (\w+) (\S+) \$end", changes))
    at = [int(part) for part in re.findall(rf"#(\d+)\n[^#]*?\b1{wires['ring-silent']}\n", changes)]
    assert len(at) == 1 and abs(at[0] - 500_000) < 1000
    assert f"1{wires['speaker']}" in changes
    with wave.open(str(run.output / named["heard.wav"])) as file:
        assert file.getnframes() > file.getframerate()
    assert "exit status 0" in (run.output / named["firmware.log"]).read_text()
    assert "gpio" in (run.output / named["kernel.log"]).read_text()


class Page(html.parser.HTMLParser):
    """The elements of a page with their attributes, and the text below each heading."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.parts, self.heading, self.is_heading = [], {}, "", False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("h1", "h2"):
            self.heading, self.is_heading = "", True

    def handle_endtag(self, tag):
        if tag in ("h1", "h2"):
            self.parts[self.heading], self.is_heading = "", False

    def handle_data(self, data):
        if self.is_heading:
            self.heading += data
        elif self.heading:
            self.parts[self.heading] += data


HOSTILE = """
import pytest

@pytest.mark.parametrize("word", ["</pre><script>alert(1)</script>"])
def test_hostile(lab, word):
    print("<img src=x onerror=alert(2)>")
    lab.firmware("echo", "<script>alert(3)</script> & \\x1b[31m").wait()
    lab.firmware("python3", "-c", "print('x' * 300000)").wait()
    lab.firmware("aplay", "-q", "/usr/share/sounds/alsa/Front_Center.wav").wait()
    lab.line("ring-silent").set(1)
    lab.advance(100)
    assert word == "<b>"
"""


def test_the_page_of_a_failed_test(ringer_lab, tmp_path):
    (tmp_path / "test_page.py").write_text(HOSTILE)
    run = ringer_lab("pytest", "test_page.py")
    ((name, case),) = run.cases.items()
    text = (run.output / properties(case)["report.html"]).read_text()
    page = Page(text)
    # What is printed is text; nothing is run, and nothing is fetched from elsewhere.
    assert not {"script", "img", "b", "link", "iframe"} & {tag for tag, _ in page.elements}
    assert not any(key in ("src", "href") or key.startswith("on") for _, attributes in page.elements for key in attributes)
    assert page.parts["What failed"].count("</pre><script>alert(1)</script>") >= 1 and "assert word ==" in page.parts["What failed"]
    assert page.parts["Captured stdout call"] == "<img src=x onerror=alert(2)>\n\n"
    assert "the beginning is in firmware.log" in page.parts["firmware.log"] and len(text) < 300_000
    assert "gpio" in page.parts["kernel.log"]
    times = page.parts[f"test_page.py::{name}"]
    virtual, real = (float(number) for number in re.findall(r"([\d.]+) s", times))
    # Real time is in whole seconds, of which a machine at rest needs none.
    assert 101 < virtual < 102 and 0 <= real != virtual
    # The picture, and the two words that were heard.
    assert ("svg" in {tag for tag, _ in page.elements}) and "ring-silent" in page.parts["Lines and sound"]
    assert len(re.findall(r"[\d.]+ Hz", page.parts["Lines and sound"])) == 2
    assert "test_page.py::test_hostile[" in page.parts["The same again"]


SAME_NAMES = """
import pytest
from ringer_lab import LabError
from ringer_lab.lab import Lab

def say(lab, *words):
    lab.firmware("echo", *words).wait()
    assert 0

@pytest.mark.parametrize("word", ["a/b", "a-b", "a b", "a::b", "..", "l" * 300])
def test_same(lab, word):
    say(lab, __file__, word)

class TestSame:
    def test_same(self, lab):
        say(lab, __file__, "TestSame")

@pytest.fixture
def checked(lab):
    lab.firmware("echo", __file__, "checked").wait()
    yield
    assert 0

def test_that_fails_at_its_end(checked):
    pass

def test_another_laboratory(lab):
    with pytest.raises(LabError, match="one laboratory"):
        Lab()
"""


def test_recordings_are_found_by_the_tests_id(ringer_lab, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_same.py").write_text(SAME_NAMES)
    run = ringer_lab("pytest", "--", "--import-mode=importlib", "one", "two")
    cases = [case for case in run.all_cases if case.get("name") != "test_another_laboratory"]
    assert len(cases) == 16 and len(run.all_cases) == 18
    folders = set()
    for case in cases:
        named = properties(case)
        path, *_, name = named["nodeid"].split("::", 1)
        word = name.rpartition("[")[2].rstrip("]") if "[" in name else "TestSame" if "TestSame" in name else "checked"
        firmware = run.output / named["firmware.log"]
        assert f"{path} {word}\n" in firmware.read_text()
        assert case.get("classname").startswith(path.removesuffix(".py").replace("/", "."))
        folders.add(firmware.parent)
    assert len(folders) == 16 and all(run.output in folder.resolve().parents for folder in folders)


def test_a_full_output(ringer_lab, tmp_path):
    lines = "'sh', '-c', 'head -c 6000000 /dev/zero | tr \\\\0 x | fold -w 1000'"
    (tmp_path / "test_long.py").write_text(f"def test_long(lab):\n    lab.firmware({lines}).wait()\n    assert 0\n")
    # A file system that junit.xml has room in, and firmware.log not.
    script = 'mkdir out && mount -t tmpfs -o size=5m none out && exec "$0" pytest --output out test_long.py'
    run = subprocess.run(["unshare", "--mount", "sh", "-c", script, COMMAND], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1 and "No space left" in run.stdout and "--output" in run.stdout
    assert "generated xml file" in run.stdout and "INTERNALERROR" not in run.stdout


FULL = """
def test_full(tmp_path):
    with open(tmp_path / "file", "wb") as file:
        while True:
            file.write(bytes(1 << 20))
"""


def test_a_full_guest(ringer_lab, tmp_path):
    (tmp_path / "test_full.py").write_text(FULL)
    run = ringer_lab("pytest", "--memory", "128", "test_full.py")
    assert run.failed == {"test_full"} and "No space left" in run.out and "give it more with --memory" in run.out


RINGER = """#!/bin/sh
[ "$1" = trace ] && grep -q enddefinitions "$2" && echo "<svg/>" >"$3"
"""


BUILT = f"{os.path.dirname(LAB)}/.build/debug/ringer"
SCRIPTS = [(RINGER, True), ("#!/bin/sh\nexit 1\n", True)]  # without a working one ringer-lab draws a picture of its own
if os.path.exists(BUILT):
    SCRIPTS.append((f'#!/bin/sh\nexec {BUILT} "$@"\n', True))


@pytest.mark.parametrize("script, is_drawn", SCRIPTS, ids=["ringer", "broken", "built"][: len(SCRIPTS)])
def test_where_ringer_is_installed_the_dump_is_drawn(ringer_lab, tmp_path, monkeypatch, script, is_drawn):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ringer").write_text(script)
    (tmp_path / "bin/ringer").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    (tmp_path / "test_fails.py").write_text(FAILING)
    run = ringer_lab("pytest", "test_fails.py")
    path = "test_fails.py/test_fails/run.svg"
    assert properties(run.cases["test_fails"]).get("run.svg") == (path if is_drawn else None)
    assert (run.output / path).exists() == is_drawn
    assert not is_drawn or "<svg" in (run.output / path).read_text()


RACE = """
import os
from signal import SIGUSR1

import pytest

FIRMWARE = "trap 'echo got' USR1; echo ready; sleep 0.25; trap '' USR1; sleep 0.05; trap 'echo got' USR1; sleep 1; sleep 100"

@pytest.mark.parametrize("word", ["it's one", "two"])
def test_race(lab, word):
    assert os.environ["WORD"] == "a b"
    firmware = lab.firmware("sh", "-c", FIRMWARE, ready="ready")
    lab.line("ring-silent").bounce(1)
    player = lab.firmware("aplay", "-q", "/usr/share/sounds/alsa/Front_Center.wav")
    firmware.signal(SIGUSR1)
    assert player.wait() == 0
    lab.advance(2)
    assert "got" in firmware.output
"""


def test_shifted_events_find_a_race_and_repeat_it(ringer_lab, tmp_path, monkeypatch):
    # The same for both runs: a longer search for a program takes longer.
    monkeypatch.setenv("PATH", f"{os.path.dirname(COMMAND)}:{os.environ['PATH']}")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/test_race.py").write_text(RACE)
    (tmp_path / "sub/test_other.py").write_text("def test_other():\n    pass\n")
    options = ["--env", "WORD=a b", "--memory", "256", "--output", "its results"]
    times = ["--times", "20", "--over", "0.4"]
    run = ringer_lab("pytest", *options, *times, "--", "-rN", "-k", "sub", "sub")  # -k has the same word
    run.output = tmp_path / "its results"
    assert len(run.cases) == 41
    # The first event, a bounce of 4 ms, is shifted, and so is the signal behind it.
    shifts = {float(re.search(r"shift=([\d.]+)", name)[1]) for name in run.failed}
    assert {0.14} <= shifts <= {0.12, 0.14} and len(run.failed) == 2 * len(shifts)
    (command,) = (line for line in run.out.splitlines() if "--shift 0.14" in line and "one" in line)
    assert "the events came 0.14 s later; the same again:" in run.out
    before = recorded(run)
    shutil.rmtree(run.output)
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and command in done.stdout, done.stdout + done.stderr
    assert len(run.cases) == 1 and run.failed <= before.keys()
    after = recorded(run)
    assert after == {name: before[name] for name in after}


def recorded(run):
    """What was recorded of each test that failed, and said of it, but for the date and the kernel's own times."""
    files = ("run.vcd", "heard.wav", "firmware.log")
    return {
        name: (
            properties(run.cases[name]),
            run.cases[name].find("failure").text,
            [(run.output / properties(run.cases[name])[file]).read_bytes() for file in files],
        )
        for name in run.failed
    }


def test_runs_are_alike(tmp_path):
    def report(number):
        folder = tmp_path / f"run-{number:04}"
        folder.mkdir()
        (folder / "test_alike.py").write_text(FAILING)
        run = Run(["pytest", "test_alike.py"], folder)
        names = ("run.vcd", "heard.wav", "firmware.log", "kernel.log")
        files = [
            # The firmware's environment names the folder.
            (run.output / "test_alike.py/test_fails" / name).read_bytes().replace(bytes(folder), b"")
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


CHIPS = """/dts-v1/;
/plugin/;
&{/} {
	a { compatible = "gpio-simulator"; bank0 { gpio-controller; #gpio-cells = <2>; ngpios = <4>; gpio-sim,label = "a"; }; };
	b { compatible = "gpio-simulator"; bank0 { gpio-controller; #gpio-cells = <2>; ngpios = <4>; gpio-sim,label = "b"; }; };
};
"""

UNPLUGGED = """
def test_chips_that_come_back_in_another_order(lab):
    a, b = lab.line("a:1"), lab.line("b:1")
    set_at = a.set(1)
    for chip in "ab":
        lab.unplug(chip)
    plugged_at = [lab.plug(chip) for chip in "ba"][1]
    again_at = a.set(1)
    lab.advance(0.1)
    assert [level for _, level in a.edges] == [1, 0, 1] and b.edges == []
    assert all(0 <= at - asked < 0.001 for (at, _), asked in zip(a.edges, (set_at, plugged_at, again_at)))
"""


def test_chips_that_come_back_in_another_order(ringer_lab, tmp_path):
    (tmp_path / "chips.dtso").write_text(CHIPS)
    (tmp_path / "test_chips.py").write_text(UNPLUGGED)
    run = ringer_lab("pytest", "--overlay", "chips.dtso", "test_chips.py")
    assert run.status == 0, run.out


REST = """/dts-v1/;
/plugin/;
&gpio { gpio-line-names = "PUMP_EN", "NC", "NC"; };
&{/} {
	panel {
		compatible = "vendor,panel", "gpio-keys";
		label = "panel";
		play { gpios = <&gpio 10 1>; linux,code = <207>; debounce-interval = <10>; };
		plug { gpios = <&gpio 11 65>; linux,input-type = <5>; linux,code = <4>; };	/* no pull of its own */
		held { gpios = <&gpio 12 33>; linux,code = <30>; };	/* pulled down */
		s { gpios = <&gpio 13 0>; linux,code = <31>; };
		other-s { gpios = <&gpio 14 0>; linux,code = <31>; };
	};
	buzzer { compatible = "gpio-vibrator"; enable-gpios = <&gpio 20 0>; };
	exp { compatible = "gpio-simulator"; bank0 { gpio-controller; #gpio-cells = <2>; ngpios = <4>; gpio-sim,label = "exp"; gpio-line-names = "DOOR"; }; };
};
"""

AT_REST = """
import pytest
from ringer_lab import LabError

def test_active_low_inputs_rest(lab):
    key, jack = lab.key("KEY_PLAY"), lab.jack("SW_MICROPHONE_INSERT")
    assert (key.line.value, jack.line.value, lab.key("KEY_A").line.value) == (0, 0, 1)
    panel = lab.input("panel")
    key.press(0.1)
    lab.advance(0.1)
    jack.insert()
    lab.advance(0.1)
    assert [event[1:] for event in panel.events] == [(1, 30, 1), (1, 207, 1), (1, 207, 0), (5, 4, 1)]

def test_what_is_held_stays_held_while_its_device_is_plugged_in(lab):
    lab.key("KEY_PLAY").hold()
    lab.unplug("panel")
    lab.plug("panel")
    assert lab.key("KEY_PLAY").line.value == 1
    panel = lab.input("panel")
    assert [event[1:] for event in panel.events] == [(1, 30, 1), (1, 207, 1)]

def test_they_rest_again(lab):
    assert lab.key("KEY_PLAY").line.value == 0

def test_lines_by_name_and_number(lab):
    assert (lab.line(0), lab.line("0"), lab.line("exp:0")) == (lab.line("PUMP_EN"), lab.line("lab-bank:0"), lab.line("DOOR"))
    for mistake, said in {
        "lab.line('NC')": "2 lines are called NC",
        "lab.line('exp:4')": "no line is called exp:4",
        "lab.key('KEY_S')": "2 parts that report KEY_S.*lab-bank:13.*lab-bank:14",
        "lab.motor()": "2 gpio-vibrator",
    }.items():
        with pytest.raises(LabError, match=said):
            eval(mistake)
    assert lab.motor("buzzer") != lab.motor("vibrator")
"""


def test_a_board_at_rest(ringer_lab, tmp_path):
    (tmp_path / "rest.dtso").write_text(REST)
    (tmp_path / "test_rest.py").write_text(AT_REST)
    run = ringer_lab("pytest", "--overlay", "rest.dtso", "test_rest.py")
    assert run.status == 0, run.out


def test_modules_of_ones_own(ringer_lab, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/helper.py").write_text("")
    (tmp_path / "test_own.py").write_text("import helper\n\ndef test_own(lab):\n    pass\n")
    run = ringer_lab("pytest", "--env", f"PYTHONPATH={tmp_path}/own", "test_own.py")
    assert run.status == 0, run.out


UNENDING = """
def test_before(lab):
    lab.firmware("echo", "before").wait()
    assert 0

def test_spins(lab):
    while True: pass
"""


def test_a_test_that_does_not_end_is_named(ringer_lab, tmp_path):
    (tmp_path / "test_spins.py").write_text(UNENDING)
    for deadline in (10, 40, 160):  # a busy machine may need that long to reach the test
        run = ringer_lab("pytest", "--deadline", str(deadline), "test_spins.py")
        assert run.status == 124
        if "test_spins.py::test_spins had not ended" in run.err:
            break
        # Whatever it had reached, junit.xml tells of it, not of the run before.
        assert len(run.all_cases) <= 1
    assert "test_spins.py::test_spins had not ended" in run.err
    assert [case.get("name") for case in run.all_cases] == ["test_before", "test_spins"]
    assert "switched off" in run.cases["test_spins"].find("error").get("message")
    assert (run.output / properties(run.cases["test_before"])["run.vcd"]).exists()


def test_a_run_that_does_not_reach_its_tests_is_an_error_in_junit(ringer_lab, tmp_path):
    (tmp_path / "test_passes.py").write_text("def test_passes(lab): pass\n")
    assert ringer_lab("pytest", "test_passes.py").failed == set()
    run = ringer_lab("pytest", "--overlay", "missing.dtso", "test_passes.py")
    assert run.status == 125 and run.failed == {"pytest"}
