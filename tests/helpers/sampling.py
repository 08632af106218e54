"""How much is tried at every push: a part of each kind; before a release, all of everything."""

import os
from collections.abc import Collection, Sequence
from typing import TypeVar

import pytest

ALL = "KATA_ALL_SPECIMENS"  # an environment variable; tests/long sets it
ONE_IN = 3
# Left out unless everything is tried: tests/conftest.py sees to it.
release = pytest.mark.release
T = TypeVar("T")


def everything() -> bool:
    """Whether all is tried now, however long it takes."""
    return bool(os.environ.get(ALL))


def sample(names: Sequence[T], always: Collection[T] = (), one_in: int = ONE_IN) -> list[T]:
    """Those that are tried now, in their order."""
    whole = everything()
    return [name for at, name in enumerate(names) if whole or at % one_in == 0 or name in always]
