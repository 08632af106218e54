"""The diagnosis: the mistakes that explain findings, of an exercise and of all its functions."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TypeGuard

from kata.course.catalogue import Bug, function_of, price
from kata.course.curriculum import Exercise
from kata.diagnosis.evidence import crash, kind
from kata.diagnosis.observe import Finding
from kata.diagnosis.ranking import (
    HALF,
    SAME,
    Near,
    closest,
    contradicts,
    likeliest,
    nearest,
    second,
    unlike,
)
from kata.diagnosis.search import Search
from kata.diagnosis.suspects import Suspect, Suspects, tops, uses
from kata.judging.judge import Claim
from kata.verdict import Diagnosis, Fit, Mistake, State

JUDGED = {State.PASSED, State.FAILED, State.ERROR}
OF_THE_FIRST = {Fit.PART, Fit.CRASH, Fit.KIND}  # they speak of the first claim of a part
CHANGED = "argument-changed"


def diagnose(
    exercise: Exercise,
    findings: Mapping[str, Finding],
    suspects: Suspects | None = None,
    text: str = "",
) -> Diagnosis | None:
    """Return the mistakes to look at first, which explain these findings; None if none do.

    Args:
        exercise: the exercise of the claims.
        findings: by the ids of the claims, in any order; those without a result are ignored.
        suspects: a cache for callers that diagnose many submissions, so that claims run once.
        text: the answer itself, which decides where results leave a choice.
    """
    whole = _search(exercise, findings, suspects)
    with no_collecting():
        explanations = filter(None, _explanations(whole, text) if whole.failing else ())
        first = next(explanations, None)
    return first.diagnosis if first else None


def diagnose_each(
    exercise: Exercise,
    findings: Mapping[str, Finding],
    suspects: Suspects | None = None,
    text: str = "",
) -> tuple[Diagnosis, ...]:
    """Diagnose all functions by themselves, and name with a mistake the claims that fail by it.

    The diagnosis that explains the most failing claims comes first.
    """
    whole = _search(exercise, findings, suspects)
    if not whole.failing:
        return ()
    with no_collecting():
        return tuple(_dearest_diagnoses(whole, text))


def _search(
    exercise: Exercise, findings: Mapping[str, Finding], suspects: Suspects | None
) -> Search:
    judged = {
        claim: finding for claim, finding in findings.items() if finding.verdict.state in JUDGED
    }
    return Search(suspects or Suspects(exercise), judged)


@contextmanager
def no_collecting() -> Iterator[None]:
    """Let garbage wait for half a second: the search for it would take a tenth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _explanations(whole: Search, text: str) -> Iterator["Explanation | None"]:
    """Yield what surely explains most of the first failures; then less, and less surely."""
    parts = list(_parts(whole, text))
    first = [part for part in parts if whole.first in part.search.failing]
    yield from (part.surely() for part in first)
    yield parts[0].crash()
    yield from (part.first_claim() for part in first)
    yield parts[0].kind()
    yield from (part.surely() for part in parts if part not in first)
    yield parts[0].change()


def _dearest_diagnoses(whole: Search, text: str) -> list[Diagnosis]:
    """Explain every function; without such an explanation, take the one for a learner."""
    everything, *functions = _parts(whole, text)
    overall = everything.surely()
    alone = len(functions) < 2 or (overall and overall.exact)
    ledger = Ledger(whole, [] if alone else _of_functions(functions, text))
    if overall and ledger.left:  # one mistake in everything says more than two together
        ledger = Ledger(whole, [overall, *ledger.explanations])
    if not ledger.diagnoses:
        ledger.add(islice(filter(None, _explanations(whole, text)), 1))
    if ledger.diagnoses and ledger.left:
        ledger.add(_beside(ledger.left, everything))
    ledger.add(_by_itself(ledger.left, everything))
    return sorted(ledger.diagnoses, key=lambda diagnosis: -len(diagnosis.explains))


# -- a part of the claims, and its explanation


@dataclass(frozen=True, eq=False)
class Explanation:
    """A diagnosis, the wrong answers behind it, and the part that it is of.

    `exact` if all of them are the same as the work in all claims of that part. `claim` is the one
    that it is read off, if that is not the first.
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


def _parts(whole: Search, text: str) -> Iterator["Part"]:
    """Yield everything; then the claims about single functions that fail, the first one first."""
    yield Part(whole, text, "")
    tried: list[set[str]] = []
    for claim in whole.failing:
        names = set(whole.finding(claim).called)
        if names not in tried and len(names) == 1 and (search := whole.about(names)):
            tried.append(names)
            others = len(whole.failing) - len(search.failing)
            yield Part(search, text, min(names), others)


@dataclass(frozen=True, eq=False)
class Part:
    """The claims about one function, or all of them, and the mistakes that explain them.

    Attributes:
        search: the search among these claims.
        text: the answer.
        about: the function; empty for all claims of the exercise.
        others: how many claims fail that are not among these.
    """

    search: Search
    text: str
    about: str
    others: int = 0

    def surely(self) -> Explanation | None:
        """Return what explains everything, or nearly everything."""
        if exact := self.search.exact():
            return self._exactly(exact)
        candidates = self._nearest
        if len(candidates) == 2 and all(near.explains_most for near in candidates):
            return self._near(Fit.EITHER, candidates, min(near.same for near in candidates))
        return self._most(candidates[0]) if len(candidates) == 1 else None

    def first_claim(self) -> Explanation | None:
        """Return what explains at least the claim that fails first."""
        near = self._nearest[0] if len(self._nearest) == 1 else None
        if near and near.explains(self.search.first) and near.little_against:
            return self._near(Fit.PART, [near], near.same)
        return None

    def crash(self) -> Explanation | None:
        """Return the cause of the error in the first claim that fails, if its text has only one."""
        return self._by_itself(crash(self.search.finding(self.search.first)))

    def kind(self) -> Explanation | None:
        """Return what the first claim that fails means by itself."""
        return self._by_itself(self.search.kind(self.search.first))

    def evidence(self, claim: Claim) -> Explanation | None:
        """Return what a claim means by itself: an error with one cause, or a kind of mistake."""
        diagnosis = crash(self.search.finding(claim)) or self.search.kind(claim)
        return Explanation(diagnosis, self, claim=claim) if diagnosis else None

    def change(self) -> Explanation | None:
        """Return the explanation that an argument was changed, if any claim says so."""
        kinds = map(self.search.kind, self.search.failing)
        return self._by_itself(next(filter(_is_of_a_change, kinds), None))

    def _by_itself(self, diagnosis: Diagnosis | None) -> Explanation | None:
        return Explanation(diagnosis, self) if diagnosis else None

    @cached_property
    def _nearest(self) -> list[Near]:
        return nearest(self.search, self.text)

    def _exactly(self, suspects: list[Suspect]) -> Explanation | None:
        """Explain everything; more than two suspects that are no twins explain nothing."""
        right = self.search.suspects.reference.text
        possible = [suspect for suspect in suspects if not contradicts(suspect, self.text, right)]
        close = closest(self.search, possible or suspects)
        likely = likeliest(close, self.text, right)
        bugs = distinct(likely)
        if len(bugs) == 1:
            sure = possible and not all(unlike(suspect, self.text, right) for suspect in close)
            return self._explanation(Fit.ONE if sure else Fit.LIKE, likely)
        if {bug.slug for bug in bugs} <= {bugs[0].slug, *bugs[0].twins}:
            return self._explanation(Fit.TWINS, likely)
        return self._explanation(Fit.EITHER, likely) if len(bugs) == 2 else None

    def _most(self, near: Near) -> Explanation | None:
        """Explain most by one mistake, or all by that and another one."""
        other = second(near, self.text)
        if other and (near.explains_most or other.explains_all):
            by_both = len(self.search.failing) - near.same - len(other.parts)
            return self._near(Fit.BOTH, [near, other], near.same + other.same + by_both)
        if not near.explains_most:
            return None
        suspects = [near.suspect]
        changes = self._changes_beside(near)
        fit = Fit.BOTH if changes or len(distinct(suspects)) > 1 else Fit.NEAR
        return self._explanation(fit, suspects, near.same + len(changes), changes[:1])

    def _changes_beside(self, near: Near) -> list[Mistake]:
        """Return a mistake for every claim that finds a changed argument which is not by `near`."""
        unexplained = (claim for claim in self.search.failing if near.part(claim).share < 1)
        kinds = (kind(self.search.finding(claim)) for claim in unexplained)
        return [diagnosis.mistakes[0] for diagnosis in kinds if _is_of_a_change(diagnosis)]

    def _near(self, fit: Fit, candidates: Sequence[Near], same: int) -> Explanation:
        return self._explanation(fit, [near.suspect for near in candidates], same)

    def _explanation(
        self, fit: Fit, suspects: Sequence[Suspect], same: int = 0, kinds: Iterable[Mistake] = ()
    ) -> Explanation:
        """Return the explanation; without a count all claims have the same result."""
        mistakes = (*map(self._mistake, distinct(suspects)), *kinds)
        count = same or len(self.search.claims)
        failing = len(self.search.failing)
        diagnosis = Diagnosis(fit, mistakes, count, failing, self.about, self.others)
        return Explanation(diagnosis, self, tuple(suspects), exact=not same)

    def _mistake(self, bug: Bug) -> Mistake:
        exercise = self.search.exercise
        texts = bug.slug, bug.title, bug.symptom, bug.why, bug.hints
        function = function_of(exercise, bug)
        return Mistake(*texts, function=function, price=price(exercise, bug))


def _is_of_a_change(diagnosis: Diagnosis | None) -> TypeGuard[Diagnosis]:
    return diagnosis is not None and diagnosis.mistakes[0].slug == CHANGED


def distinct(suspects: Iterable[Suspect]) -> list[Bug]:
    """Return the mistakes of all these, without repetition, in whichever of their forms."""
    return list({bug.slug: bug for suspect in suspects for bug in suspect.mistakes}.values())


def _of_functions(functions: list[Part], text: str) -> Iterator[Explanation]:
    """Explain functions; one that calls another that fails needs a sure explanation."""
    failing = {part.about for part in functions}
    for part in functions:
        body = tops(text).get(part.about, "") if text else ""
        if uses(body, failing - {part.about}):
            explanation = part.surely()
        else:
            explanation = part.surely() or part.crash() or part.first_claim() or part.kind()
        if explanation:
            yield explanation


def _beside(left: list[Claim], everything: Part) -> Iterator[Explanation]:
    """Explain exactly what is left, such as a missing check beside a wrong scale."""
    others = len(everything.search.failing) - len(left)
    explanation = Part(everything.search.beside(left), everything.text, "", others).surely()
    if explanation and explanation.exact:
        yield explanation


def _by_itself(left: list[Claim], everything: Part) -> Iterator[Explanation]:
    """Explain the first claim that is left by itself, if most of the others mean the same."""
    if left and (explanation := everything.evidence(left[0])):
        same = Coverage(everything.search, explanation).among(left)
        if len(same) > max(1, HALF * len(left)):
            yield explanation


# -- what explanations cover together


class Ledger:
    """Diagnoses, with those of their claims that none before explains.

    Attributes:
        explanations: all that were entered.
        diagnoses: those that explain something.
        left: the claims that none explains.
    """

    def __init__(self, whole: Search, explanations: Iterable[Explanation]) -> None:
        self.explanations: list[Explanation] = []
        self.diagnoses: list[Diagnosis] = []
        self.left = list(whole.failing)
        self._whole = whole
        self.add(explanations)

    def add(self, explanations: Iterable[Explanation]) -> None:
        """Enter those that explain something which is left, the dearest first."""
        new = list(explanations)
        self.explanations += new
        coverages = [Coverage(self._whole, explanation) for explanation in new]
        while coverages:
            dearest = max(coverages, key=lambda coverage: len(coverage.among(self.left)))
            if claims := dearest.among(self.left):
                self.diagnoses.append(dearest.diagnosis_of(claims))
                self.left = [claim for claim in self.left if claim not in claims]
            coverages.remove(dearest)


@dataclass(frozen=True, eq=False)
class Coverage:
    """The claims that fail by the mistakes of an explanation."""

    whole: Search
    explanation: Explanation

    def among(self, left: list[Claim]) -> list[Claim]:
        """Return the covered ones of these claims; none if the claim that it speaks of is gone."""
        if self._is_of_the_first and self.explanation.first not in left:
            return []
        return [claim for claim in left if claim in self._claims]

    @property
    def _is_of_the_first(self) -> bool:
        return self.explanation.diagnosis.fit in OF_THE_FIRST

    @cached_property
    def _claims(self) -> set[Claim]:
        return {claim for claim in self.whole.failing if self._explains(claim)}

    def _explains(self, claim: Claim) -> bool:
        if self._is_of_the_first and claim is self.explanation.first:
            return True
        if self.explanation.exact and claim in self.explanation.part.search.failing:
            return True
        if not self.explanation.suspects:
            return self._says_the_same(claim)
        return any(near.part(claim).share > SAME for near in self._near) or self._together(claim)

    @cached_property
    def _near(self) -> list[Near]:
        return [Near(self.whole, suspect) for suspect in self.explanation.suspects]

    @cached_property
    def _beside(self) -> Near:
        first, *others = self.explanation.suspects
        return Near(self.whole, first, tuple(others))

    def _together(self, claim: Claim) -> bool:
        """Tell if two mistakes explain what the other one leaves open."""
        explanation = self.explanation
        if explanation.diagnosis.fit is not Fit.BOTH or len(explanation.suspects) < 2:
            return False
        part = self._beside.part(claim)
        return not part.all or part.share > SAME

    def _says_the_same(self, claim: Claim) -> bool:
        """Tell if the evidence of a claim means the same."""
        finding = self.whole.finding(claim)
        of_error = self.explanation.diagnosis.fit is Fit.CRASH
        diagnosis = crash(finding) if of_error else self.whole.kind(claim)
        return diagnosis is not None and diagnosis.mistakes[0].slug in self.explanation.slugs

    def diagnosis_of(self, claims: list[Claim]) -> Diagnosis:
        """Return the diagnosis, with the claims that its mistakes explain."""
        diagnosis = self.explanation.diagnosis
        shared = diagnosis.fit is Fit.BOTH
        owners = {claim.id: self._owner(claim) if shared else 0 for claim in claims}
        mistakes = tuple(
            replace(mistake, explains=tuple(name for name, at in owners.items() if at == place))
            for place, mistake in enumerate(diagnosis.mistakes)
        )
        return replace(diagnosis, mistakes=_dearest_first(mistakes) if shared else mistakes)

    def _owner(self, claim: Claim) -> int:
        """Return the place of the mistake that explains more of this claim by itself."""
        shares = [self._share(mistake, claim) for mistake in self.explanation.diagnosis.mistakes]
        return shares.index(max(shares))

    def _share(self, mistake: Mistake, claim: Claim) -> float:
        return max((near.part(claim).share for near in self._alone(mistake)), default=0.0)

    def _alone(self, mistake: Mistake) -> Iterator[Near]:
        """Yield the wrong answers with this mistake and no other."""
        bugs = {bug.slug: bug for bug in distinct(self.explanation.suspects)}
        if bug := bugs.get(mistake.slug):
            yield from (Near(self.whole, suspect) for suspect in self.whole.suspects.with_one(bug))


def _dearest_first(mistakes: tuple[Mistake, ...]) -> tuple[Mistake, ...]:
    return tuple(sorted(mistakes, key=lambda mistake: -len(mistake.explains)))
