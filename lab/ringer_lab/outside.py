"""pytest's plug-in outside of the laboratory, where ringer-lab is installed: a test that uses `lab` says what to type."""

import os
import shlex

import pytest

from ringer_lab import is_inside

if not is_inside() and "RINGER_LAB_BENCH" not in os.environ:

    @pytest.fixture
    def lab(request):
        words = list(map(str, request.config.invocation_params.args))
        if words and words[0].startswith("-"):  # an option of pytest, not of ringer-lab
            words.insert(0, "--")
        pytest.fail(f"the fixture `lab` is a laboratory: type  {shlex.join(['ringer-lab', 'pytest', *words])}", pytrace=False)
