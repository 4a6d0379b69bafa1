"""`ringer-lab board`, inside: what the drivers made of the device tree."""

import json
import os
import sys

from ringer_lab import LabError, devicetree
from ringer_lab.devicetree import EV_ABS, EV_KEY, EV_SW
from ringer_lab.inputs import codes
from ringer_lab.lines import Chip, board, check_drivers, read_text

PREFIXES = {EV_KEY: ("KEY_", "BTN_"), EV_SW: ("SW_",), EV_ABS: ("ABS_",)}


def code_name(part):
    if part.code is None or not part.driver.startswith("gpio-keys"):
        return ""
    names = [
        name for name, number in codes().items() if number == part.code and name.startswith(PREFIXES.get(part.type, ()))
    ]
    return (names or [str(part.code)])[0] + (f"={part.value}" if part.type == EV_ABS else "")


def lines():
    tree = board()
    parts = devicetree.parts(tree)
    check_drivers(parts)
    for bank in devicetree.banks(tree).values():
        chip = Chip(bank)
        for offset in range(bank.count):
            name, user, _ = chip.line_info(offset)
            part = next((part for part in parts if (part.bank, part.line) == (bank.label, offset)), None)
            yield {
                "chip": bank.label,
                "line": offset,
                "name": name,
                "user": user,
                "driver": part.driver if part else "",
                "part": part.label if part else "",
                "code": code_name(part) if part else "",
                "event": events(part),
            }


def events(part):
    """The event device of a part; empty if it has none."""
    folder = f"/sys/devices/platform/{part.device}/input" if part else ""
    for device in os.listdir(folder) if os.path.isdir(folder) else []:
        for name in os.listdir(f"{folder}/{device}"):
            if name.startswith("event"):
                return f"/dev/input/{name}"
    return ""


def names_in(folder):
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def main():
    found = {
        "lines": list(lines()),
        "leds": names_in("/sys/class/leds"),
        "cards": [
            f"hw:{name[4:]} {read_text(f'/proc/asound/{name}/id')}"
            for name in names_in("/proc/asound")
            if os.path.isdir(f"/proc/asound/{name}/pcm0p") and name[4:].isdecimal()
        ],
        "symbols": sorted(name for node in board().children if node.name == "__symbols__" for name in node.properties),
    }
    if "--json" in sys.argv[1:]:
        print(json.dumps(found))
        return
    columns = ["chip", "line", "name", "driver", "part", "code", "event", "user"]
    rows = [columns] + [[str(row[column]) or "-" for column in columns] for row in found["lines"]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print("LEDs:   " + ", ".join(found["leds"]))
    print("sound:  " + ", ".join(found["cards"]))
    print("labels: " + ", ".join("&" + name for name in found["symbols"]))


try:
    main()
except LabError as error:
    print(f"ringer-lab: {error}", file=sys.stderr)
    raise SystemExit(125) from None
