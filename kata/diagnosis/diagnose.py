"""Which known mistakes explain what was seen: of an exercise, and of each of its functions."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

from kata.course.catalogue import Bug, function_of, price
from kata.course.curriculum import Exercise
from kata.diagnosis.evidence import crash, kind
from kata.diagnosis.nearest import (
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
from kata.diagnosis.observe import Finding
from kata.diagnosis.search import Search
from kata.diagnosis.suspects import Suspect, Suspects, tops, uses
from kata.judging.judge import Claim
from kata.verdict import Diagnosis, Fit, Mistake, State

JUDGED = {State.PASSED, State.FAILED, State.ERROR}
OF_THE_FIRST = {Fit.PART, Fit.CRASH, Fit.KIND}  # said of the first claim of a part
CHANGED = "argument-changed"


def diagnose(
    exercise: Exercise,
    findings: Mapping[str, Finding],
    suspects: Suspects | None = None,
    text: str = "",
) -> Diagnosis | None:
    """The known mistakes to look at first, which explain these findings, if any do.

    Args:
        exercise: whose claims they are.
        findings: by the ids of the claims, in any order; those without a result are ignored.
        suspects: a cache for callers that diagnose many submissions: each is replayed once.
        text: the answer itself, which decides where results leave a choice.
    """
    whole = _search(exercise, findings, suspects)
    with no_collecting():
        named = next(filter(None, _named(whole, text)), None) if whole.failing else None
    return named.diagnosis if named else None


def diagnose_each(
    exercise: Exercise,
    findings: Mapping[str, Finding],
    suspects: Suspects | None = None,
    text: str = "",
) -> tuple[Diagnosis, ...]:
    """The same for each function by itself, each mistake with the claims that fail by it.

    What explains most of the claims that fail comes first.
    """
    whole = _search(exercise, findings, suspects)
    if not whole.failing:
        return ()
    with no_collecting():
        return tuple(by_cost(whole, text, _named(whole, text)))


def _search(
    exercise: Exercise, findings: Mapping[str, Finding], suspects: Suspects | None
) -> Search:
    judged = {
        each: finding for each, finding in findings.items() if finding.verdict.state in JUDGED
    }
    return Search(suspects or Suspects(exercise), judged)


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


def _named(whole: Search, text: str) -> Iterator[Named | None]:
    """What explains most of what fails first, surely; then less, and less surely."""
    every = list(parts(whole, text))
    first = [part for part in every if whole.first in part.search.failing]
    yield from (part.surely() for part in first)
    yield every[0].crash()
    yield from (part.first_claim() for part in first)
    yield every[0].kind()
    yield from (part.surely() for part in every if part not in first)
    yield every[0].change()


def by_cost(whole: Search, text: str, otherwise: Iterable[Named | None]) -> list[Diagnosis]:
    """What explains each function; what costs most first.

    Args:
        whole: the search among all claims.
        text: the answer.
        otherwise: what a learner would be told, if no function says anything by itself.
    """
    everything, *functions = parts(whole, text)
    overall = everything.surely()
    alone = len(functions) < 2 or (overall and overall.exact)
    ledger = Ledger(whole, [] if alone else _of_functions(functions, text))
    if overall and ledger.left:  # what is found by itself says more than two mistakes together
        ledger = Ledger(whole, [overall, *ledger.named])
    if not ledger.told:
        ledger.add(next(([named] for named in otherwise if named), []))
    if ledger.told and ledger.left:
        ledger.add(_beside(ledger.left, everything))
    ledger.add(_by_itself(ledger.left, everything))
    return sorted(ledger.told, key=lambda diagnosis: -len(diagnosis.explains))


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


def _beside(left: list[Claim], everything: Part) -> Iterator[Named]:
    """What gives the same in what is left, such as a missing check beside a wrong scale."""
    others = len(everything.search.failing) - len(left)
    named = Part(everything.search.beside(left), everything.text, "", others).surely()
    if named and named.exact:
        yield named


def _by_itself(left: list[Claim], everything: Part) -> Iterator[Named]:
    """What the first claim that is left means, if most of what is left means the same."""
    if left and (named := everything.evidence(left[0])):
        same = Cost(everything.search, named).among(left)
        if len(same) > max(1, HALF * len(left)):
            yield named


def _of_functions(functions: list[Part], text: str) -> Iterator[Named]:
    """One that calls another one that fails may fail for its sake: only what is sure is told."""
    failing = {function.about for function in functions}
    for part in functions:
        leans = uses(_body(text, part.about), failing - {part.about})
        if named := part.surely() if leans else _any(part):
            yield named


def _body(text: str, name: str) -> str:
    return tops(text).get(name, "") if text else ""


def _any(part: Part) -> Named | None:
    return part.surely() or part.crash() or part.first_claim() or part.kind()


class Ledger:
    """Diagnoses, each with those of its claims that none before it explains.

    Attributes:
        named: all that were looked at.
        told: those that explain something.
        left: the claims that none explains.
    """

    def __init__(self, whole: Search, named: Iterable[Named]) -> None:
        self.named: list[Named] = []
        self.told: list[Diagnosis] = []
        self.left = list(whole.failing)
        self._whole = whole
        self.add(named)

    def add(self, named: Iterable[Named]) -> None:
        """Take in those that explain something which is left, the dearest first."""
        new = list(named)
        self.named += new
        costs = [Cost(self._whole, each) for each in new]
        while costs:
            dearest = max(costs, key=lambda cost: len(cost.among(self.left)))
            if claims := dearest.among(self.left):
                self.told.append(dearest.told(claims))
                self.left = [claim for claim in self.left if claim not in claims]
            costs.remove(dearest)


@dataclass(frozen=True, eq=False)
class Cost:
    """The claims that fail by what was named."""

    whole: Search
    named: Named

    def among(self, left: list[Claim]) -> list[Claim]:
        """Those of these that it explains; none if the claim that it speaks of is not there."""
        if self._is_of_the_first and self.named.first not in left:
            return []
        return [claim for claim in left if claim in self._claims]

    @property
    def _is_of_the_first(self) -> bool:
        return self.named.diagnosis.fit in OF_THE_FIRST

    @cached_property
    def _claims(self) -> set[Claim]:
        return {claim for claim in self.whole.failing if self._explains(claim)}

    def _explains(self, claim: Claim) -> bool:
        if self._is_of_the_first and claim is self.named.first:
            return True
        if self.named.exact and claim in self.named.part.search.failing:
            return True
        if not self.named.suspects:
            return self._says_the_same(claim)
        return any(each.part(claim).share > SAME for each in self._near) or self._together(claim)

    @cached_property
    def _near(self) -> list[Near]:
        return [Near(self.whole, suspect) for suspect in self.named.suspects]

    @cached_property
    def _beside(self) -> Near:
        first, *others = self.named.suspects
        return Near(self.whole, first, tuple(others))

    def _together(self, claim: Claim) -> bool:
        """Whether each of two mistakes explains what the other one leaves open."""
        if self.named.diagnosis.fit is not Fit.BOTH or len(self.named.suspects) < 2:
            return False
        part = self._beside.part(claim)
        return not part.all or part.share > SAME

    def _says_the_same(self, claim: Claim) -> bool:
        """Whether the evidence of a claim means the same."""
        finding = self.whole.seen(claim)
        of_error = self.named.diagnosis.fit is Fit.CRASH
        diagnosis = crash(finding) if of_error else self.whole.kind(claim)
        return diagnosis is not None and diagnosis.mistakes[0].slug in self.named.slugs

    def told(self, claims: list[Claim]) -> Diagnosis:
        """With the claims that each mistake explains."""
        diagnosis = self.named.diagnosis
        shared = diagnosis.fit is Fit.BOTH
        owners = {claim.id: self._owner(claim) if shared else 0 for claim in claims}
        mistakes = tuple(
            replace(mistake, explains=tuple(name for name, at in owners.items() if at == place))
            for place, mistake in enumerate(diagnosis.mistakes)
        )
        return replace(diagnosis, mistakes=_dearest_first(mistakes) if shared else mistakes)

    def _owner(self, claim: Claim) -> int:
        """Which of two mistakes explains more of this claim by itself."""
        shares = [self._share(mistake, claim) for mistake in self.named.diagnosis.mistakes]
        return shares.index(max(shares))

    def _share(self, mistake: Mistake, claim: Claim) -> float:
        return max((near.part(claim).share for near in self._of(mistake)), default=0.0)

    def _of(self, mistake: Mistake) -> Iterator[Near]:
        """The wrong answers with this mistake and no other."""
        bugs = {bug.slug: bug for suspect in self.named.suspects for bug in suspect.mistakes}
        if bug := bugs.get(mistake.slug):
            yield from (Near(self.whole, suspect) for suspect in self.whole.suspects.with_one(bug))


def _dearest_first(mistakes: tuple[Mistake, ...]) -> tuple[Mistake, ...]:
    return tuple(sorted(mistakes, key=lambda mistake: -len(mistake.explains)))


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
