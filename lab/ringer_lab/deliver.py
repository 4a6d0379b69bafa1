"""Files that pytest and its plug-ins write beside the tests: the guest cannot, the host does it at the end of the run."""

import os
import shlex
import shutil
import sys

from ringer_lab import LabError


def carry_out(folder, words):
    """Moves each file below the folder to its own path. Only below the present folder, or where the command's words say."""
    named = shlex.join(words) + " " + os.environ.get("PYTEST_ADDOPTS", "")
    for path, _, files in os.walk(folder):
        for name in files:
            source = os.path.join(path, name)
            target = source[len(folder) :]
            home = os.path.realpath(".")
            if os.path.commonpath([home, os.path.realpath(target)]) != home and not any(
                len(part) > 1 and part in named for part in (target, os.path.dirname(target))
            ):
                raise LabError(f"{target} is outside of the present folder: name it on the command line, or use --output")
            try:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(source, target)
            except OSError as error:
                print(f"ringer-lab: {target} cannot be written: {error.strerror}", file=sys.stderr)
                return 125
    return 0
