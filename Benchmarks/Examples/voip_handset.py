"""The rows of VoIPHandset: see voip-handset.bench beside this file."""
import os
import re
import sys
import time

program, support = sys.argv[1:]
sys.path.insert(0, support)
from handset import Caller, Handset
from rows import missed, percentile, row

CALLS = 20


def now():
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def switches(handset):
    """The context switches of all threads so far, voluntary or not."""
    count = 0
    for thread in os.listdir(f"/proc/{handset.process.pid}/task"):
        with open(f"/proc/{handset.process.pid}/task/{thread}/status") as status:
            count += sum(map(int, re.findall(r"ctxt_switches:\s+(\d+)", status.read())))
    return count


def calls(handset):
    """Seconds from INVITE to the first frame and from CANCEL to silence. The PCM is closed between two calls."""
    rings, silences = [], []
    for _ in range(CALLS):
        with Caller(handset.port) as caller:
            start = now()
            caller.invite()
            rings.append(handset.wait_for(caller.call, "ringing")["at"] - start)
            time.sleep(0.1)
            start = now()
            caller.cancel()
            silences.append(handset.wait_for(caller.call, "cancelled")["at"] - start)
        time.sleep(2.5)
    return rings, silences


with Handset(program, "--pcm", "default", "--call-pcm", "default", "--microphone-pcm", "null") as handset:
    rings, silences = calls(handset)
    row("INVITE to first frame of the ring, median", 1000 * percentile(rings, 0.5), 50, "ms")
    row(f"INVITE to first frame of the ring, longest of {CALLS}", 1000 * max(rings), unit="ms")
    row("CANCEL to silence, median", 1000 * percentile(silences, 0.5), 20, "ms")
    row(f"CANCEL to silence, longest of {CALLS}", 1000 * max(silences), unit="ms")
    with Caller(handset.port) as caller:
        caller.invite()
        handset.wait_for(caller.call, "ringing")
        start = now()
        handset.command("answer")
        row("answer to silence and a free PCM", 1000 * (handset.wait_for(caller.call, "answered")["at"] - start), unit="ms")
        caller.expect(200)
        caller.acknowledge()
        caller.hang_up()
    # The transactions of the calls are over after 32 s.
    time.sleep(40)
    before = switches(handset)
    time.sleep(10)
    row("VoIPHandset: wake-ups in 10 s at rest", switches(handset) - before, 0, places=0)
    row("VoIPHandset: resident memory at rest", handset.resident(), unit="kB", places=0)
sys.exit(1 if missed else 0)
