"""report.html: all of a failed test on one page, in one file that needs nothing else."""

import html
import os
import re
import time

# Of a log the page has the last part; the whole is in the file beside it.
LONGEST_LOG = 200_000

STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; --line: #8884; }
body { max-width: 75rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.25rem; overflow-wrap: anywhere; } h2 { font-size: 1rem; margin: 1.5rem 0 .4rem; }
pre { overflow: auto; max-height: 32rem; margin: 0; padding: .6rem; border: 1px solid var(--line); font: 13px/1.4 monospace; }
table { border-collapse: collapse; } td, th { padding: .15rem .9rem .15rem 0; text-align: left; font-weight: normal; }
thead th { border-bottom: 1px solid var(--line); } td { font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } .wide svg { display: block; width: 100%; min-width: 44rem; height: auto; }
@media (prefers-color-scheme: dark) { svg { filter: invert(.88) hue-rotate(180deg); } }
"""


def host_time(name):
    """The host's time, which the guest's clocks are not: the host stamps a new file of the run's folder with it, in whole seconds."""
    if "RINGER_LAB_RUN" not in os.environ:  # at a bench this machine is the host
        return time.time()
    path = os.path.join(os.environ["RINGER_LAB_RUN"], name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(name)
    try:
        return os.stat(path).st_mtime
    finally:
        os.remove(path)


def write(path, title, failure, sections, lab, files, command):
    """Writes the page: `failure` and `sections` are pytest's, `files` the recordings by name, `command` repeats the test."""
    virtual, real = lab.end - lab.start, max(0.0, lab.host_end - lab.host_start)
    clocks, digits = ("virtual", "real, with the laboratory's own work, in whole seconds"), 0
    if lab.board.is_real:
        clocks, digits = ("the host's clock", "the same, with the bench's own work"), 3
    elif os.environ.get("RINGER_LAB_TIME") == "real":
        clocks = ("the guest's clock", "the host's, with the laboratory's own work, in whole seconds")
    parts = [
        table(("time of the test", ""), [(clocks[0], f"{virtual:.3f} s"), (clocks[1], f"{real:.{digits}f} s")]
              + ([("its events came later by", f"{lab.shift:g} s")] if lab.shift else [])),
        heading("What failed"), block(failure),
        *(heading(name) + block(text) for name, text in sections if name != "Captured recordings call"),
        heading("Lines and sound"), picture(files["run.svg"]), sounds(lab),
    ]  # fmt: skip
    for name in ("firmware.log", *lab.LOGS):
        parts += [heading(name), block(tail(files[name], name))]
    others = ", ".join(sorted(set(files) - {"run.svg", "report.html"}))
    parts += [heading("The same again"), block(command), f"<p>Beside this page: {html.escape(others)}</p>"]
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
            # Whatever a firmware prints is text. Nothing of the page is run or fetched.
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n<body><h1>{html.escape(title)}</h1>\n"
        )
        file.write("\n".join(parts) + "\n</body></html>\n")


def heading(text):
    return f"<h2>{html.escape(text)}</h2>"


def block(text):
    return f"<pre>{html.escape(text)}</pre>"


def table(heads, rows):
    def row(cells, kind):
        return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><thead>{row(heads, 'th')}</thead><tbody>{body}</tbody></table>"


def picture(path):
    with open(path, encoding="utf-8") as file:
        return f'<div class="wide">{re.sub(r"^<[?!][^>]*>", "", file.read().strip())}</div>'


def sounds(lab):
    """What was heard, in seconds since the test began."""
    if not lab.speaker or lab.speaker.problem:
        return ""
    rows = [
        (f"{sound.start - lab.start:.3f} s", f"{sound.end - lab.start:.3f} s", f"{sound.peak:.3f}", f"{sound.frequency:g} Hz")
        for sound in lab.speaker.heard
    ]
    return table(("heard from", "to", "peak, of 1", "frequency"), rows) if rows else "<p>Nothing was heard.</p>"


def tail(path, name):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return text if len(text) <= LONGEST_LOG else f"(the beginning is in {name})\n{text[-LONGEST_LOG:]}"
