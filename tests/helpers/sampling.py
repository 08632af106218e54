"""Which of many specimens are tried at every push: each third; before a release, all of them."""

import os
from collections.abc import Collection, Sequence

ALL = "KATA_ALL_SPECIMENS"  # an environment variable; tests/long sets it
ONE_IN = 3


def everything() -> bool:
    """Whether all are tried now, however long it takes."""
    return bool(os.environ.get(ALL))


def sample(names: Sequence[str], always: Collection[str] = ()) -> list[str]:
    """Those that are tried now, in their order."""
    chosen = {*names} if everything() else {*names[::ONE_IN], *always}
    return [each for each in names if each in chosen]
