"""What the command does with good and with bad input. One sentence says what to do, and nothing is left running."""

import os
import pty
import re
import select
import signal
import socket
import subprocess
import tempfile
import time

import pytest
from conftest import COMMAND, LAB

KEY = """/dts-v1/;
/plugin/;
%s
&{/} { %s { compatible = "gpio-keys"; key { label = "%s"; gpios = <&%s %d 0>; linux,code = <148>; }; }; };
"""


def overlay(folder, node="one", label="gpio", line=20, extra=""):
    path = folder / f"{node}.dtso"
    path.write_text(KEY % (extra, node, node, label, line))
    return str(path)


def processes():
    """Those of this test's laboratories: TMPDIR is in their arguments or in their environment."""
    folder = os.environ["TMPDIR"].encode()
    everybody = (int(entry) for entry in os.listdir("/proc") if entry.isdecimal())
    return [pid for pid in everybody if folder in read(f"/proc/{pid}/cmdline") + read(f"/proc/{pid}/environ")]


@pytest.fixture(autouse=True)
def nothing_left_running(monkeypatch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setenv("TMPDIR", str(folder))
    yield
    for _ in range(100):
        left = processes()
        if not left and not os.listdir(folder):
            return
        time.sleep(0.1)
    raise AssertionError(f"left: {left}, {os.listdir(folder)}")


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def test_output_and_status_are_the_commands(ringer_lab):
    run = ringer_lab("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert (run.status, run.out, run.err) == (7, "out\n", "err\n")


def test_a_death_by_signal_is_128_and_its_number(ringer_lab):
    assert ringer_lab("run", "sh", "-c", "kill -9 $$").status == 128 + 9


def test_sleeping_takes_its_time_in_the_guest(ringer_lab):
    run = ringer_lab("run", "--deadline", "60", "--", "sh", "-c", "cat /proc/uptime; sleep 1000; cat /proc/uptime")
    first, second = (float(line.split()[0]) for line in run.out.splitlines())
    assert second - first == pytest.approx(1000, abs=0.02)


@pytest.mark.parametrize(
    "words", [[], ["nonsense"], ["run"], ["run", "--nonsense"], ["run", "--deadline", "0", "true"], ["pytest", "--shift", "nan"]]
)
def test_bad_usage_is_64(ringer_lab, words):
    run = ringer_lab(*words)
    assert run.status == 64 and len(run.err.splitlines()) == 1


def test_options_of_pytest_come_after_two_dashes(ringer_lab):
    run = ringer_lab("pytest", "-q", "test_this.py")
    assert run.status == 64 and "-q; options of pytest or of your command come after --" in run.err


def test_options_of_pytest_after_the_tests_and_two_dashes(ringer_lab, tmp_path):
    (tmp_path / "test_this.py").write_text("def test_this(): pass\n")
    run = ringer_lab("pytest", "test_this.py", "--", "-q")
    assert run.status == 0 and "platform" not in run.out, run.out + run.err


def test_a_build_says_how_far_it_is(tmp_path):
    script = f"""set -eu; . {LAB}/ringer_lab/machine/cache.sh; progress_seconds=0.1
build() {{ seq 40; while ! grep -q "40 % is built, about 1 min more" {tmp_path}/said; do sleep 0.1; done; touch result/done; }}
cached_build it done build 100 2>{tmp_path}/said"""
    done = subprocess.run(["bash", "-c", script], env=os.environ | {"RINGER_CACHE": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0 and os.path.exists(f"{done.stdout.strip()}/done"), done.stderr


def test_several_programs_play_at_once_to_a_speaker_that_mixes(ringer_lab):
    sound = "/usr/share/sounds/alsa/Front_Center.wav"
    play = f"aplay -q -D mixed {sound}"
    run = ringer_lab("run", "--speaker", "mixed", "--", "sh", "-c", f"{play} & {play} && wait $! && ! aplay -q {sound} && echo both")
    assert run.out == "both\n", run.err


def test_help_names_the_exit_statuses(ringer_lab):
    run = ringer_lab("--help")
    assert run.status == 0
    assert all(word in run.out for word in ("124", "125", "64", "pytest", "board", "shell", "--writable"))


def test_help_of_pytest_and_board_says_what_they_leave_and_show(ringer_lab):
    common = ["124", "125", "64", "--overlay", "--deadline"]
    for name, words in {
        "pytest": ["--times", "--shift", "--output", "junit.xml", "run.vcd", "heard.wav", "kernel.log", "5 no tests"],
        "board": ["--json", "event device", "labels"],
    }.items():
        run = ringer_lab(name, "--help")
        assert run.status == 0 and all(word in run.out for word in common + words)


def test_variables(ringer_lab, monkeypatch):
    monkeypatch.setenv("FROM_HERE", "here")
    monkeypatch.setenv("NOT_NAMED", "secret")
    run = ringer_lab("run", "--env", "FROM_HERE", "--env", "SET=1=2", "env")
    values = run.out.splitlines()
    assert "FROM_HERE=here" in values and "SET=1=2" in values and "RINGER_LAB=1" in values
    assert not any(value.startswith("NOT_NAMED") for value in values)


def run_writing(ringer_lab, folder, script):
    """Runs a script that may write the folder `open`."""
    (folder / "open").mkdir()
    return ringer_lab("run", "--writable", "open", "sh", "-c", script)


def test_the_hosts_files_cannot_be_written_but_those_allowed(ringer_lab, tmp_path):
    run = run_writing(
        ringer_lab,
        tmp_path,
        "echo 1 >closed; echo 2 >open/file; echo 3 >$TMPDIR/file; echo 4 >/tmp/from-the-guest; cat /tmp/from-the-guest",
    )
    assert run.out == "4\n"
    assert not (tmp_path / "closed").exists() and (tmp_path / "open/file").read_text() == "2\n"
    assert not os.path.exists("/tmp/from-the-guest")


def test_root_cannot_make_the_hosts_files_writable(ringer_lab, tmp_path):
    run = run_writing(
        ringer_lab,
        tmp_path,
        "echo 5 >open/file; mount -o remount,rw /; mount -o remount,rw,bind /; echo 1 >closed; mkdir $TMPDIR/m; "
        f"mount -t hostfs -o {tmp_path} none $TMPDIR/m && echo 2 >$TMPDIR/m/closed; "
        "umount -l /tmp; mount -t hostfs -o /tmp none /tmp && echo 3 >/tmp/from-the-guest; "
        "echo 0 >/sys/module/hostfs/parameters/is_closed; mount -o remount,rw / && echo 4 >closed",
    )
    assert not (tmp_path / "closed").exists() and not os.path.exists("/tmp/from-the-guest"), run.err
    assert (tmp_path / "open/file").read_text() == "5\n"


def test_random_numbers_are_the_same_in_each_run(ringer_lab):
    script = "head -c 64 /dev/urandom | base64; python3 -c 'import uuid; print(uuid.uuid4(), hash(str()), hash(\"a\"))'"
    first = ringer_lab("run", "sh", "-c", script)
    assert first.status == 0 and len(first.out) > 100
    assert ringer_lab("run", "sh", "-c", script).out == first.out
    assert ringer_lab("run", "--real-time", "sh", "-c", script).out != first.out


def test_nothing_outside_can_be_reached(ringer_lab):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = (
            f"import socket\ntry: socket.create_connection(('127.0.0.1', {port}), 1)\nexcept OSError as e: print(e)\n"
        )
        run = ringer_lab("run", "python3", "-c", script + "import os; print(sorted(os.listdir('/sys/class/net')))")
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()
    assert run.out == "[Errno 111] Connection refused\n['lo']\n"


def test_a_bus_inside(ringer_lab):
    run = ringer_lab(
        "run",
        "--bus",
        "--",
        "sh",
        "-c",
        "for bus in session system; do "
        "dbus-send --$bus --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetId; done",
    )
    assert run.status == 0 and run.out.count("string") == 2


def test_the_board_shows_an_overlays_key(ringer_lab, tmp_path):
    run = ringer_lab("board", "--bare", "--overlay", overlay(tmp_path, extra='&gpio { gpio-line-names = "FIRST"; };'))
    rows = [line.split() for line in run.out.splitlines()]
    assert ["lab-bank", "0", "FIRST", "-", "-", "-", "-", "-"] in rows
    assert ["lab-bank", "20", "-", "gpio-keys", "one", "KEY_PROG1", "/dev/input/event0", "one"] in rows
    assert "sound:  hw:1 Loopback\n" in run.out  # Dummy has a mixer, and no PCM


def shell():
    """A shell at its first prompt: its process, and its terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(COMMAND, [COMMAND, "shell"])
    said = b""
    while not said.endswith(b"lab# "):
        assert select.select([terminal], [], [], 60)[0], said
        said += os.read(terminal, 4096)
    return pid, terminal


def test_a_terminal():
    pid, terminal = shell()
    os.write(terminal, b"echo $((6 * 7))-$(tty); exit 5\n")
    said = b""
    try:
        while select.select([terminal], [], [], 60)[0] and (data := os.read(terminal, 4096)):
            said += data
    except OSError:  # the other side is closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
    assert b"42-/dev/tty2" in said


def fails(run, *words):
    assert run.status == 125
    assert len(run.err.splitlines()) == 1, run.err
    assert all(word in run.err for word in words), run.err


def test_an_unknown_label(ringer_lab, tmp_path):
    fails(
        ringer_lab("run", "--overlay", overlay(tmp_path, label="gpio7"), "true"), "&gpio7", "the labels here are &gpio"
    )


def test_a_broken_overlay(ringer_lab, tmp_path):
    (tmp_path / "broken.dtso").write_text("/dts-v1/;\n/plugin/;\n&{/} { oops };\n")
    fails(ringer_lab("run", "--overlay", "broken.dtso", "true"), "broken.dtso", "syntax error")


def test_a_missing_overlay(ringer_lab):
    fails(ringer_lab("run", "--overlay", "missing.dtso", "true"), "missing.dtso", "No such file")


def test_two_parts_on_one_line(ringer_lab, tmp_path):
    two = ["--overlay", overlay(tmp_path, "one"), "--overlay", overlay(tmp_path, "two")]
    fails(ringer_lab("run", *two, "true"), "line 20", "/one/key", "/two/key", "--bare")


def test_a_line_that_the_chip_does_not_have(ringer_lab, tmp_path):
    fails(ringer_lab("run", "--overlay", overlay(tmp_path, line=40), "true"), "line 40", "32 lines")


@pytest.mark.parametrize(
    "source, words",
    [
        ("&{/} { k { compatible = 'gpio-keys'; a { gpios = <&gpio 20 0>; }; }; };", ["/k/a has no linux,code", "KEY_PROG1"]),
        ("&{/} { k { compatible = 'gpio-keys'; a { linux,code = <148>; }; }; };", ["/k/a has no line", "<&gpio 20 0>"]),
        ("&{/} { k { compatible = 'gpio-leds'; a { gpios = <&gpio 20>; }; }; };", ["/k/a: gpios", "<&gpio 20 0>"]),
        ("&{/} { k { compatible = 'gpio-leds'; a { gpios = <20 0>; }; }; };", ["/k/a: gpios", "<&gpio 20 0>"]),
        ("&{/nonesuch} { k; };", ["board.dtso", "changes a node", "ringer-lab board"]),
        ("/ { };", ["board.dtso", "changes nothing", "/plugin/"]),
        ("&{/} { k { compatible = 'gpio-led'; a { gpios = <&gpio 20 0>; }; }; };", ["/k/a", "is gpio-led;", "gpio-leds"]),
        ("&{/} { k { a { gpios = <&gpio 20 0>; }; }; };", ["/k/a", "is missing;", "gpio-leds"]),
        ("&{/} { k { compatible = 'gpio-vibrator'; gpios = <&gpio 20 0>; }; };", ["/k has no line", "enable-gpios"]),
        ("&gpio { gpio-line-names = " + ", ".join(["'A'"] * 33) + "; };", ["33 gpio-line-names for 32 lines"]),
        ("&{/} { k { compatible = 'gpio-simulator'; b { gpio-sim,label = 'lab-bank'; }; }; };", ["/b has", "label of another"]),
        ("&gpio { ngpios = <4000>; };", ["512 at most", "ngpios"]),
        ("&gpio { ngpios = <0>; };", ["1 line or more", "ngpios"]),
    ],
)
def test_an_overlay_that_no_driver_would_take(ringer_lab, tmp_path, source, words):
    (tmp_path / "board.dtso").write_text("/dts-v1/;\n/plugin/;\n" + source.replace("'", '"') + "\n")
    fails(ringer_lab("run", "--overlay", "board.dtso", "true"), *words)


def test_a_part_that_its_driver_does_not_take(ringer_lab, tmp_path):
    # The line belongs to the kernel already.
    path = overlay(tmp_path, extra="&gpio { taken { gpio-hog; gpios = <20 0>; output-high; }; };")
    fails(ringer_lab("board", "--overlay", path), "no driver has taken /one/key", "dmesg")
    (tmp_path / "test_key.py").write_text("def test_key(lab): pass\n")
    run = ringer_lab("pytest", "--overlay", path, "test_key.py")
    assert "no driver has taken /one/key" in run.cases["test_key"].find("error").get("message")


def test_an_overlay_that_does_not_begin_like_one(ringer_lab, tmp_path):
    (tmp_path / "board.dtso").write_text("/dts-v1/;\n&{/} { };\n")
    fails(ringer_lab("run", "--overlay", "board.dtso", "true"), "board.dtso", "/dts-v1/; /plugin/;")


def test_an_overlay_that_is_compiled(ringer_lab, tmp_path):
    (tmp_path / "board.dtbo").write_bytes(b"\xd0\x0d\xfe\xed" + bytes(60))
    fails(ringer_lab("run", "--overlay", "board.dtbo", "true"), "board.dtbo is not text", ".dtso")


def test_output_that_cannot_be_written():
    with open("/dev/full", "wb") as full:
        run = subprocess.run([COMMAND, "run", "echo", "lost"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=600)
    assert run.returncode == 125 and "output" in run.stderr and "No space left" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_output_that_nobody_reads_does_not_end_the_run():
    script = 'set -o pipefail; "$0" run sh -c "echo first; sleep 1; echo lost; exit 3" | head -n 1'
    run = subprocess.run(["bash", "-c", script, COMMAND], capture_output=True, text=True, timeout=600)
    assert (run.returncode, run.stdout, run.stderr) == (3, "first\n", "")


ELF_FOR_ARM = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xb7\0" + bytes(44)


def program(folder, name, content):
    (folder / name).write_bytes(content)
    (folder / name).chmod(0o755)


def test_a_firmware_that_does_not_exist(ringer_lab, tmp_path):
    fails(ringer_lab("run", "./nonesuch"), "./nonesuch", "no such program", "build it")
    program(tmp_path, "other", ELF_FOR_ARM)
    fails(ringer_lab("run", "./other"), "./other is a program for another processor", "x86-64")
    program(tmp_path, "script", b"#!/nonesuch -e\n")
    fails(ringer_lab("run", "./script"), "./script", "/nonesuch", "which is not there")


def test_a_test_of_a_firmware_that_does_not_exist(ringer_lab, tmp_path):
    program(tmp_path, "other", ELF_FOR_ARM)
    program(tmp_path, "script", b"#!/nonesuch\n")
    words = {"nonesuch": "no such program", "other": "another processor", "script": "/nonesuch, which is not there"}
    (tmp_path / "test_nonesuch.py").write_text(
        "".join(f"def test_{name}(lab):\n    lab.firmware('./{name}')\n\n" for name in words)
    )
    run = ringer_lab("pytest", "test_nonesuch.py")
    said = {name: case.find("failure").get("message") for name, case in run.cases.items()}
    assert said.keys() == {f"test_{name}" for name in words}
    assert all(words[name] in said[f"test_{name}"] and "\n" not in said[f"test_{name}"] for name in words), said


def test_a_full_disk():
    # A file system of 16 KB for what the laboratory writes.
    script = 'mount -t tmpfs -o size=16k none "$1" && TMPDIR=$1 exec "$2" run true'
    with tempfile.TemporaryDirectory(dir=os.environ["TMPDIR"]) as folder:
        words = ["unshare", "--mount", "sh", "-c", script, "sh", folder, COMMAND]
        run = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert run.returncode == 125
    assert "is full: make room there" in run.stderr and len(run.stderr.splitlines()) == 1


def test_no_room_for_the_guests_memory():
    script = 'mount -t tmpfs -o size=1m none /dev/shm && mount -t tmpfs -o size=64m none "$TMPDIR" && exec "$0" run true'
    run = subprocess.run(["unshare", "--mount", "sh", "-c", script, COMMAND], capture_output=True, text=True, timeout=600)
    assert run.returncode == 125 and "512 MB for the guest's memory: make room" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_a_full_cache():
    script = 'mount -t tmpfs -o size=16k none "$TMPDIR" && RINGER_CACHE=$TMPDIR exec "$0" run true'
    run = subprocess.run(["unshare", "--mount", "sh", "-c", script, COMMAND], capture_output=True, text=True, timeout=600)
    assert run.returncode == 125 and "make room there, or set RINGER_CACHE" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_a_cache_that_cannot_be_written(ringer_lab, monkeypatch):
    monkeypatch.setenv("RINGER_CACHE", "/dev/null/cache")
    fails(ringer_lab("run", "true"), "/dev/null/cache", "cannot be written", "RINGER_CACHE")


def test_an_output_that_is_no_folder(ringer_lab):
    fails(ringer_lab("pytest", "--output", "/dev/null", "test_this.py"), "--output /dev/null", "File exists")


def test_a_folder_whose_name_has_a_space(ringer_lab, monkeypatch):
    with tempfile.TemporaryDirectory(prefix="a b", dir=os.environ["TMPDIR"]) as folder:
        monkeypatch.setenv("TMPDIR", folder)
        fails(ringer_lab("run", "true"), folder, "set TMPDIR")


def test_a_firmware_that_spins_in_virtual_time(ringer_lab):
    run = ringer_lab("run", "--deadline", "2", "sh", "-c", "while :; do :; done")
    assert run.status == 124
    assert "2 s of real time" in run.err and "virtual time" in run.err and "--real-time" in run.err


def test_a_firmware_that_needs_more_memory_than_there_is(ringer_lab):
    run = ringer_lab("run", "--memory", "128", "python3", "-c", "x = []\nwhile True: x.append(bytearray(16 << 20))")
    assert run.status != 0 and "--memory 256" in run.err


def test_less_memory_than_the_kernel_needs(ringer_lab):
    fails(ringer_lab("run", "--memory", "1", "true"), "1 MB", "--memory")


def use_only(folder, monkeypatch, *names):
    """Leaves these programs on the PATH."""
    folder.mkdir()
    for name in ("bash", "sh", "dirname", "readlink", "python3", "sha256sum", "cut", "cat", *names):
        os.symlink(subprocess.check_output(["which", name], text=True).strip(), folder / name)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.parametrize("names", [["dpkg-query"], []])
def test_a_kernel_that_cannot_be_built(ringer_lab, tmp_path, monkeypatch, names):
    monkeypatch.setenv("RINGER_CACHE", str(tmp_path / "cache"))
    use_only(tmp_path / "bin", monkeypatch, *names)
    fails(ringer_lab("run", "bash"), "gcc is missing", "apt-get install linux-source-6.1 gcc")


@pytest.mark.parametrize("names", [["dpkg-query"], []])
def test_a_kernel_that_was_built_needs_no_compiler(ringer_lab, tmp_path, monkeypatch, names):
    use_only(tmp_path / "bin", monkeypatch, "dtc", "fdtoverlay", "true", *names)
    run = ringer_lab("run", "true")
    assert (run.status, run.err) == (0, "")


def test_a_bus_without_its_daemon(ringer_lab, tmp_path, monkeypatch):
    use_only(tmp_path / "bin", monkeypatch, "dtc", "fdtoverlay", "true")
    fails(ringer_lab("run", "--bus", "true"), "dbus-run-session is missing", "apt-get install dbus-daemon")


def start(*words, **settings):
    """The command, with a guest that has said that it is up."""
    process = subprocess.Popen(
        [COMMAND, *words],
        stdout=subprocess.PIPE,
        # A test that was started in the background ignores SIGINT, and so would the command.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **settings,
    )
    assert b"up\n" in process.stdout
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("guest", [["--real-time", "sh", "-c", "echo up; sleep 100"], ["sh", "-c", "echo up; yes >/dev/null"]])
def test_the_guest_ends_with_the_command(guest, number):
    process = start("run", *guest)
    process.send_signal(number)
    assert process.wait(20) in (128 + number, -number)


def test_the_guests_tests_end_with_the_command(tmp_path):
    (tmp_path / "test_spins.py").write_text("def test_spins(lab):\n    print('\\nup')\n    while True: pass\n")
    process = start("pytest", "--", "-s", "test_spins.py", cwd=tmp_path)
    process.kill()
    assert process.wait(20) == -signal.SIGKILL


def test_the_shell_ends_with_the_command():
    pid, _ = shell()
    os.kill(pid, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def test_the_guest_ends_with_its_kernel(tmp_path):
    # The guest's processes are the host's. They went on there, and could write its files.
    script = f"echo up; while :; do echo >{tmp_path}/written; done 2>/dev/null"
    process = start("run", "--real-time", "sh", "-c", script, stderr=subprocess.PIPE)
    kernels = [pid for pid in processes() if b"RINGER_LAB_RUN=" in read(f"/proc/{pid}/cmdline")]
    (kernel,) = (pid for pid in kernels if os.getpgid(pid) == pid)
    os.kill(kernel, signal.SIGKILL)
    assert process.wait(20) == 125 and b"its own was 137" in process.stderr.read()
    assert not (tmp_path / "written").exists()


def test_its_version_is_that_of_ringer():
    with open(f"{LAB}/../Sources/C/CRinger/include/ringer.h") as header:
        number = int(re.search(r"^#define RINGER_VERSION (\d+)$", header.read(), re.MULTILINE)[1])
    version = subprocess.run([COMMAND, "--version"], capture_output=True, text=True).stdout.split()[-1]
    assert version == f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"
