"""A bench whose device is reached over ssh: this machine's own OpenSSH server on the loopback, with keys made for the test."""

import getpass
import os
import re
import socket
import subprocess

import pytest

# The package starts a server of its own where systemd runs: nobody gets it unasked.
pytestmark = pytest.mark.skipif(os.environ.get("RINGER_BENCH") != "full", reason="RINGER_BENCH=full runs it: it needs openssh-server")

BENCH = """name = "one"
tolerance = 0.01
[firmware]
command = ["ssh", "-F", "ssh_config", "-tt", "device", "{script}"]
copy = ["scp", "-F", "ssh_config", "-q", "{file}", "device:{file}.copied"]
"""
SERVER = """ListenAddress 127.0.0.1:{port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
Subsystem sftp internal-sftp
"""
CLIENT = """Host device
HostName 127.0.0.1
Port {port}
User {user}
IdentityFile {folder}/user
IdentityAgent none
UserKnownHostsFile {folder}/known
BatchMode yes
"""
TESTS = """
import os, signal, subprocess, pytest

PROGRAM = 'import os, signal, sys; signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"got it\\\\n")); print("up", *sys.argv[1:])\\nfor line in sys.stdin: print("read", line.strip())'


@pytest.fixture
def program(lab):
    # Its output is buffered, unless it has a terminal.
    return lab.firmware("python3", "-c", PROGRAM, "a b", "$HOME 'c'", env={"NAME": "d e"}, ready="up")


def test_output_input_and_signals(lab, program):
    assert program.output == "up a b $HOME 'c'"
    program.signal("SIGUSR1")
    program.wait_for("got it")
    program.input("hello\\n")
    program.wait_for("read hello")
    program.signal("SIGTERM")
    assert program.wait() == -signal.SIGTERM
    assert program.output.splitlines()[1:] == ["got it", "read hello"]


def test_status_variables_and_files(lab):
    assert lab.firmware("sh", "-c", "exit 3").wait() == 3
    shell = lab.firmware("sh", "program.sh", env={"NAME": "d e"})
    assert shell.wait() == 0 and shell.output == "copied d e"
    assert os.path.exists("program.sh.copied")


def test_bad_dies(lab, program):
    program.signal("SIGSEGV")
    lab.advance(1)


def test_bad_the_connection_is_cut(lab, program):
    os.killpg(program.process.pid, signal.SIGKILL)
    lab.advance(0.1)


def test_bad_the_server_ends_the_connection(lab, program):
    own = int(subprocess.run(["ps", "-o", "ppid=", "-p", str(program.pid)], capture_output=True, text=True, check=True).stdout)
    above = int(subprocess.run(["ps", "-o", "ppid=", "-p", str(own)], capture_output=True, text=True, check=True).stdout)
    os.kill(above, signal.SIGKILL)
    lab.advance(1)


def test_answers_again(lab, program):
    pass
"""


@pytest.fixture
def server(tmp_path):
    """Starts a server, and gives the folder what a client needs."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    values = {"folder": tmp_path, "port": port, "user": getpass.getuser()}
    (tmp_path / "sshd_config").write_text(SERVER.format(**values))
    (tmp_path / "ssh_config").write_text(CLIENT.format(**values))
    (tmp_path / "known").write_text(f"[127.0.0.1]:{port} {(tmp_path / 'host.pub').read_text()}")
    if os.getuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", tmp_path / "sshd_config"], stderr=subprocess.PIPE, text=True)
    assert "listening" in process.stderr.readline()
    yield process
    process.terminate()
    process.wait()
    process.stderr.close()


def test_the_firmware_over_ssh(server, ringer_lab, tmp_path):
    (tmp_path / "bench.toml").write_text(BENCH)
    (tmp_path / "program.sh").write_text("echo copied $NAME\n")
    (tmp_path / "test_it.py").write_text(TESTS)
    run = ringer_lab("pytest", "--bench", "bench.toml", "test_it.py")
    bad = {name: run.cases[name].find("failure").get("message") for name in run.failed}
    assert set(bad) == {name for name in run.cases if name.startswith("test_bad")} and len(run.cases) == 6, run.out
    lost = "bench one: the connection to the device ended before python3; its last line was: "
    assert bad["test_bad_the_connection_is_cut"] == f"{lost}up a b $HOME 'c'"
    assert bad["test_bad_the_server_ends_the_connection"] == f"{lost}Connection to 127.0.0.1 closed."
    assert bad["test_bad_dies"].startswith("python3 died: killed by SIGSEGV, ")
    assert bad["test_bad_dies"].endswith(" s after its start; its last line was: up a b $HOME 'c'")
    server.terminate()
    server.wait()
    run = ringer_lab("run", "--bench", "bench.toml", "true")
    assert run.status == 125 and re.fullmatch(
        "ringer-lab: bench one: the device does not answer: the connection to the device is lost: it ended; "
        r"the last line was: ssh: connect to host 127.0.0.1 port \d+: Connection refused\n",
        run.err,
    ), run.err
