"""A laboratory for firmware: a Linux kernel with real gpio, input and sound drivers over simulated hardware."""

import importlib.metadata
import os
import pathlib
import re


def _version():
    """The version, which is RINGER_VERSION of ringer.h in a checkout."""
    header = pathlib.Path(__file__).resolve().parents[2] / "Sources/C/CRinger/include/ringer.h"
    if header.exists():
        number = int(re.search(r"^#define RINGER_VERSION (\d+)$", header.read_text(), re.MULTILINE)[1])
        return f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"
    return importlib.metadata.version("ringer-lab")


__version__ = _version()


class LabError(Exception):
    """The laboratory cannot do what was asked for. The message says why, and what to do."""


def is_inside():
    """Whether this process runs in the laboratory."""
    return os.environ.get("RINGER_LAB") == "1"
