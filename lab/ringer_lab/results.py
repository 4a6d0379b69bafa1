"""The files that a failed test leaves."""

import html
import math
import os
import re
import shutil
import subprocess

KMSG = "/dev/kmsg"


def save(lab, folder):
    """Writes the recordings to the folder, and returns their paths by name."""
    os.makedirs(folder, exist_ok=True)
    files = {"run.vcd": write_changes, "firmware.log": write_output, **lab.LOGS}
    if lab.speaker:
        files["heard.wav"] = lambda lab, path: lab.speaker.save(path)
    paths = {}
    for name, write in files.items():
        paths[name] = os.path.join(folder, name)
        write(lab, paths[name])
    picture = paths["run.svg"] = os.path.join(folder, "run.svg")
    words = ["ringer", "trace", paths["run.vcd"], picture]
    if not shutil.which("ringer") or subprocess.run(words, stdin=subprocess.DEVNULL).returncode != 0:
        draw(lab, picture)
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


def draw(lab, path):
    """A picture of the lines that changed or were high, and of the speaker's level, over seconds since the test began."""
    left, width, row, end = 180, 960, 34, max(lab.end - lab.start, 1e-3)

    def x(at):
        return round(left + width * min(max(at - lab.start, 0), end) / end, 2)

    rows = [(line.name, [f"M{x(lab.start)} 24"] + [f"V{24 - 18 * level}H{x(after)}" for level, after in steps(lab, line)])
            for line in lab.lines.values() if line.edges or line.highs]  # fmt: skip
    if lab.speaker and not lab.speaker.problem:
        rate, start, parts = lab.speaker.rate, lab.speaker.start, []
        for first, last in lab.speaker.spans():
            step = max(rate // 100, math.ceil(end * rate / width))  # a tick of the card, or what is one point wide
            for frame in range(first, last, step):
                level, _ = lab.speaker.measure(frame, min(frame + step, last))
                at, height = x(start + frame / rate), 9 * level + 0.3
                parts.append(f"M{at} {15 - height:.1f}H{x(start + min(frame + step, last) / rate)}V{15 + height:.1f}H{at}Z")
        rows.append(("speaker", parts))
    unit = 10 ** math.floor(math.log10(end))
    unit = next(step for step in (unit / 5, unit / 2, unit, unit * 2) if end / step <= 10)
    height = row * len(rows)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 30} {height + 30}" font-family="sans-serif" ')
        file.write('font-size="12"><rect width="100%" height="100%" fill="#fff"/>\n')
        for number in range(int(end / unit) + 1):
            at = round(left + width * number * unit / end, 2)
            file.write(f'<path d="M{at} 0V{height}" stroke="#ddd"/><text x="{at}" y="{height + 18}" text-anchor="middle">{number * unit:.6g} s</text>\n')
        for number, (name, parts) in enumerate(rows):
            fill = "#06c" if name == "speaker" else "none"
            file.write(f'<g transform="translate(0 {number * row})"><text x="8" y="20">{html.escape(name)}</text>')
            file.write(f'<path d="{"".join(parts)}" fill="{fill}" stroke="#06c"/></g>\n')
        file.write("</svg>\n")


def steps(lab, line):
    """[(level, until when)] of a line."""
    level, found = line._logical(line.start[1]), []
    for at, after in line.edges:
        found.append((level, at))
        level = after
    return [*found, (level, lab.end)]
