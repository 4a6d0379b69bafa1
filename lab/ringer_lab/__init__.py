"""A laboratory for firmware: a Linux kernel with real gpio, input and sound drivers over simulated hardware."""

import os

# That of ringer.h.
__version__ = "0.2.0"


class LabError(Exception):
    """The laboratory cannot do what was asked for. The message says why, and what to do."""


def is_inside():
    """Whether this process runs in the laboratory."""
    return os.environ.get("RINGER_LAB") == "1"
