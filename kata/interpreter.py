"""How the kata starts Python: what lies in the folder where somebody stands is never imported.

A child of multiprocessing and `python -c` look for modules there first, those of Python's own
library among them.
"""

import os
import sys
from collections.abc import Mapping

SAFE = "PYTHONSAFEPATH"  # Python leaves that folder out if this variable has a value


def guard_children() -> None:
    """See to it for every interpreter that is started from here on, whoever starts it."""
    os.environ[SAFE] = "1"


def guarded(*words: str) -> list[str]:
    """A command for another interpreter that leaves that folder out."""
    return [sys.executable, "-P", *words]


def beside_the_code() -> Mapping[str, str]:
    """The environment of one that is started in the folder of this kata, to import from it."""
    return {**os.environ, SAFE: ""}
