"""The circumstances of one claim: its seed, its random inputs, and everything that it saw."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any
from zlib import crc32

import numpy as np


class Chance(Enum):
    """A source of chance: numbers may depend on it beside the inputs of a call."""

    BIRTH = auto()  # parameters that the suite did not choose
    DROPOUT = auto()


class Form(Enum):
    """A way in which a result may differ from the one that the contract asks for."""

    ALONE = auto()  # the first of two
    HALF = auto()  # None in the place of the second
    LIST = auto()  # a list of numbers, or a number, for an array
    WHOLE = auto()  # 0 and 1 for False and True


@dataclass
class Call:
    """An event that the suite saw: a call and its outcome, or a structure that it asked for.

    `chance` is None if the numbers depend on the inputs alone.
    """

    label: str
    names: tuple[str, ...] = ()
    before: tuple[Any, ...] = ()
    after: tuple[Any, ...] = ()
    outcome: Any = None
    chance: Chance | None = None


@dataclass(frozen=True)
class Comparison:
    """The expected values of a comparison that failed, and their name; empty for a whole result."""

    expected: Any
    what: str


@dataclass
class Case:
    """The circumstances of one claim; the seed depends on its name, and on that of the run.

    Attributes:
        place: the exercise and the number of the claim, as `kata call` takes them: `ex05 3`.
        collects: whether a backward pass leaves gradients with the parameters.
        debugs: whether a debugger may want the error that ends the claim.
        error: that error, with its frames.
        form: the form in which a result differs from the contract.
        forgiven: the forms that are corrected before the suite sees a result.
        valued: whether any values were compared.
        withheld: whether any values could not be compared because they did not come back.
    """

    name: str
    library: str
    device: str = ""
    events: list[Call] = field(default_factory=list)
    collects: bool = True
    place: str = ""
    slug: str = ""
    compared: Comparison | None = None
    debugs: bool = False
    error: BaseException | None = None
    form: Form | None = None
    forgiven: set[Form] = field(default_factory=set)
    valued: bool = False
    withheld: bool = False

    def __post_init__(self) -> None:
        """Give every claim random numbers of its own, whatever ran before it."""
        self.seed = crc32(f"{self.name}{_run or ''}".encode()) % 100_000
        self._rng: np.random.Generator | None = None

    def begin_again(self) -> None:
        """Forgive the form of results that ended the claim, and begin it anew."""
        if self.form:
            self.forgiven.add(self.form)
        self.events, self.compared, self.form = [], None, None
        self._rng, self.collects = None, True
        self.valued = self.withheld = False

    @property
    def rng(self) -> np.random.Generator:
        """The source of random inputs."""
        if self._rng is None:
            self._rng = np.random.default_rng(self.seed)
        return self._rng

    @property
    def code_seed(self) -> int:
        """The seed of the generators that a learner's code can reach.

        In a graded run it differs from that of the inputs, so that nobody can draw these from it.
        """
        return crc32(f"{self.name} {_run} code".encode()) % 100_000 if _run else self.seed

    @property
    def drawn(self) -> bool:
        """True if anything about the claim is random."""
        return self._rng is not None

    def keep(self, error: BaseException | None) -> None:
        """Keep an error for a debugger; without one, its frames would keep every array alive."""
        self.error = error if self.debugs else None

    @property
    def is_repeatable(self) -> bool:
        """True if its numbers are those that learners get."""
        return not _run

    @property
    def last_call(self) -> Call | None:
        """The call that a failing comparison is most likely about."""
        return next((event for event in reversed(self.events) if event.before or event.names), None)


_run = 0


def begin_run(seed: int) -> None:
    """Seed all claims from here on in another way than for learners; with 0 in the same way."""
    global _run  # noqa: PLW0603  # a process judges one run
    _run = seed


def run_seed() -> int:
    """Return the seed of the run; 0 if its numbers are those that learners get."""
    return _run


_current: ContextVar[Case] = ContextVar("case")


def current() -> Case:
    """Return the circumstances of the claim that is being checked."""
    return _current.get()


@contextmanager
def checking(case: Case) -> Iterator[Case]:
    """Make this the current case."""
    token = _current.set(case)
    try:
        yield case
    finally:
        _current.reset(token)
