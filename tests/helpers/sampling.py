"""How much is tried at every push: a part of each kind; before a release, all of everything."""

import os
from collections.abc import Collection, Sequence
from typing import TypeVar

import pytest

ALL = "KATA_ALL_SPECIMENS"  # an environment variable; tests/long sets it
WHOLE = bool(os.environ.get(ALL))
ONE_IN = 3
release = pytest.mark.skipif(not WHOLE, reason="before a release, by tests/long")
T = TypeVar("T")


def sample(names: Sequence[T], always: Collection[T] = (), one_in: int = ONE_IN) -> list[T]:
    """Those that are tried now, in their order."""
    return [name for at, name in enumerate(names) if WHOLE or at % one_in == 0 or name in always]
