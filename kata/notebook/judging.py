"""Judges what the cells define, claim by claim, each within its time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kata.judging.at_sight import at_sight
from kata.judging.limits import PATIENCE, TIME_LIMIT, OutOfTimeError, computing, waiting
from kata.notebook.request import Request
from kata.notebook.work import Work
from kata.verdict import Diagnosis, ExerciseVerdict

if TYPE_CHECKING:  # with them comes numpy
    from kata.course.target import Target
    from kata.diagnosis.observe import Finding
    from kata.judging.judge import Claim
    from kata.notebook.prints import Listening


@dataclass(frozen=True)
class Judged:
    """The verdict on a whole exercise, with what its suite saw, by the ids of the claims."""

    verdict: ExerciseVerdict
    findings: "Mapping[str, Finding]"
    text: str
    digest: str


def judged(work: Work, request: Request, seconds: float = TIME_LIMIT) -> Judged:
    """Judge all claims of the exercise that was asked for."""
    exercise, target = request.exercise, work.target(request.exercise)
    if unjudged := at_sight(exercise, target):
        return Judged(ExerciseVerdict(exercise.slug, (unjudged,)), {}, "", "")
    by_claim, printed = findings(request, target, seconds)
    claims = tuple(finding.verdict for finding in by_claim.values())
    verdict = ExerciseVerdict(exercise.slug, claims, target.stand_ins(exercise.slug))
    first = part(verdict, request).first_wrong
    verdict = replace(verdict, printed=printed.get(first.name, "") if first else "")
    source = target.source(exercise.slug)
    return Judged(verdict, by_claim, source.text, target.digest(exercise.slug))


def findings(
    request: Request, target: "Target", seconds: float = TIME_LIMIT
) -> "tuple[dict[str, Finding], dict[str, str]]":
    """The finding of every claim, and what its last call has printed."""
    from kata.judging.judge import suite
    from kata.notebook.prints import Listening, listening

    by_claim, printed = {}, {}
    attempt = Listening(request.exercise, target)
    with listening(attempt) as prints:
        for claim in suite(request.exercise):
            prints.forget()
            by_claim[claim.id] = _find(claim, attempt, seconds)
            printed[claim.id] = prints.end
            if not by_claim[claim.id].verdict.held:
                _keep(by_claim.values())
    return by_claim, printed


def _keep(findings: "Iterable[Finding]") -> None:
    """Look at what claims saw, before later calls may change it: only a diagnosis asks for it."""
    for finding in findings:
        finding.sights  # noqa: B018  # looked at once, and remembered


def _find(claim: "Claim", attempt: "Listening", seconds: float) -> "Finding":
    """Check one claim; if it takes too long, it fails with the lines that it had reached."""
    from kata.diagnosis.observe import Finding, called
    from kata.diagnosis.trace import sights
    from kata.judging.judge import case_of, check, timed_out

    case = case_of(claim, attempt.exercise)
    case.place = ""  # no command can open a claim about cells
    try:
        with waiting(seconds * PATIENCE), computing(seconds):
            verdict = check(claim, attempt, case)
    except OutOfTimeError as error:
        verdict = timed_out(claim, attempt, case, error, str(error), seconds)
    return Finding(verdict, called(case), lambda: sights(case.events))


def part(verdict: ExerciseVerdict, request: Request) -> ExerciseVerdict:
    """The claims about what was asked for; all of them, if the file as a whole cannot be judged."""
    if verdict.is_whole or not request.name:
        return verdict
    return replace(verdict, claims=tuple(c for c in verdict.claims if request.concerns(c.name)))


def diagnosed(judged: Judged, request: Request) -> Diagnosis | None:
    """The known mistake behind the claims about what was asked for, if there is one."""
    from kata.diagnosis.diagnose import diagnose

    about = {name: finding for name, finding in judged.findings.items() if request.concerns(name)}
    return diagnose(request.exercise, about, text=judged.text) if about else None
