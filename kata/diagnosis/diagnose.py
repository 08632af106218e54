"""Which known mistakes give exactly what was seen.

The claims that were made about a learner's work are made again about every wrong answer of the
catalogue that can explain them: one with the learner's verdicts, whose failing claims also saw the
learner's numbers, is named. Nothing here runs while all claims hold.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, takewhile
from typing import Any

from kata.course.catalogue import Bug, CatalogueError, bugs, changed, target_of
from kata.course.curriculum import Exercise
from kata.diagnosis.crashes import crash
from kata.diagnosis.observe import Finding, find, observe
from kata.diagnosis.trace import Closeness, alike_sights, is_error
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim, suite
from kata.verdict import Diagnosis, Fit, Mistake, State

MOST_PAIRS = 40  # sums of two that are tried, the likeliest first
MOST_CHECKS = 60  # claims that are checked for a search before it gives up on sums
CLOSE, LOOSE = Closeness(1e-5), Closeness(1e-3)  # rounding; what rounding makes of gradients
PLACE = Closeness(1e-3, words=False)  # crashes by their kind and place alone
MOST_LUCKY = 2  # claims that a mistake fails in the catalogue, and a learner's form of it holds
ENOUGH_HELD = 0.25  # of the claims; if hardly any holds, the place of a crash says little
JUDGED = {State.PASSED, State.FAILED, State.ERROR}


def diagnose(
    exercise: Exercise,
    findings: Mapping[str, Finding],
    suspects: "dict[str, Suspect] | None" = None,
) -> Diagnosis | None:
    """The known mistakes that explain all of these findings, if any do.

    Args:
        exercise: whose claims they are.
        findings: by the ids of the claims, in any order; those without a result are ignored.
        suspects: a cache for callers that diagnose many submissions: each is replayed once.
    """
    judged = {each: found for each, found in findings.items() if found.verdict.state in JUDGED}
    if all(found.verdict.held for found in judged.values()):
        return None
    search = Search(exercise, judged, {} if suspects is None else suspects)
    return (
        search.single()
        or search.pair()
        or search.one_function()
        or search.part()
        or search.more()
        or crash(search.first)
    )


class Suspect:
    """A wrong answer of the catalogue; its claims are checked when they are asked for.

    `findings` are those that are known already.
    """

    def __init__(
        self,
        exercise: Exercise,
        text: str,
        *mistakes: Bug,
        findings: Mapping[str, Finding] | None = None,
    ) -> None:
        self.mistakes = mistakes
        self._holds = _before(exercise, mistakes)
        self._attempt = Attempt(exercise, target_of(exercise, text))
        self._findings = dict(findings or {})

        if findings is None and any(bug.remembers for bug in mistakes):
            self._findings = observe(exercise, self._attempt.target).findings

    def finding(self, claim: Claim) -> Finding:
        """What the suite sees of it."""
        if claim.id not in self._findings:
            self._findings[claim.id] = find(claim, self._attempt)
        return self._findings[claim.id]

    def others(self, search: "Search", look: Closeness) -> Iterator[Claim]:
        """The claims at which it differs from the work under test."""
        for claim in search.claims:
            seen = search.seen(claim)
            holds = seen.verdict.held and claim.name in self._holds
            if not holds and not alike(seen, search.asked(self, claim), look):
                yield claim

    def fits(self, search: "Search", look: Closeness) -> bool:
        """Whether it differs nowhere from the work under test."""
        return next(self.others(search, look), None) is None

    def exactly(self, search: "Search") -> bool:
        """Whether every claim saw the same, down to the random numbers."""
        pairs = ((search.seen(claim), search.asked(self, claim)) for claim in search.claims)
        return all(mine.looks_like(other) for mine, other in pairs)


class Search:
    """The work under test, as its claims saw it, and the search for the mistake in it."""

    def __init__(
        self, exercise: Exercise, judged: Mapping[str, Finding], suspects: dict[str, Suspect]
    ) -> None:
        self.exercise = exercise
        self._judged = judged
        self._suspects = suspects
        # What an earlier search has replayed is counted all the same: the result for one submission
        # must not depend on the others.
        self._asked: set[tuple[tuple[str, ...], str]] = set()
        ordered = [claim for claim in suite(exercise) if claim.id in judged]
        failing = [claim for claim in ordered if not judged[claim.id].verdict.held]
        self.failing = {claim.name for claim in failing}
        self.first = judged[failing[0].id]
        # Failures tell the most, so they are compared first.
        self.claims = [*failing, *(claim for claim in ordered if claim not in failing)]

    def seen(self, claim: Claim) -> Finding:
        """What was found of the work under test."""
        return self._judged[claim.id]

    def asked(self, suspect: Suspect, claim: Claim) -> Finding:
        """What a claim found of a suspect; every question is counted."""
        self._asked.add((tuple(bug.slug for bug in suspect.mistakes), claim.id))
        return suspect.finding(claim)

    def single(self) -> Diagnosis | None:
        """One mistake that explains everything; or two that nothing tells apart that was run."""
        looks = (CLOSE, LOOSE, PLACE) if self._place_says_much() else (CLOSE, LOOSE)
        fits = [each for each in self._candidates() if each.fits(self, looks[-1])]
        if len(fits) > 1 and (exact := [each for each in fits if each.exactly(self)]):
            return self._named(exact)
        closest = ([each for each in fits if each.fits(self, look)] for look in looks)
        return self._named(next(filter(None, closest), []))

    def pair(self) -> Diagnosis | None:
        """The one sum of two mistakes that explains everything."""
        fits = [each for each in self._pairs() if each.fits(self, LOOSE)]
        return self._told(Fit.BOTH, fits[0].mistakes) if len(fits) == 1 else None

    def one_function(self) -> Diagnosis | None:
        """The same for the claims about what fails first: other functions may have other faults."""
        about = _functions(self.first)
        judged = {each: seen for each, seen in self._judged.items() if _functions(seen) <= about}
        if not about or len(judged) == len(self._judged):
            return None
        return Search(self.exercise, judged, self._suspects).single()

    def part(self) -> Diagnosis | None:
        """The one mistake whose failures are all here, beside others that it does not explain."""
        fits = [each for each in self._behind_the_first() if self._is_part(each)]
        return self._told(Fit.PART, fits[0].mistakes) if len(fits) == 1 else None

    def more(self) -> Diagnosis | None:
        """The one mistake that explains all that fails, and would fail a little more in general."""
        fits = [each for each in self._behind_the_first() if self._is_more(each)]
        return self._told(Fit.ONE, fits[0].mistakes) if len(fits) == 1 else None

    def _is_more(self, suspect: Suspect) -> bool:
        """All but a claim or two are explained, and those hold."""
        others = list(islice(suspect.others(self, LOOSE), MOST_LUCKY + 1))
        return len(others) <= MOST_LUCKY and all(self.seen(each).verdict.held for each in others)

    def _place_says_much(self) -> bool:
        held = sum(found.verdict.held for found in self._judged.values())
        return held >= ENOUGH_HELD * len(self._judged)

    def _is_part(self, suspect: Suspect) -> bool:
        return all(self.asked(suspect, claim).verdict.held for claim in suspect.others(self, LOOSE))

    def _candidates(self) -> Iterator[Suspect]:
        """Those that fail first where the work under test does, or in a claim that was not run."""
        run = {claim.name for claim in self.claims}
        for bug in bugs(self.exercise):
            if bug.claim == self.first.verdict.plain_name or bug.claim not in run:
                yield from self._suspect(bug)

    def _behind_the_first(self) -> Iterator[Suspect]:
        """The candidates that explain at least what fails first."""
        first = self.claims[0]
        for each in self._candidates():
            if alike(self.seen(first), self.asked(each, first), LOOSE):
                yield each

    def _suspect(self, *mistakes: Bug) -> Iterator[Suspect]:
        """The solution with these mistakes in it, unless they do not go together."""
        key = " ".join(bug.slug for bug in mistakes)
        if key in self._suspects:
            yield self._suspects[key]
            return
        try:
            made = Suspect(self.exercise, changed(self.exercise, *mistakes), *mistakes)
        except CatalogueError:
            return
        if len(mistakes) == 1:  # sums are too many to be kept for the next search
            self._suspects[key] = made
        yield made

    def _pairs(self) -> Iterator[Suspect]:
        """Sums of which one part explains what failed first; else, of two that meet there."""
        found = list(self._behind_the_first())
        pairs = self._completed(found) if found else self._met(self._candidates())
        tried = (each for pair in pairs for each in self._suspect(*pair))
        return takewhile(self._goes_on, islice(tried, MOST_PAIRS))

    def _goes_on(self, _: Suspect) -> bool:
        return len(self._asked) < MOST_CHECKS

    def _completed(self, parts: Iterable[Suspect]) -> Iterator[tuple[Bug, Bug]]:
        for part in parts:
            claim = next(part.others(self, LOOSE), None)
            for bug in bugs(self.exercise):
                if claim and bug.claim == claim.name and bug not in part.mistakes:
                    yield part.mistakes[0], bug

    def _met(self, parts: Iterable[Suspect]) -> Iterator[tuple[Bug, Bug]]:
        others = [bug for bug in bugs(self.exercise) if bug.claim in self.failing]
        for part in parts:
            for bug in others:
                if bug not in part.mistakes:
                    yield part.mistakes[0], bug

    def _named(self, fits: list[Suspect]) -> Diagnosis | None:
        """More than two that are no twins explain nothing."""
        found = [mistake for each in fits for mistake in each.mistakes]
        if not found:
            return None
        if len(found) == 1:
            return self._told(Fit.ONE, found)
        if {bug.slug for bug in found} <= {found[0].slug, *found[0].twins}:
            return self._told(Fit.TWINS, found)
        return self._told(Fit.EITHER, found) if len(found) == 2 else None

    def _told(self, fit: Fit, found: Iterable[Bug]) -> Diagnosis:
        return Diagnosis(fit, tuple(map(_mistake, found)), len(self.claims))


def _before(exercise: Exercise, mistakes: tuple[Bug, ...]) -> set[str]:
    """The claims that are known to hold: those before the first one that a mistake fails."""
    first = {bug.claim for bug in mistakes}
    names = (claim.name for claim in suite(exercise))
    return set(takewhile(lambda name: name not in first, names))


def alike(mine: Finding, other: Finding, look: Closeness) -> bool:
    """The same verdict, and the same evidence for it if it is a failure.

    What a claim that holds has seen is right in both; that it differs is a matter of style.
    """
    if mine.verdict.state != other.verdict.state:
        return False
    return mine.verdict.held or (
        alike_sights(mine.sights, other.sights, look) and _evidence(mine) == _evidence(other)
    )


def _evidence(finding: Finding) -> str:
    """The evidence without its numbers, which the sights hold, and without the author's words."""
    text = finding.verdict.message.evidence if finding.verdict.message else ""
    error: Any = finding.sights[-1].outcome if finding.sights else None
    if is_error(error):
        text = text.replace(error[3], "")
    return re.sub(r"-?\b(\d[\d.e+-]*|inf|nan)\b", "#", re.sub(r"'.*'", "", text))


def _functions(finding: Finding) -> set[str]:
    """What a claim has called."""
    names = (re.match(r"\w+", sight.label) for sight in finding.sights)
    return {name[0] for name in names if name and name[0] != "gradient"}


def _mistake(bug: Bug) -> Mistake:
    return Mistake(bug.slug, bug.title, bug.symptom, bug.why, bug.hints)
