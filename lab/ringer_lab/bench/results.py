"""What a failed test at a bench leaves besides the lines, the sound and the firmware's output."""


def write_log(lab, path):
    """bench.log: which bench it was, what was measured of it, and what was wrong with it."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"bench: {lab.config.name} ({lab.config.path})\ntolerance: {lab.config.tolerance:g} s\nskew: {lab.config.skew:g} s\n")
        if lab.own_speaker:
            file.write(f"latency of the speaker's recording: {lab.own_speaker.latency:.6f} s, which its times are without\n")
        for wire in lab.lines.values():
            file.write(f"{wire!r}: {wire.part.gpio}, {len(wire.edges)} edges\n")
        for problem in lab.problems:
            file.write(f"problem: {problem}\n")
