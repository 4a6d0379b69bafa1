"""The board and the files below /tmp as a test found them, for the next one."""

import contextlib
import glob
import os
import shutil

from ringer_lab.lines import read_text, write_text

# What the guest wrote below /tmp and /var/tmp (init.c has laid these over them), below $TMPDIR and in shared memory.
FOLDERS = {"/run/tmp.upper": "/tmp", "/run/var-tmp.upper": "/var/tmp", "/run/tmp": "/run/tmp", "/dev/shm": "/dev/shm"}
SETTINGS = ["/sys/class/leds/*/trigger", "/sys/class/leds/*/brightness", "/sys/class/input/input*/inhibited"]


class InitialState:
    """What `restore` brings back once the firmware has ended: pulls, LEDs, input devices that were inhibited, no new files."""

    def __init__(self, lab):
        self.lab = lab
        self.pulls = self.present_pulls()
        self.settings = self.present_settings()
        self.files = set(self.present_files())

    def present_pulls(self):
        return {file: pull for bank in self.lab.banks for file, pull in self.lab.chip(bank).pulls().items()}

    def present_settings(self):
        values = {file: read_text(file) for pattern in SETTINGS for file in sorted(glob.glob(pattern))}
        # Of triggers the present one is in brackets.
        return {file: value.partition("[")[2].partition("]")[0] or value for file, value in values.items()}

    def present_files(self):
        """Those of the guest, but for the folders of pytest's `tmp_path`."""
        for written, folder in FOLDERS.items():
            for path, folders, files in os.walk(written):
                folders[:] = [name for name in folders if not name.startswith("pytest-of-")]
                for name in folders + files:
                    yield folder + os.path.join(path, name)[len(written) :]

    def restore(self):
        for key, holds in self.lab.holds.items():
            bank = next(bank for bank in self.lab.banks if bank.label == key[0])
            if holds and holds[-1][1] is not None:
                write_text(f"{self.lab.chip(bank).folder}/sim_gpio{key[1]}/pull", "open")
        for file, pull in self.present_pulls().items():
            if pull != self.pulls.get(file, pull):
                write_text(file, self.pulls[file])
        present = self.present_settings()
        for file, value in self.settings.items():
            if present.get(file, value) != value:
                write_text(file, value)
        mounts = [row.split()[1] + "/" for row in read_text("/proc/mounts").splitlines()]
        for path in sorted(set(self.present_files()) - self.files):
            if any(mount.startswith(path + "/") for mount in mounts):
                continue  # what the firmware mounted there may be the host's
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):  # it went with its folder
                    os.remove(path)
