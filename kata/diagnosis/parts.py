"""The claims about one function of an exercise, or all of them, and the mistakes behind them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from kata.course.catalogue import Bug
from kata.course.shares import function_of, price
from kata.diagnosis.evidence.crashes import crash
from kata.diagnosis.evidence.kinds import kind
from kata.diagnosis.in_source import contradicts, likeliest, unlike
from kata.diagnosis.nearest import Near, closest, nearest, second
from kata.diagnosis.search import Search
from kata.diagnosis.suspects import Suspect
from kata.judging.judge import Claim
from kata.verdict import Diagnosis, Fit, Mistake

CHANGED = "argument-changed"


@dataclass(frozen=True, eq=False)
class Named:
    """A diagnosis, the wrong answers behind it, and the part that it is of.

    `exact` if each of them gives the same in all claims of that part. `claim` is the one that it is
    read off, if that is not the first.
    """

    diagnosis: Diagnosis
    part: "Part"
    suspects: tuple[Suspect, ...] = ()
    exact: bool = False
    claim: Claim | None = None

    @property
    def first(self) -> Claim:
        """The claim that it speaks of."""
        return self.claim or self.part.search.first

    @property
    def slugs(self) -> set[str]:
        """The names of its mistakes."""
        return {mistake.slug for mistake in self.diagnosis.mistakes}


@dataclass(frozen=True, eq=False)
class Part:
    """The claims about one function, or all of them, and the mistakes that explain them.

    Args:
        search: among these claims.
        text: the answer.
        about: the function; empty for all claims of the exercise.
        others: how many claims fail that are not among these.
    """

    search: Search
    text: str
    about: str
    others: int = 0

    def surely(self) -> Named | None:
        """What gives the same everywhere, or nearly everywhere."""
        if exact := self.search.exact():
            return self._exactly(exact)
        found = self._nearest
        if len(found) == 2 and all(each.explains_most for each in found):
            return self._near(Fit.EITHER, found, min(each.same for each in found))
        return self._most(found[0]) if len(found) == 1 else None

    def first_claim(self) -> Named | None:
        """What explains at least the claim that fails first."""
        near = self._nearest[0] if len(self._nearest) == 1 else None
        if near and near.explains(self.search.first) and near.little_against:
            return self._near(Fit.PART, [near], near.same)
        return None

    def crash(self) -> Named | None:
        """The cause of the error that made the first claim fail, if its text has only one."""
        return self._by_itself(crash(self.search.seen(self.search.first)))

    def kind(self) -> Named | None:
        """What the first claim that fails means by itself."""
        return self._by_itself(self.search.kind(self.search.first))

    def evidence(self, claim: Claim) -> Named | None:
        """What this claim means by itself: an error with one cause, or a kind of mistake."""
        diagnosis = crash(self.search.seen(claim)) or self.search.kind(claim)
        return Named(diagnosis, self, claim=claim) if diagnosis else None

    def change(self) -> Named | None:
        """That an argument was changed, if any claim says so."""
        kinds = map(self.search.kind, self.search.failing)
        return self._by_itself(next(filter(_is_of_a_change, kinds), None))

    def _by_itself(self, diagnosis: Diagnosis | None) -> Named | None:
        return Named(diagnosis, self) if diagnosis else None

    @cached_property
    def _nearest(self) -> list[Near]:
        return nearest(self.search, self.text)

    def _exactly(self, suspects: list[Suspect]) -> Named | None:
        """More than two that are no twins explain nothing."""
        right = self.search.suspects.reference.text
        possible = [suspect for suspect in suspects if not contradicts(suspect, self.text, right)]
        close = closest(self.search, possible or suspects)
        likely = likeliest(close, self.text, right)
        bugs = distinct(likely)
        if len(bugs) == 1:
            sure = possible and not all(unlike(suspect, self.text, right) for suspect in close)
            return self._told(Fit.ONE if sure else Fit.LIKE, likely)
        if {bug.slug for bug in bugs} <= {bugs[0].slug, *bugs[0].twins}:
            return self._told(Fit.TWINS, likely)
        return self._told(Fit.EITHER, likely) if len(bugs) == 2 else None

    def _most(self, near: Near) -> Named | None:
        """One mistake that explains most, or all together with another one."""
        other = second(near, self.text)
        if other and (near.explains_most or other.explains_all):
            by_both = len(self.search.failing) - near.same - len(other.parts)
            return self._near(Fit.BOTH, [near, other], near.same + other.same + by_both)
        if not near.explains_most:
            return None
        suspects = [near.suspect]
        changed = self._changed_argument(near)
        fit = Fit.BOTH if changed or len(distinct(suspects)) > 1 else Fit.NEAR
        return self._told(fit, suspects, near.same + len(changed), changed[:1])

    def _changed_argument(self, near: Near) -> list[Mistake]:
        """For each claim that an argument was changed in which this mistake changes none."""
        unexplained = (claim for claim in self.search.failing if near.part(claim).share < 1)
        found = filter(_is_of_a_change, (kind(self.search.seen(claim)) for claim in unexplained))
        return [diagnosis.mistakes[0] for diagnosis in found if diagnosis]

    def _near(self, fit: Fit, found: Sequence[Near], same: int) -> Named:
        return self._told(fit, [each.suspect for each in found], same)

    def _told(
        self, fit: Fit, suspects: Sequence[Suspect], same: int = 0, kinds: Iterable[Mistake] = ()
    ) -> Named:
        """The diagnosis; without a count all claims have the same result."""
        mistakes = (*map(self._mistake, distinct(suspects)), *kinds)
        count = same or len(self.search.claims)
        failing = len(self.search.failing)
        diagnosis = Diagnosis(fit, mistakes, count, failing, self.about, self.others)
        return Named(diagnosis, self, tuple(suspects), exact=not same)

    def _mistake(self, bug: Bug) -> Mistake:
        exercise = self.search.exercise
        texts = bug.slug, bug.title, bug.symptom, bug.why, bug.hints
        function = function_of(exercise, bug)
        return Mistake(*texts, function=function, price=price(exercise, bug))


def parts(whole: Search, text: str) -> Iterator[Part]:
    """Everything; then the claims about each function that fails, the first one first."""
    yield Part(whole, text, "")
    tried: list[set[str]] = []
    for claim in whole.failing:
        names = set(whole.seen(claim).called)
        if names not in tried and len(names) == 1 and (part := whole.about(names)):
            tried.append(names)
            yield Part(part, text, min(names), len(whole.failing) - len(part.failing))


def _is_of_a_change(diagnosis: Diagnosis | None) -> bool:
    return diagnosis is not None and diagnosis.mistakes[0].slug == CHANGED


def distinct(suspects: Iterable[Suspect]) -> list[Bug]:
    """The mistakes of all of these, each once, in whichever of its forms."""
    return list({bug.slug: bug for suspect in suspects for bug in suspect.mistakes}.values())
