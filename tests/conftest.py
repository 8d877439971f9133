"""What all tests share: commands keep their results in a folder of the tests, not in that of the user."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from unplace.runs.cache import VARIABLE

FOLDER = pytest.StashKey[str]()

# How long an example takes says more about what else the machine does.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Before the test modules are imported, some of which copy the environment."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started by `nohup` or in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[FOLDER] = os.environ[VARIABLE] = tempfile.mkdtemp(prefix="unplace-results-")


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[FOLDER], ignore_errors=True)
