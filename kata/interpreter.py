"""The start of other interpreters: none imports a module from the current folder.

A child of multiprocessing and `python -c` look there first, also for modules of Python's own
library.
"""

import os
import sys
from collections.abc import Mapping

SAFE = "PYTHONSAFEPATH"  # with any value in this variable, Python leaves that folder out


def guard_children() -> None:
    """Leave that folder out of every interpreter that is started from now on."""
    os.environ[SAFE] = "1"


def guarded(*words: str) -> list[str]:
    """Return a command for an interpreter that leaves that folder out."""
    return [sys.executable, "-P", *words]


def beside_the_code() -> Mapping[str, str]:
    """Return the environment of an interpreter that imports from the folder of this kata."""
    return {**os.environ, SAFE: ""}
