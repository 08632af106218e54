"""The verdict on a learner's own tests: plain data, for every way to show it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

LEVELS = (1, 2, 3)  # the traps; also what really happened to somebody; everything


class TestState(StrEnum):
    """The worth of a test."""

    __test__ = False  # for pytest, which collects what is called Test…

    NOT_WRITTEN = "not written"
    REFUSES = "refuses a right answer"
    COUNTS = "counts"
    RANDOM = "random"  # it differs from run to run, on one implementation
    SLOW = "slow"
    BROKEN = "broken"  # it raises another error than a failed assert on every right answer


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that the tests were tried on.

    Attributes:
        slug: of the entry of the catalogue.
        level: the lowest level that it belongs to; a level contains those below it.
        about: the function or class of the exercise that is wrong.
    """

    slug: str
    level: int
    about: str


@dataclass(frozen=True)
class Refusal:
    """A right answer that a test fails on.

    Attributes:
        answer: the name of the right answer.
        because: the sentence of the contract that makes it right; empty if none was written down.
        error: what the test raised.
        line: where in the proof; 0 if it was raised elsewhere.
    """

    answer: str
    because: str
    error: str
    line: int


@dataclass(frozen=True)
class TestVerdict:
    """The verdict on one test.

    Attributes:
        name: of the function.
        line: where it begins.
        state: its worth.
        refusals: the right answers that it fails on; of a random test, with some seeds only.
        catches: the slugs of the wrong answers that it fails on.
        remark: a sentence about what is wrong with the test itself; else empty.
    """

    __test__ = False

    name: str
    line: int
    state: TestState
    refusals: tuple[Refusal, ...] = ()
    catches: frozenset[str] = frozenset()
    remark: str = ""

    @property
    def counts(self) -> bool:
        """Whether its catches count."""
        return self.state is TestState.COUNTS


@dataclass(frozen=True)
class ProofVerdict:
    """The verdict on all tests about one exercise.

    Attributes:
        slug: of the exercise.
        tests: in file order.
        wrong: the wrong answers that they were tried on, in the order of the catalogue.
        error: why nothing could be judged; else empty.
        line: the line of the proof that the error is about; 0 if there is none.
        remarks: sentences about the file as a whole.
        right: how many right answers they were tried on.
        is_partial: whether some levels were left out.
    """

    slug: str
    tests: tuple[TestVerdict, ...] = ()
    wrong: tuple[WrongAnswer, ...] = ()
    error: str = ""
    line: int = 0
    remarks: tuple[str, ...] = ()
    right: int = 0
    is_partial: bool = False

    @property
    def mark(self) -> float:
        """The share of level 1 that is caught, 0 to 1; nothing if a right answer is refused."""
        wanted = self.of(1)
        return 0.0 if self.refuses or not wanted else len(self.caught(1)) / len(wanted)

    @property
    def refuses(self) -> tuple[TestVerdict, ...]:
        """The tests that refuse a right answer."""
        return tuple(test for test in self.tests if test.state is TestState.REFUSES)

    @property
    def is_done(self) -> bool:
        """Whether level 1 is all caught, and every test that is written counts."""
        fine = {TestState.COUNTS, TestState.NOT_WRITTEN}
        return self.mark == 1 and all(test.state in fine for test in self.tests)

    def of(self, level: int) -> tuple[WrongAnswer, ...]:
        """Return the wrong answers of a level and those below it."""
        return tuple(answer for answer in self.wrong if answer.level <= level)

    def caught(self, level: int) -> frozenset[str]:
        """Return the slugs of the answers of a level that any test catches."""
        return self._caught & {answer.slug for answer in self.of(level)}

    def survivors(self, level: int) -> tuple[str, ...]:
        """Return the slugs of the answers that no test catches; lower levels come first."""
        left = [answer for answer in self.of(level) if answer.slug not in self._caught]
        return tuple(answer.slug for answer in sorted(left, key=lambda answer: answer.level))

    @cached_property
    def _caught(self) -> frozenset[str]:
        return frozenset().union(*(test.catches for test in self.tests if test.counts))

    @property
    def adds_nothing(self) -> Mapping[str, tuple[str, ...]]:
        """The tests that could be left out, with others that catch all of the same.

        Nothing is lost if all of them are left out: of two tests that catch the same, it is the
        later one. A test that catches nothing at all is not among them.
        """
        return dict(self._spare())

    def _spare(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        catches = {test.name: test.catches for test in self.tests if test.counts and test.catches}
        for name in reversed(list(catches)):
            others = {other: caught for other, caught in catches.items() if other != name}
            if catches[name] <= frozenset().union(*others.values()):
                yield name, _cover(catches[name], others)
                del catches[name]


def _cover(caught: frozenset[str], catches: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """A few tests that catch all of this; always the one that catches most of the rest."""
    names: list[str] = []
    left = caught
    while left:
        best = max(catches, key=lambda name: len(catches[name] & left))
        names.append(best)
        left -= catches[best]
    return tuple(names)
