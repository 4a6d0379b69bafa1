"""The files that a failed test leaves."""

import os
import re
import shutil
import subprocess

KMSG = "/dev/kmsg"


def save(lab, folder):
    """Writes the recordings to the folder, and returns their paths by name."""
    os.makedirs(folder, exist_ok=True)
    files = {"run.vcd": write_changes, "firmware.log": write_output, "kernel.log": write_kernel_log}
    if lab.speaker:
        files["heard.wav"] = lambda lab, path: lab.speaker.save(path)
    paths = {}
    for name, write in files.items():
        paths[name] = os.path.join(folder, name)
        write(lab, paths[name])
    if shutil.which("ringer"):
        picture = os.path.join(folder, "run.svg")
        if subprocess.run(["ringer", "trace", paths["run.vcd"], picture], stdin=subprocess.DEVNULL).returncode == 0:
            paths["run.svg"] = picture
    return paths


def write_output(lab, path):
    with open(path, "w", encoding="utf-8") as file:
        for firmware in lab.firmwares:
            for at, text in firmware.lines:
                file.write(f"{at - lab.start:12.6f} {firmware.name}: {text}\n")
            file.write(f"{firmware.ended_at - lab.start:12.6f} {firmware.name}: {firmware.end_text()}\n")


def write_kernel_log(_, path):
    # The host's folder of this run has another name in each.
    with open("/proc/cmdline", encoding="utf-8") as file:
        host_folder = re.search(r"RINGER_LAB_RUN=(\S+)", file.read())[1]
    descriptor = os.open(KMSG, os.O_RDONLY | os.O_NONBLOCK)
    with open(path, "w", encoding="utf-8") as file:
        while True:
            try:
                fields, _, text = os.read(descriptor, 8192).decode(errors="replace").partition(";")
            except BlockingIOError:
                break
            except BrokenPipeError:  # the oldest messages were overwritten
                continue
            file.write(f"{int(fields.split(',')[2]) / 1e6:12.6f} {text.splitlines()[0].replace(host_folder, os.environ['RINGER_LAB_RUN'])}\n")
    os.close(descriptor)


def write_changes(lab, path):
    """A value-change dump, as GTKWave, PulseView and sigrok read it: times are microseconds since the test began."""
    names, changes = [], []

    def add(kind, size, name):
        identifier = f"s{len(names)}"
        names.append(f"$var {kind} {size} {identifier} {re.sub(r'[^A-Za-z0-9_.:-]', '_', name)} $end\n")
        return identifier

    for line in lab.lines.values():
        identifier = add("wire", 1, line.name)
        changes.append((0, f"{line._logical(line.start[1])}{identifier}"))
        changes += [(at - lab.start, f"{level}{identifier}") for at, level in line.edges]
    for recorder in lab.inputs:
        for kind, code in sorted({(kind, code) for _, kind, code, _ in recorder.reports}):
            identifier = add("integer", 32, f"{recorder.name}.{kind}.{code}")
            changes += [
                (at - lab.start, f"b{value & 0xFFFFFFFF:b} {identifier}")
                for at, *key, value in recorder.reports
                if key == [kind, code]
            ]
    if lab.speaker:
        audible, peak = add("wire", 1, "speaker"), add("real", 64, "speaker.peak")
        changes += [(0, f"0{audible}"), (0, f"r0 {peak}")]
        for first, end in [] if lab.speaker.problem else lab.speaker.spans():
            offset, rate = lab.speaker.start - lab.start, lab.speaker.rate
            changes += [(offset + first / rate, f"1{audible}"), (offset + end / rate, f"0{audible}")]
            step = rate // 100
            for frame in range(first, end, step):
                level, _ = lab.speaker.measure(frame, min(frame + step, end))
                changes.append((offset + frame / rate, f"r{level:.4f} {peak}"))
            changes.append((offset + end / rate, f"r0 {peak}"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            "$timescale 1us $end\n$scope module lab $end\n" + "".join(names) + "$upscope $end\n$enddefinitions $end\n"
        )
        last = None
        for micros, change in sorted(
            ((max(0, round(at * 1e6)), change) for at, change in changes), key=lambda item: item[0]
        ):
            if micros != last:
                file.write(f"#{micros}\n")
            file.write(change + "\n")
            last = micros
        file.write(f"#{round((lab.end - lab.start) * 1e6)}\n")
