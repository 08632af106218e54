"""Which of many specimens are tried at every push: each third; before a release, all of them."""

import os
from collections.abc import Collection, Sequence

ALL = "KATA_ALL_SPECIMENS"  # an environment variable; tests/long sets it
ONE_IN = 3


def sample(names: Sequence[str], always: Collection[str] = ()) -> list[str]:
    """Those that are tried now, in their order."""
    chosen = {*names} if os.environ.get(ALL) else {*names[::ONE_IN], *always}
    return [each for each in names if each in chosen]
