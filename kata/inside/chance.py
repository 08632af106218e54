"""Random numbers of a test: whatever it draws begins with the seed that the judge has chosen."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

BITS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64", "SeedSequence")
LARGEST = 2**32  # of the seeds that NumPy takes
Change = tuple[Any, str, Any]  # an owner, a name, what it is to stand for

_seeds: Iterator[int] = count()


def begin(seed: int) -> None:
    """Begin the random numbers anew, wherever a test may get them from."""
    global _seeds  # noqa: PLW0603  # as the generators that it seeds are the process' own
    _seeds = count(seed + 1)
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed % LARGEST)
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(seed)


@contextmanager
def without_entropy() -> Iterator[None]:
    """A generator that is given no seed gets the next one here, the same in every run."""
    changes = [*_of_python(), *_of_numpy(), *_of_torch()]
    known = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    try:
        for owner, name, value in changes:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in known:
            setattr(owner, name, value)


def _of_python() -> Iterator[Change]:
    usual, seed = random.Random, random.seed

    class Random(usual):  # type: ignore[misc, valid-type]  # the class as it was before
        def seed(self, a: Any = None, version: int = 2) -> None:
            super().seed(next(_seeds) if a is None else a, version)

    yield random, "Random", Random
    yield random, "seed", lambda a=None, version=2: seed(next(_seeds) if a is None else a, version)


def _of_numpy() -> Iterator[Change]:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return
    owner = numpy.random
    make, seed = owner.default_rng, owner.seed
    yield owner, "default_rng", lambda given=None: make(_next(given))
    yield owner, "seed", lambda given=None: seed(_next(given))
    for name in ("RandomState", *BITS):
        yield owner, name, _seeded(getattr(owner, name))


def _of_torch() -> Iterator[Change]:
    torch = sys.modules.get("torch")
    if torch is None:
        return

    def seed() -> int:
        torch.default_generator.manual_seed(found := next(_seeds))
        return found

    yield torch, "seed", seed


def _seeded(kind: Any) -> Any:
    """The same class, with a seed where it is given none."""

    class Seeded(kind):  # type: ignore[misc]  # NumPy has several of them
        def __init__(self, seed: Any = None, *more: Any, **named: Any) -> None:
            own = seed if more or named else _next(seed)
            super().__init__(own, *more, **named)

    Seeded.__name__ = kind.__name__
    return Seeded


def _next(given: Any) -> Any:
    return next(_seeds) % LARGEST if given is None else given
