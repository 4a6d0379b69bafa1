"""Files that pytest and its plug-ins write beside the tests: the guest cannot, the host does it at the end of the run."""

import os
import re
import shlex
import shutil

from ringer_lab import LabError


def is_allowed(target, words):
    """Whether it is below the present folder, or at, below or (a page's assets) beside what a word of the command names."""
    target, named = os.path.realpath(target), [os.path.realpath("."), *(os.path.realpath(re.split("[=:]", word)[-1]) for word in words)]
    folders = named + [f"{os.path.dirname(name)}/assets" for name in named]
    return target in named or any(folder != "/" and target.startswith(folder + "/") for folder in folders)


def carry_out(folder, words):
    """Copies each file below the folder to its own path."""
    words = [*words, *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))]
    for path, _, files in os.walk(folder):
        for name in files:
            source = os.path.join(path, name)
            target = source[len(folder) :]
            if not is_allowed(target, words):
                raise LabError(f"{target} is outside of the present folder: name it on the command line, or use --output")
            try:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(source, target)
            except OSError as error:
                raise LabError(f"{target} cannot be written: {error.strerror}") from None
