"""What surrounds the speaker: systemd, the reader of its output, the clock, recordings, the service."""
import array
import ctypes
import glob
import json
import os
import socket
import struct
import subprocess
import wave

from broker import Broker, Publisher, Speaker, notice, wait_until
from common import online, product, program, ringerd


def forbidding(*names):
    """What makes system calls fail with EPERM in a new process, as the filter of a unit does."""
    machine = os.uname().machine
    numbers = [{
        "adjtimex": {"x86_64": 159, "aarch64": 171}, "clock_adjtime": {"x86_64": 305, "aarch64": 266},
        "sched_setparam": {"x86_64": 142, "aarch64": 118}, "sched_setscheduler": {"x86_64": 144, "aarch64": 119},
        "setpriority": {"x86_64": 141, "aarch64": 140}, "fchown": {"x86_64": 93, "aarch64": 55},
    }[name][machine] for name in names]
    load, is_equal, give = 0x20, 0x15, 0x06
    code = [(load, 0, 0, 0)]
    for number in numbers:
        code += [(is_equal, 0, 1, number), (give, 0, 0, 0x0005_0000 | 1)]  # SECCOMP_RET_ERRNO, EPERM
    code.append((give, 0, 0, 0x7FFF_0000))  # SECCOMP_RET_ALLOW
    instructions = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
    memory = ctypes.create_string_buffer(instructions)
    filter = struct.pack("HxxxxxxP", len(code), ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)

    def forbid():
        assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
        assert libc.prctl(22, 2, filter, 0, 0) == 0 and memory  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER

    return forbid


def what_systemd_expects(directory):
    """Reports that the speaker works; and both products' units expose little."""
    path = os.path.join(directory, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service_manager:
        service_manager.bind(path)
        service_manager.settimeout(30)
        broker = Broker(directory)
        publisher = Publisher(broker.port, "watched")
        os.environ.update(NOTIFY_SOCKET=path, WATCHDOG_USEC="1000000")
        try:
            # Beside the clock and what needs privileges, the unit forbids what changes scheduling.
            speaker = Speaker(
                program, directory, broker.port, "watched",
                prepare=forbidding("sched_setparam", "sched_setscheduler", "setpriority", "fchown"))
        finally:
            del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]
        publisher.wait_online()
        for _ in range(5):
            report = service_manager.recv(100)
            assert report == b"WATCHDOG=1", report
        publisher.publish(notice("a"))
        wait_until(lambda: publisher.outcome("a"), "it is announced")
        assert publisher.outcome("a")[0]["outcome"] == "announced", publisher.outcome("a")
        speaker.stop()
    exposure = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=18", "--no-pager", f"{product}/payment-speaker.service"],
        capture_output=True, text=True)
    assert exposure.returncode == 0, (exposure.stdout[-200:], exposure.stderr)
    return "reports; the unit's exposure is at most 1.8"


def an_output_that_nobody_reads(directory):
    """A reader of standard output that stands still holds nothing up; once it reads, it learns how much it has missed."""
    pipe = os.path.join(directory, "unread.lines")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    _, publisher, speaker = online(directory, "unread", "--sound", "skip")
    names = [f"t{number}" for number in range(2000)]
    for name in names:
        publisher.publish(notice(name))
    wait_until(lambda: len({result["transaction"] for result in publisher.results}) == len(names), "all are announced", 600)
    text = b""

    def read():
        nonlocal text
        try:
            text += os.read(reader, 65_536)
        except BlockingIOError:
            pass
        return b"lines were not read in time, and are lost" in text

    wait_until(read, "the reader learns what it has missed")
    lines = text.decode().splitlines()
    heard = [json.loads(line)["transaction"] for line in lines if line.startswith("{")]
    assert heard == names[:len(heard)] and len(heard) >= 1000, len(heard)
    assert f"{len(names) - len(heard)} lines were not read in time, and are lost" in lines, lines[-1]
    speaker.stop()
    os.close(reader)
    return f"{len(names)} payments; {len(heard)} lines read afterwards"


def a_clock_that_may_not_be_asked(directory):
    """Where adjtimex(2) is forbidden, the clock counts as not set: payments wait for it, and no age is judged."""
    forbid = forbidding("adjtimex", "clock_adjtime")
    broker, publisher, speaker = online(directory, "early", "--sound", "skip", "--clock", "auto", prepare=forbid)
    publisher.publish({**notice("a"), "time": "1999-01-01T00:00:00Z"})
    wait_until(lambda: "wall clock" in str(publisher.retained["health"]["problems"]), "it waits for the clock")
    assert not publisher.results
    speaker.stop()
    speaker = Speaker(program, directory, broker.port, "early", "--sound", "skip", "--clock", "unset")
    wait_until(lambda: publisher.outcome("a"), "it has its outcome")
    assert publisher.outcome("a")[0]["outcome"] == "announced", publisher.outcome("a")
    return "its ages are not judged"


def recordings_without_a_gap(directory):
    """Recordings by espeak-ng, joined; a missing one is found at the start, and silences no payment."""
    subprocess.run([os.path.join(product, "make-clips"), program, os.path.join(directory, "clips")], check=True)
    check = subprocess.run(
        [program, "voices", "check", os.path.join(directory, "clips")], capture_output=True, text=True)
    assert check.returncode == 0 and "zh: right, with" in check.stdout, check.stdout[-300:]
    clips = os.path.join(directory, "clips")
    broker, publisher, speaker = online(directory, "voice", "--clips", clips, "--language", "en", "--sound", "skip")
    publisher.publish(notice("a", "999999999.99"))
    wait_until(lambda: publisher.outcome("a"), "it is announced")
    assert publisher.outcome("a")[0]["outcome"] == "announced", publisher.outcome("a")
    speaker.stop()
    os.remove(os.path.join(clips, "zh", "10000.wav"))
    check = subprocess.run([program, "voices", "check", clips], capture_output=True, text=True)
    assert check.returncode == 1 and "10000.wav" in check.stdout, check
    speaker = Speaker(program, directory, broker.port, "voice", "--clips", clips, "--sound", "skip")
    wait_until(lambda: "10000.wav" in str(publisher.retained["health"]["problems"]), "health names the recording")
    with open(speaker.errors_path) as file:
        assert "10000.wav" in file.read()
    publisher.publish(notice("b", "10000"))
    publisher.publish(notice("c", "12.50"))
    wait_until(lambda: publisher.outcome("b") and publisher.outcome("c"), "both are announced")
    outcomes = [(publisher.outcome(name)[0]["outcome"], publisher.outcome(name)[0]["reason"]) for name in "bc"]
    assert outcomes == [("announced", "chime"), ("announced", None)], outcomes
    speaker.stop()
    publisher.close()
    broker.stop()
    recordings = glob.glob(os.path.join(clips, "*", "*.wav"))
    for recording in recordings:
        with wave.open(recording) as file:
            samples = array.array("h", file.readframes(file.getnframes()))
            margin = file.getframerate() * file.getnchannels() // 20
        # No silence of 50 ms at either end: nothing would close the gap.
        for end in (samples[:margin], samples[-margin:]):
            assert max(map(abs, end)) > 50, f"{recording} begins or ends with silence"
    return f"{len(recordings)} recordings by espeak-ng, without silence at their ends"


def the_board_of_the_service(directory):
    """The service's simulated board, over a bus of the test's own."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "shared")
    environment = dict(os.environ, RINGER_BUS="session")
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--print-address", "--nofork"], stdout=subprocess.PIPE, text=True)
    environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
    service = subprocess.Popen(
        [ringerd, "--session", "--board", "simulated"], env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.environ.update(environment)
    try:
        wait_until(lambda: subprocess.run(
            ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
             "org.freedesktop.DBus.ListNames"],
            env=environment, capture_output=True, text=True).stdout.count("inger") > 0, "ringerd is on the bus")
        speaker = Speaker(program, directory, broker.port, "shared", board=("--board", "service"))
        publisher.wait_online()
        publisher.publish(notice("a"))
        wait_until(lambda: publisher.outcome("a"), "it is announced")
        assert publisher.outcome("a")[0]["outcome"] == "announced", publisher.outcome("a")
        assert publisher.outcome("a")[0]["firstFrame"] is not None
        speaker.stop()
    finally:
        service.terminate()
        service.wait()
        bus.terminate()
        bus.wait()
    return "announced by ringerd"
