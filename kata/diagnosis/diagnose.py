"""Which known mistakes explain what was seen.

The claims that were made about a learner's work are made again about every wrong answer of the
catalogue that can explain them: one with the learner's verdicts, whose failing claims also saw the
learner's numbers, is named; else the one that comes nearest. Nothing here runs while all claims
hold.
"""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from kata.course.catalogue import Bug
from kata.course.curriculum import Exercise
from kata.diagnosis.evidence.crashes import crash
from kata.diagnosis.evidence.kinds import kind
from kata.diagnosis.in_source import contradicts, likeliest, unlike
from kata.diagnosis.nearest import Near, closest, nearest, second
from kata.diagnosis.observe import Finding
from kata.diagnosis.search import Search
from kata.diagnosis.suspects import Suspect, Suspects
from kata.verdict import Diagnosis, Fit, Mistake, State

CHANGED = "argument-changed"
JUDGED = {State.PASSED, State.FAILED, State.ERROR}


def diagnose(
    exercise: Exercise,
    findings: Mapping[str, Finding],
    suspects: Suspects | None = None,
    text: str = "",
) -> Diagnosis | None:
    """The known mistakes that explain these findings, if any do.

    Args:
        exercise: whose claims they are.
        findings: by the ids of the claims, in any order; those without a result are ignored.
        suspects: a cache for callers that diagnose many submissions: each is replayed once.
        text: the answer itself, which decides where results leave a choice.
    """
    judged = {each: found for each, found in findings.items() if found.verdict.state in JUDGED}
    if all(found.verdict.held for found in judged.values()):
        return None
    whole = Search(suspects or Suspects(exercise), judged)
    with no_collecting():
        return next(filter(None, _named(whole, text)), None)


@contextmanager
def no_collecting() -> Iterator[None]:
    """Garbage can wait for half a second; looking for it would take a tenth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _named(whole: Search, text: str) -> Iterator[Diagnosis | None]:
    """What explains most of what fails first, surely; then less, and less surely."""
    parts = [Part(search, text, about) for about, search in _parts(whole)]
    first = [each for each in parts if whole.first in each.search.failing]
    yield from (each.surely() for each in first)
    yield crash(whole.seen(whole.first))
    yield from (each.first_claim() for each in first)
    yield whole.kind(whole.first)
    yield from (each.surely() for each in parts if each not in first)
    yield next(filter(_is_of_a_change, map(whole.kind, whole.failing)), None)


def _parts(whole: Search) -> Iterator[tuple[str, Search]]:
    """Everything; then the claims about each function that fails, the first one first."""
    yield "", whole
    tried: list[set[str]] = []
    for claim in whole.failing:
        names = set(whole.seen(claim).called)
        if names not in tried and len(names) == 1 and (part := whole.about(names)):
            tried.append(names)
            yield min(names), part


@dataclass(frozen=True, eq=False)
class Part:
    """The claims about one function, or all of them, and the mistakes that explain them."""

    search: Search
    text: str
    about: str

    def surely(self) -> Diagnosis | None:
        """What gives the same everywhere, or nearly everywhere."""
        if exact := self.search.exact():
            return self._exactly(exact)
        found = self._nearest
        if len(found) == 2 and all(each.explains_most for each in found):
            return self._near(Fit.EITHER, found, min(each.same for each in found))
        return self._most(found[0]) if len(found) == 1 else None

    def first_claim(self) -> Diagnosis | None:
        """What explains at least the claim that fails first."""
        near = self._nearest[0] if len(self._nearest) == 1 else None
        if near and near.explains(self.search.first) and near.little_against:
            return self._near(Fit.PART, [near], near.same)
        return None

    @cached_property
    def _nearest(self) -> list[Near]:
        return nearest(self.search, self.text)

    def _exactly(self, found: list[Suspect]) -> Diagnosis | None:
        """More than two that are no twins explain nothing."""
        right = self.search.suspects.reference.text
        possible = [each for each in found if not contradicts(each, self.text, right)]
        close = closest(self.search, possible or found)
        bugs = distinct(likeliest(close, self.text, right))
        if len(bugs) == 1:
            sure = possible and not all(unlike(each, self.text, right) for each in close)
            return self._told(Fit.ONE if sure else Fit.LIKE, bugs)
        if {bug.slug for bug in bugs} <= {bugs[0].slug, *bugs[0].twins}:
            return self._told(Fit.TWINS, bugs)
        return self._told(Fit.EITHER, bugs) if len(bugs) == 2 else None

    def _most(self, near: Near) -> Diagnosis | None:
        """One mistake that explains most, or all together with another one."""
        other = second(near, self.text)
        if other and (near.explains_most or other.explains_all):
            by_both = len(self.search.failing) - near.same - len(other.parts)
            return self._near(Fit.BOTH, [near, other], near.same + other.same + by_both)
        if not near.explains_most:
            return None
        found = distinct([near.suspect])
        changed = self._changed_argument(near)
        fit = Fit.BOTH if changed or len(found) > 1 else Fit.NEAR
        return self._told(fit, found, near.same + len(changed), changed[:1])

    def _changed_argument(self, near: Near) -> list[Mistake]:
        """For each claim that an argument was changed in which this mistake changes none."""
        unexplained = (each for each in self.search.failing if near.part(each).share < 1)
        found = filter(_is_of_a_change, (kind(self.search.seen(each)) for each in unexplained))
        return [each.mistakes[0] for each in found if each]

    def _near(self, fit: Fit, found: Sequence[Near], same: int) -> Diagnosis:
        return self._told(fit, distinct([each.suspect for each in found]), same)

    def _told(
        self, fit: Fit, bugs: Iterable[Bug], same: int = 0, kinds: Iterable[Mistake] = ()
    ) -> Diagnosis:
        mistakes = (*map(_mistake, bugs), *kinds)
        count = same or len(self.search.claims)
        return Diagnosis(fit, mistakes, count, len(self.search.failing), self.about)


def _is_of_a_change(found: Diagnosis | None) -> bool:
    return found is not None and found.mistakes[0].slug == CHANGED


def distinct(found: Iterable[Suspect]) -> list[Bug]:
    """The mistakes of all of these, each once, in whichever of its forms."""
    return list({bug.slug: bug for each in found for bug in each.mistakes}.values())


def _mistake(bug: Bug) -> Mistake:
    return Mistake(bug.slug, bug.title, bug.symptom, bug.why, bug.hints)
