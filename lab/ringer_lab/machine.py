"""The machine: its kernel is booted as a process of the host, runs one command and is gone."""

import ctypes
import math
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
from dataclasses import dataclass, field

from ringer_lab import LabError, devicetree

DEADLINE_PASSED, FAILED = 124, 125
GUEST_RUN = "/run/ringer-lab"  # where init.c mounts the run's folder
NO_RANDOM_ADDRESSES = 0x0040000  # personality(2): ADDR_NO_RANDOMIZE
KEPT = ["PATH", "HOME", "LANG", "TERM", "NO_COLOR", "LD_LIBRARY_PATH"]


@dataclass
class Options:
    overlays: list = field(default_factory=list)
    bare: bool = False
    speaker: str = "default"
    rate: int = 48000
    env: list = field(default_factory=list)
    real_time: bool = False
    deadline: int = 300
    memory: int = 512
    writable: list = field(default_factory=list)
    bus: bool = False
    jobs: str = ""  # set by boot: how many laboratories the tests asked for


def built(what):
    """The path of the kernel or of process 1, built first where the cache has it not."""
    packaged = f"{devicetree.FOLDER}/{ {'kernel': 'linux', 'init': 'init'}[what] }"
    if os.path.exists(packaged):
        return packaged
    done = subprocess.run([f"{devicetree.FOLDER}/build-{what}"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(FAILED)  # it has said why
    return done.stdout.strip()


def check_program(name):
    """Complains of a program that is not there, or is for another processor: a shell would take that for a script."""
    path = shutil.which(name)
    if path is None:
        raise LabError(f"{name}: there is no such program: build it, give its path, or make it executable")
    with open(path, "rb") as file:
        head = file.read(256)
    if head[:4] == b"\x7fELF" and head[18:20] != b"\x3e\0":
        raise LabError(f"{name} is a program for another processor: build it for x86-64")
    if match := re.match(rb"#! *([^\s]+)", head):
        interpreter = os.fsdecode(match[1])
        if not os.path.exists(interpreter):
            raise LabError(f"{name} is a script for {interpreter}, which is not there: install that, or name another one")


def sound_configuration(speaker, rate):
    """ALSA's configuration in the guest, and the kernel's options for it: the PCM `speaker` is the recorded one.

    There is no other, which would play unheard: of Dummy only the mixer is left. With `loopback` the configuration is as its
    file has it, for tests that record by themselves.
    """
    with open(f"{devicetree.FOLDER}/asound.conf", encoding="utf-8") as file:
        text = file.read()
    if speaker == "loopback":
        return text, []
    alone = ["snd_dummy.pcm_devs=0", "snd_aloop.pcm_substreams=1"]
    if speaker == "mixed":  # it is there: for any number of programs at once
        return text.replace("rate 48000", f"rate {rate}"), alone
    if match := re.fullmatch(r"(?:plug)?hw:(?:CARD=)?(\w+)(?:,(?:DEV=)?0(?:,(?:SUBDEV=)?0)?)?", speaker):
        # The card itself takes that place.
        card = match[1]
        if card.isdecimal():
            if int(card) > 7:
                raise LabError(f"--speaker {speaker}: the kernel has cards 0 to 7")
            return text, [*alone, f"snd_aloop.index={int(card)}", f"snd_dummy.index={int(card == '0')}"]
        if card == "Dummy" or len(card) > 15:
            raise LabError(f"--speaker {speaker}: a card's name has at most 15 characters, and Dummy is another card's")
        return text.replace("Loopback", card), [*alone, f"snd_aloop.id={card}"]
    if not re.fullmatch(r"[A-Za-z][\w-]*", speaker):
        raise LabError(f"--speaker {speaker}: a name without arguments or hw:0 is meant")
    text += f'\npcm.!{speaker} {{ type plug slave {{ rate {rate} pcm "hw:Loopback,0,0" }} }}\n'
    return text, alone


def environment(options):
    values = {name: os.environ[name] for name in KEPT if name in os.environ}
    for setting in options.env:
        name, equals, value = setting.partition("=")
        if equals or name in os.environ:
            values[name] = value if equals else os.environ[name]
    values |= {
        "RINGER_LAB": "1",
        "RINGER_LAB_RUN": GUEST_RUN,
        "RINGER_LAB_TIME": "real" if options.real_time else "virtual",
        "RINGER_LAB_BOARD": f"{GUEST_RUN}/board.dtb",
        "RINGER_LAB_RATE": str(options.rate),
        "RINGER_LAB_CODES": f"{GUEST_RUN}/codes",
        "ALSA_CONFIG_PATH": f"{GUEST_RUN}/asound.conf",
        "TMPDIR": "/run/tmp",
    }
    return values


def check_space(folder, setting):
    if shutil.disk_usage(folder).free < 4 << 20:
        raise LabError(f"{folder} is full: make room there, or set {setting} to another folder")


def memory_folder(run, megabytes):
    """Where the guest's memory is a file, which grows as the guest uses it."""
    for folder in ("/dev/shm", run):
        if os.path.isdir(folder) and shutil.disk_usage(folder).free >= megabytes << 20:
            return folder
    raise LabError(
        f"neither /dev/shm nor {os.path.dirname(run)} has {megabytes} MB for the guest's memory: make room, "
        "set TMPDIR to another folder, or use --memory"
    )


def fix_addresses():
    """Programs started from now on get the same addresses in each run: how much memory the kernel sees depends on them."""
    personality = ctypes.CDLL(None).personality
    # Some containers refuse it. Then only kernel.log differs between runs.
    personality(ctypes.c_ulong(personality(ctypes.c_ulong(0xFFFFFFFF)) | NO_RANDOM_ADDRESSES))


def strings(values):
    return b"".join(os.fsencode(value) + b"\0" for value in values)


def boot(options, command, terminal=False):
    """Runs `command` in the laboratory; its output is this process's. Returns its exit status."""
    if os.uname().machine != "x86_64":
        raise LabError(f"this machine is {os.uname().machine}; the laboratory's kernel runs on x86_64 only")
    kernel, init = built("kernel"), built("init")
    include = f"{os.path.dirname(kernel)}/include"
    for folder in options.writable:
        if not os.path.isdir(folder):
            raise LabError(f"--writable {folder}: no such folder")
    run = tempfile.mkdtemp(prefix="ringer-lab.")
    try:
        check_space(os.path.dirname(run), "TMPDIR")  # dtc does not notice a full disk
        os.chmod(run, 0o711)  # other users of the guest read some of its files
        os.mkdir(f"{run}/tree")
        os.rename(devicetree.build(f"{run}/tree", include, options.overlays, options.bare), f"{run}/board.dtb")
        shutil.copy(f"{include}/dt-bindings/input/linux-event-codes.h", f"{run}/codes")
        configuration, sound = sound_configuration(options.speaker, options.rate)
        if options.bus:
            if shutil.which("dbus-run-session") is None:
                raise LabError("dbus-run-session is missing for --bus: apt-get install dbus-daemon")
            command = [
                "dbus-run-session",
                "--",
                "sh",
                "-c",
                'export DBUS_SYSTEM_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS"; exec "$@"',
                "sh",
                *command,
            ]
        for name, content in {
            "asound.conf": configuration.encode(),
            "command": strings(command),
            "directory": strings([os.getcwd()]),
            "environment": strings(f"{name}={value}" for name, value in environment(options).items()),
            "writable": strings(os.path.abspath(folder) for folder in options.writable),
        }.items():
            with open(f"{run}/{name}", "wb") as file:
                os.chmod(file.fileno(), 0o600 if name == "environment" else 0o644)
                file.write(content)
        if terminal:
            open(f"{run}/terminal", "w").close()
        return run_kernel(kernel, init, run, options, command, sound, terminal)
    except OSError as error:
        raise LabError(f"{error.filename or run}: {error.strerror}") from None
    finally:
        shutil.rmtree(run, ignore_errors=True)


def run_kernel(kernel, init, run, options, command, sound, terminal):
    # The kernel makes the descriptors of its consoles non-blocking for every process that shares them, so it gets pipes
    # of its own.
    pipes, copiers, failures = [], [], []
    for target in (sys.stdout, sys.stderr):
        source, console = os.pipe()
        copiers.append(threading.Thread(target=copy, args=(source, target.fileno(), failures)))
        pipes.append(console)
    writable = "/" in map(os.path.abspath, options.writable)
    arguments = [
        kernel,
        f"mem={options.memory}M",
        f"dtb={run}/board.dtb",
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/",
        "rw" if writable else "ro",
        f"init={init}",
        f"RINGER_LAB_RUN={run}",
        f"umid={os.path.basename(run)}",
        f"uml_dir={run}/uml/",
        "con=null",
        f"con0=null,fd:{pipes[0]}",
        f"con1=null,fd:{pipes[1]}",
        *(["con2=fd:0,fd:1"] if terminal else []),
        "stderr=1",
        "console=stderr",
        "quiet",
        *sound,
        # Addresses and random numbers that a report shows are the same in each run.
        *([] if options.real_time else ["time-travel=inf-cpu", "norandmaps", "random.fixed=1"]),
    ]
    for argument in arguments[1:]:
        if re.search(r"\s", argument):
            raise LabError(f"{argument}: the kernel takes no path with spaces: set TMPDIR or RINGER_CACHE to another folder")
    memory = memory_folder(run, options.memory)

    def start():
        with open(f"{run}/kernel.log", "ab") as log:
            return subprocess.Popen(
                arguments,
                env=os.environ | {"TMPDIR": memory},
                pass_fds=pipes,
                start_new_session=True,
                stdin=None if terminal else subprocess.DEVNULL,
                stdout=None if terminal else log,
                stderr=log,
            )

    gone, present = os.pipe()
    watcher = os.fork()
    if watcher == 0:
        os.close(present)
        watch(gone, start, run, None if terminal else options.deadline)
    for descriptor in (gone, *pipes):
        os.close(descriptor)
    for copier in copiers:
        copier.start()
    try:
        status = os.waitpid(watcher, 0)[1]
    except BaseException:
        os.close(present)
        os.waitpid(watcher, 0)
        raise
    os.close(present)
    for copier in copiers:
        copier.join()
    if failures:
        raise LabError(f"the output could not be written: {failures[0].strerror}: make room there")
    return judge(run, options, command, os.waitstatus_to_exitcode(status))


def wait(descriptors, run, deadline):
    """Waits until one can be read, and returns those; none at the deadline, or once a test's own time has passed."""
    end = math.inf if deadline is None else time.monotonic() + deadline
    while True:
        ready, _, _ = select.select(descriptors, [], [], 0.2 if end < math.inf else None)
        if ready or time.monotonic() >= end:
            return ready
        try:
            # The guest wrote it when the test began, at the host's time.
            if time.time() >= os.stat(f"{run}/timeout").st_mtime + float(read(f"{run}/timeout") or math.inf):
                os.rename(f"{run}/timeout", f"{run}/timed-out")
                return []
        except (FileNotFoundError, ValueError):
            pass


def watch(gone, start, run, deadline):
    """The watcher, a process of its own: it starts the kernel and kills all of the guest's processes when the kernel has
    ended, at the deadline, or when the command is gone, even by SIGKILL: `gone` is a pipe whose other end only the command
    holds. Its exit status is DEADLINE_PASSED, or the kernel's, 128 and the signal's number for a death by signal.
    """
    ready, status = [], FAILED
    try:
        os.setsid()  # what ends the command's process group, or its terminal, does not end the watcher
        fix_addresses()
        mode = termios.tcgetattr(0) if deadline is None else None
        process = start()
        try:
            ready = wait([gone, os.pidfd_open(process.pid)], run, deadline)
        finally:
            # They are the kernel's process group. It has not been waited for: its number is still its own.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if mode:
                termios.tcsetattr(0, termios.TCSADRAIN, mode)
        status = (process.returncode if process.returncode >= 0 else 128 - process.returncode) if ready else DEADLINE_PASSED
    except OSError as error:
        with open(f"{run}/kernel.log", "a", encoding="utf-8") as log:
            log.write(f"{error}\n")
    finally:
        if gone in ready:
            shutil.rmtree(run, ignore_errors=True)
        os._exit(status)


def copy(source, target, failures):
    """Copies what a console prints; drops it if nobody reads it any more, or if that fails."""
    while data := os.read(source, 65536):
        try:
            while data:
                data = data[os.write(target, data) :]
        except BrokenPipeError:
            pass
        except OSError as error:
            failures.append(error)
    os.close(source)


def read(path):
    """A file that the guest wrote; empty if it did not."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def judge(run, options, command, kernel_status):
    log = read(f"{run}/kernel.log")
    for victim in re.findall(r"Out of memory: Killed process \d+ \((.*?)\)", read(f"{run}/messages")):
        print(
            f"ringer-lab: no memory was left, and the kernel ended {victim}: try --memory {2 * options.memory}",
            file=sys.stderr,
        )
    if status := read(f"{run}/status"):
        options.jobs = read(f"{run}/jobs")
        return int(status)
    if kernel_status == DEADLINE_PASSED:
        doing = read(f"{run}/doing") or os.path.basename(command[0])
        print(
            f"ringer-lab: switched off: {doing} had not ended after {read(f'{run}/timed-out') or options.deadline} s of "
            "real time"
            + (
                ""
                if options.real_time
                else "; in virtual time no time passes while a program computes, so "
                "one that spins until the clock moves never ends: let it sleep, or use --real-time"
            ),
            file=sys.stderr,
        )
        return DEADLINE_PASSED
    if re.search("physmem|physical memory", log):
        raise LabError(f"the kernel cannot run with {options.memory} MB of memory: use --memory, or give it more")
    raise LabError(
        "the kernel ended without a status (its own was "
        f"{kernel_status}); its last words:\n" + "\n".join(log.splitlines()[-20:])
    )
