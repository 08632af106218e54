"""Which of many specimens are tried at every push: a part; before a release, all of them."""

import os
from collections.abc import Collection, Sequence

ALL = "KATA_ALL_SPECIMENS"  # an environment variable; tests/long sets it
ONE_IN = 3


def everything() -> bool:
    """Whether all are tried now, however long it takes."""
    return bool(os.environ.get(ALL))


def sample(names: Sequence[str], always: Collection[str] = (), one_in: int = ONE_IN) -> list[str]:
    """Those that are tried now, in their order."""
    chosen = {*names} if everything() else {*names[::one_in], *always}
    return [each for each in names if each in chosen]
