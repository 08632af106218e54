"""The search for wrong answers that give the same results as the work under test."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.diagnosis.evidence import kind
from kata.diagnosis.observe import Closeness, Finding, alike_sights, is_error
from kata.diagnosis.suspects import Suspect, Suspects, mark_of, record_of, usually
from kata.judging.case import run_seed
from kata.judging.judge import Claim, suite
from kata.verdict import Diagnosis

MOST_MEETING = 20  # mistakes that are tried beside another one
CLOSE, LOOSE = Closeness(1e-5), Closeness(1e-3)  # rounding; what rounding makes of gradients
PLACE = Closeness(1e-3, words=False)  # crashes by their kind and place alone
ENOUGH_HELD = 0.25  # of the claims; if hardly any holds, the place of a crash says little


class Search:
    """The search for mistakes that explain all of these findings."""

    def __init__(
        self, suspects: Suspects, judged: Mapping[str, Finding], run: frozenset[str] = frozenset()
    ) -> None:
        """Search among the judged claims; `run` names all claims that were run, if not these."""
        self.suspects = suspects
        self.exercise = suspects.exercise
        self.judged = judged
        self._ordered = [claim for claim in suite(self.exercise) if claim.id in judged]
        self.failing = [claim for claim in self._ordered if not judged[claim.id].verdict.held]
        self.holding = [claim for claim in self._ordered if judged[claim.id].verdict.held]
        self._is_whole = not run
        self._run = run or frozenset(claim.name for claim in self._ordered)
        self._failing_ids = [claim.id for claim in self.failing]
        # Failures tell the most, so they are compared first; and fast claims before slow ones.
        self.claims = [*self._fast_first(self.failing), *self._fast_first(self.holding)]

    def _fast_first(self, claims: list[Claim]) -> list[Claim]:
        return sorted(claims, key=lambda claim: self.judged[claim.id].verdict.seconds)

    @property
    def first(self) -> Claim:
        """The claim that fails first: the one that a learner reads."""
        return self.failing[0]

    def finding(self, claim: Claim) -> Finding:
        """Return the finding about the work under test."""
        return self.judged[claim.id]

    def kind(self, claim: Claim) -> Diagnosis | None:
        """Return what a claim that fails means by itself."""
        return kind(self.finding(claim), self.suspects.reference.finding(claim))

    def exact(self) -> list[Suspect]:
        """Return the suspects that are the same in every claim, as closely as any of them."""
        return next(filter(None, map(self._fitting, self._rounds())), [])

    def _rounds(self) -> Iterator[list[Suspect]]:
        """Yield the suspects to compare, round by round.

        In a run with numbers of its own, the first are those that fail the same claims with the
        numbers of learners.
        """
        if run_seed():
            yield list(self._failing_alike())
        yield self._likely()

    def _failing_alike(self) -> Iterator[Suspect]:
        for bug in bugs(self.exercise):
            for number in range(len(bug.forms)):
                record = usually(self.exercise, bug, number)
                if record and record.failing & self.judged.keys() == set(self._failing_ids):
                    yield from self.suspects.in_form(bug, number)

    def _fitting(self, suspects: list[Suspect]) -> list[Suspect]:
        tells = len(self.holding) >= ENOUGH_HELD * len(self.claims)
        looks = (CLOSE, LOOSE, PLACE) if tells else (CLOSE, LOOSE)
        fits = [suspect for suspect in suspects if self.fits(suspect, looks[-1])]
        if len(fits) > 1 and (same := self._looking_alike(fits)):
            return same
        closest = ([fit for fit in fits if self.fits(fit, look)] for look in looks)
        return next(filter(None, closest), [])

    def _likely(self) -> list[Suspect]:
        """Leave out suspects on record with other evidence, if there is one with the same."""
        candidates, mark = list(self.candidates()), mark_of(self.finding(self.first).verdict)
        marks = [suspect.record.mark if suspect.record else "" for suspect in candidates]
        if mark not in marks or not self._is_whole:
            return candidates
        pairs = zip(candidates, marks, strict=True)
        return [suspect for suspect, recorded in pairs if recorded in {mark, ""}]

    def candidates(self) -> Iterator[Suspect]:
        """Yield suspects that fail first where the work does, or in a claim that was not run."""
        for bug in bugs(self.exercise):
            for number in range(len(bug.forms)):
                if self._may_fail_first(bug, number):
                    yield from self.suspects.in_form(bug, number)

    def _may_fail_first(self, bug: Bug, form: int) -> bool:
        if record := record_of(self.exercise, bug, form):
            ordered = (claim for claim in self._ordered if claim.id in record.failing)
            return next(ordered, None) is self.first
        return bug.claim == self.first.name or bug.claim not in self._run

    def meeting(self, claim: Claim) -> Iterator[Suspect]:
        """Yield suspects for this claim beside others: they fail first where the work fails."""
        names = [failing.name for failing in self.failing[: self.failing.index(claim) + 1]]
        possible = [bug for bug in bugs(self.exercise) if bug.claim in names]
        latest = sorted(possible, key=lambda bug: -names.index(bug.claim))  # the likeliest
        for bug in latest[:MOST_MEETING]:
            yield from self.suspects.with_one(bug)

    def about(self, names: set[str]) -> "Search | None":
        """Narrow the search to the claims about these functions alone; None if these are all."""
        judged = {id_: finding for id_, finding in self.judged.items() if finding.called <= names}
        if not names or len(judged) == len(self.judged):
            return None
        return Search(self.suspects, judged, self._run)

    def beside(self, left: Collection[Claim]) -> "Search":
        """Narrow the search to these failing claims; a mistake explains the other failures."""
        ids = {claim.id for claim in (*left, *self.holding)}
        judged = {id_: finding for id_, finding in self.judged.items() if id_ in ids}
        return Search(self.suspects, judged, self._run)

    def fits(self, suspect: Suspect, look: Closeness) -> bool:
        """Return True if a suspect differs nowhere from the work under test."""
        return self._may_fit(suspect) and next(self.differing(suspect, look), None) is None

    def _may_fit(self, suspect: Suspect) -> bool:
        """Tell if the verdicts on a suspect are the same, as far as they are recorded."""
        if any(suspect.surely_fails(claim) for claim in self.holding):
            return False
        return not (suspect.record and any(map(suspect.record.holds, self._failing_ids)))

    def differing(self, suspect: Suspect, look: Closeness) -> Iterator[Claim]:
        """Yield the claims at which a suspect differs from the work under test."""
        for claim in self.claims:
            mine = self.finding(claim)
            holds = mine.verdict.held and suspect.surely_holds(claim, mine.called)
            if not holds and not alike(mine, suspect.finding(claim), look):
                yield claim

    def _looking_alike(self, suspects: list[Suspect]) -> list[Suspect]:
        """Keep suspects of which every claim saw the same, down to the random numbers.

        Claims that hold are run only if failures leave several suspects.
        """
        alike = [suspect for suspect in suspects if self._looks_like(suspect, self.failing)]
        if len(alike) < 2:
            return alike
        return [suspect for suspect in alike if self._looks_like(suspect, self.holding)]

    def _looks_like(self, suspect: Suspect, claims: list[Claim]) -> bool:
        claims = self._fast_first(claims)
        return all(self.finding(claim).looks_like(suspect.finding(claim)) for claim in claims)


def alike(mine: Finding, other: Finding, look: Closeness) -> bool:
    """Return True for the same verdict, with the same evidence if it is a failure.

    The sights of a claim that holds are right in both; that they differ is a matter of style.
    """
    if mine.verdict.state != other.verdict.state:
        return False
    return mine.verdict.held or (
        alike_sights(mine.sights, other.sights, look) and _evidence(mine) == _evidence(other)
    )


def _evidence(finding: Finding) -> str:
    """Return the evidence without its numbers, which the sights hold, and the author's words."""
    text = finding.verdict.message.evidence if finding.verdict.message else ""
    error: Any = finding.sights[-1].outcome if finding.sights else None
    if is_error(error):
        text = text.replace(error[3], "")
    return re.sub(r"-?\b(\d[\d.e+-]*|inf|nan)\b", "#", re.sub(r"'.*'", "", text))
