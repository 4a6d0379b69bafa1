"""A chime: SIGUSR1 plays a WAV file with aplay, unless the mute switch is on; a flip to mute ends it.

    python3 chime.py FILE.wav

The switch is the kernel's (SW_MUTE_DEVICE of a gpio-keys device), the light a gpio-leds one that is on while it plays.
"""

import fcntl
import glob
import os
import select
import signal
import struct
import subprocess
import sys

EV_SW, SW_MUTE_DEVICE, EVENT = 5, 0x0E, struct.Struct("qqHHi")
LIGHT = "/sys/class/leds/green:status/brightness"


def has_mute_switch(device):
    with open(f"{device}/device/capabilities/sw", encoding="ascii") as file:
        return int(file.read(), 16) >> SW_MUTE_DEVICE & 1


def is_on(switch):
    state = fcntl.ioctl(switch, 0x8008451B, bytes(8))  # EVIOCGSW
    return bool(int.from_bytes(state, "little") >> SW_MUTE_DEVICE & 1)


def light(on):
    with open(LIGHT, "w", encoding="ascii") as file:
        file.write("1" if on else "0")


def main():
    device = next(device for device in glob.glob("/sys/class/input/event*") if has_mute_switch(device))
    switch = os.open(f"/dev/input/{os.path.basename(device)}", os.O_RDONLY)
    waking, wake = os.pipe()
    os.set_blocking(wake, False)
    for number in (signal.SIGUSR1, signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(wake)
    muted, player = is_on(switch), None
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([switch, waking], [], [])
        if switch in ready:
            for _, _, kind, code, value in EVENT.iter_unpack(os.read(switch, 64 * EVENT.size)):
                if (kind, code) == (EV_SW, SW_MUTE_DEVICE):
                    muted = bool(value)
            if muted and player:
                player.kill()
        if waking in ready:
            numbers = os.read(waking, 64)
            if signal.SIGTERM in numbers:
                break
            if signal.SIGUSR1 in numbers and not muted and not player:
                player = subprocess.Popen(["aplay", "-q", sys.argv[1]])
                light(True)
        if player and player.poll() is not None:
            player = None
            light(False)
    if player:
        player.kill()


main()
