"""The systemd unit: what it exposes, whether systemd understands it, and the reports that its watchdog expects."""
import os
import re
import socket
import subprocess
import tempfile

from common import HERE, PROGRAM, start
from handset import PATIENCE

UNIT = os.path.join(HERE, "..", "voip-handset.service")


def test_unit():
    """The unit exposes at most 1.8, and systemd has nothing to say about it once the program is where it names it."""
    exposure = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=18", "--no-pager", UNIT], capture_output=True, text=True)
    assert exposure.returncode == 0, (exposure.stdout[-200:], exposure.stderr)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "voip-handset.service")
        with open(UNIT) as unit, open(path, "w") as copy:
            copy.write(unit.read().replace("/usr/bin/VoIPHandset", os.path.abspath(PROGRAM)))
        verified = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
        assert verified.returncode == 0 and not re.search("voip-handset", verified.stderr), verified.stderr


def service_manager(directory):
    """A socket that takes the place of systemd's."""
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(os.path.join(directory, "notify"))
    manager.settimeout(PATIENCE)
    return manager


def test_watchdog():
    """It reports to the service manager again and again, also while a call rings; and never where no report is expected."""
    with tempfile.TemporaryDirectory() as directory, service_manager(directory) as manager:
        with start(NOTIFY_SOCKET=manager.getsockname(), WATCHDOG_USEC="400000") as handset:
            for _ in range(3):
                assert manager.recv(100) == b"WATCHDOG=1"
            handset.check_rings()
            for _ in range(3):
                assert manager.recv(100) == b"WATCHDOG=1"
    with tempfile.TemporaryDirectory() as directory, service_manager(directory) as manager:
        with start(NOTIFY_SOCKET=manager.getsockname()) as handset:
            handset.check_rings()
        manager.setblocking(False)
        try:
            raise AssertionError(manager.recv(100))
        except BlockingIOError:
            pass
