"""One claim being checked: its seed, its random inputs, and everything it saw."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from kata.judging.inputs import Form


class Chance(Enum):
    """What numbers can depend on beside the inputs of a call."""

    BIRTH = auto()  # parameters that the suite did not choose
    DROPOUT = auto()


@dataclass
class Call:
    """One thing that the suite saw: a call and its outcome, or a structure that it asked for.

    `chance` is None if the numbers depend on the inputs alone.
    """

    label: str
    names: tuple[str, ...] = ()
    before: tuple[Any, ...] = ()
    after: tuple[Any, ...] = ()
    outcome: Any = None
    chance: Chance | None = None


@dataclass(frozen=True)
class Compared:
    """What a comparison that failed had expected, and of what; empty for all that came back."""

    expected: Any
    what: str


@dataclass
class Case:
    """The circumstances of one claim; the seed depends on its name, and on the run's own.

    `place` is its exercise and its number in the suite, as `kata call` takes them: `ex05 3`.
    """

    name: str
    library: str
    device: str = ""
    events: list[Call] = field(default_factory=list)
    collects: bool = True  # whether a backward pass leaves gradients with the parameters
    place: str = ""
    slug: str = ""
    compared: Compared | None = None
    debugs: bool = False
    error: BaseException | None = None  # that ended the claim, with its frames, if it `debugs`
    form: "Form | None" = None  # in which a result differs from what was asked for
    forgiven: "set[Form]" = field(default_factory=set)
    valued: bool = False  # whether any values were compared
    withheld: bool = False  # whether any would have been that did not come back

    def __post_init__(self) -> None:
        """Give every claim its own random numbers, whatever ran before it."""
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
        """Where random inputs come from."""
        if self._rng is None:
            self._rng = np.random.default_rng(self.seed)
        return self._rng

    @property
    def code_seed(self) -> int:
        """What the generators are seeded with that a learner's code can reach.

        In a graded run it is another one than that of the inputs, which nobody can draw from it.
        """
        return crc32(f"{self.name} {_run} code".encode()) % 100_000 if _run else self.seed

    @property
    def drawn(self) -> bool:
        """Whether anything about the claim is random."""
        return self._rng is not None

    def keep(self, error: BaseException | None) -> None:
        """Keep an error for a debugger; without one, its frames would keep every array alive."""
        self.error = error if self.debugs else None

    @property
    def is_repeatable(self) -> bool:
        """Whether its numbers are those that learners get."""
        return not _run

    @property
    def last_call(self) -> Call | None:
        """The call that a failing comparison is most likely about."""
        return next((event for event in reversed(self.events) if event.before or event.names), None)


_run = 0


def begin_run(seed: int) -> None:
    """Seed all claims from here on differently than for learners; 0 seeds them alike."""
    global _run  # noqa: PLW0603  # a process judges one run
    _run = seed


def run_seed() -> int:
    """The seed of the run; 0 if its numbers are those that learners get."""
    return _run


_current: ContextVar[Case] = ContextVar("case")


def current() -> Case:
    """The claim that is being checked."""
    return _current.get()


@contextmanager
def checking(case: Case) -> Iterator[Case]:
    """Make this the current claim."""
    token = _current.set(case)
    try:
        yield case
    finally:
        _current.reset(token)
