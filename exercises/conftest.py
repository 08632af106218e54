"""Says what to do where pytest runs without the kata, as it does in the wrong Python."""

import sys
from pathlib import Path

import pytest

# pytest has added this folder: a file `random.py` in it would hide Python's own.
sys.path[:] = [each for each in sys.path if each != str(Path(__file__).parent)]


def pytest_configure(config: pytest.Config) -> None:
    """Stop a run that would find no exercise."""
    if not config.pluginmanager.hasplugin("kata.plugin"):
        remedy = "activate the environment in which you installed it, and type `python -m pytest`"
        raise pytest.UsageError(f"{sys.executable} runs without the attention kata: {remedy}")
