"""Each function of an exercise diagnosed by itself, as a grader does it: nobody runs it again.

What accounts for most of the claims that fail comes first. Each claim counts for one mistake alone,
so that costs can be added up.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from kata.diagnosis.evidence.crashes import crash
from kata.diagnosis.nearest import HALF, SAME, Near
from kata.diagnosis.parts import Named, Part, parts
from kata.diagnosis.search import Search
from kata.diagnosis.suspects import tops, uses
from kata.judging.judge import Claim
from kata.verdict import Diagnosis, Fit, Mistake

OF_THE_FIRST = {Fit.PART, Fit.CRASH, Fit.KIND}  # said of the first claim of a part


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
