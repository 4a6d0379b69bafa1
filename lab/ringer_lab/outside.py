"""pytest's plug-in outside of the laboratory, where ringer-lab is installed: it says how the tests are run."""

import os
import shlex

import pytest

from ringer_lab import is_inside

if not is_inside() and "RINGER_LAB_BENCH" not in os.environ:

    @pytest.fixture
    def lab(request):
        words = shlex.join(["ringer-lab", "pytest", *request.config.invocation_params.args])
        pytest.fail(f"the fixture `lab` is a laboratory: type  {words}", pytrace=False)
