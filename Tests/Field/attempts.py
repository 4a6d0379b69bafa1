"""The attempts of Tests/Field/test: python3 attempts.py RINGER DIRECTORY"""
import json
import subprocess
import sys
from pathlib import Path

import make

ringer, work = sys.argv[1], Path(sys.argv[2])
passed, failed = 0, 0


def check(name, holds, said):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"failed: {name}: {said}")


def run(*arguments):
    return subprocess.run([ringer, *arguments], capture_output=True, text=True, timeout=120, check=False)


def samples(file):
    """Channels, rate and samples of a WAV file that `ringer convert` wrote."""
    data, position, channels, rate = file.read_bytes(), 12, 0, 0
    while data[position:position + 4] != b"data":
        if data[position:position + 4] == b"fmt ":
            channels = int.from_bytes(data[position + 10:position + 12], "little")
            rate = int.from_bytes(data[position + 12:position + 16], "little")
        position += 8 + int.from_bytes(data[position + 4:position + 8], "little")
    return channels, rate, data[position + 8:]


def try_file(name, content, expected, channels=1):
    """Reads a file as it is to be read: samples, or so many frames, or an error with these words."""
    file, output = work / name, work / "out.wav"
    file.write_bytes(content)
    output.unlink(missing_ok=True)
    result = run("convert", str(file), str(output), "-d", "LEI16")
    said = result.stdout + result.stderr
    if isinstance(expected, str):
        check(name, result.returncode == 1 and expected in said and name in said, said)
        return
    check(name, result.returncode == 0 and not said, said)
    if result.returncode:
        return
    found, rate, data = samples(output)
    if isinstance(expected, int):
        check(name, len(data) == 2 * expected, f"{len(data) // 2} frames")
    else:
        check(name, (found, rate) == (channels, make.RATE) and data == make.pcm(expected),
              f"{found} channels, {rate} Hz, {len(data) // 2} samples")


def heard(name, *arguments):
    """How many frames of 48 kHz are heard, from the first that is not silent to the last, and the result."""
    capture = work / (name + ".heard")
    result = run("play", *arguments, str(work / name), "--json", "--board", "simulated", "--pcm",
                 f"paced:CAPTURE={capture},RATE=48000,CHANNELS=1")
    data = capture.read_bytes() if capture.exists() else b""
    loud = [frame for frame in range(len(data) // 2) if data[2 * frame:2 * frame + 2] != b"\0\0"]
    return loud[-1] - loud[0] + 1 if loud else 0, json.loads(result.stdout or "{}")


def notified(container, name):
    result = run("notify", name, "--container", str(container), "--json", "--board", "simulated", "--pcm", "null")
    return json.loads(result.stdout or "{}")


for case in make.cases():
    try_file(*case)

# Sounds of 8 kHz last as long on a card of 48 kHz: conversion may add some frames at either end.
for name in ("ulaw-8000.wav", "size-ffffffff.wav"):
    count, result = heard(name, "-c", "playback")
    holds = abs(count - 6 * make.FRAMES) < 300 and result.get("outcome") == "finished"
    check(f"{name} is heard", holds, (count, result))

# A sound that is shorter than the card's period.
(work / "short.wav").write_bytes(make.wave(make.fmt(), make.chunk(b"data", make.pcm(make.frames(10)))))
count, result = heard("short.wav", "-c", "playback")
check("short.wav is heard", 40 <= count <= 200 and result.get("frames") == 10, (count, result))

container = work / "container"
(container / "Library/Sounds").mkdir(parents=True)
(container / "Ringer.app").mkdir()
for name, seconds in (("long.wav", 31), ("nearly.wav", 29), ("own.wav", 1)):
    (container / "Library/Sounds" / name).write_bytes(
        make.wave(make.fmt(bits=8), make.chunk(b"data", bytes([200, 60]) * (make.RATE * seconds // 2))))
(container / "Ringer.app/bundled.aiff").write_bytes(make.aiff(make.pcm(make.frames(), big=True)))
for name, fallback in (("own.wav", None), ("bundled.aiff", None), ("nearly.wav", None), ("long.wav", "tooLong"),
                       ("own", "missing"), ("missing.caf", "missing"), ("../Sounds/own.wav", "refusedName")):
    result = notified(container, name)
    holds = result.get("outcome") == "finished" and result.get("fallback", "") == fallback
    check(f"notification {name}", holds and (name != "nearly.wav" or result["frames"] == 29 * make.RATE), result)

print(f"field: {passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
