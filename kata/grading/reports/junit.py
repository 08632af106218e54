"""junit.xml: a suite for each student, a case for each claim, for tools that read test results.

It is for the instructor: it contains flags and what the code printed.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, SubElement, tostring
from xml.sax.saxutils import quoteattr

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.grading.reports import remarks
from kata.grading.reports.tables import number, replacing
from kata.grading.reports.text import BROKEN, UNTRIED, causes, evidence
from kata.text import clean, line
from kata.verdict import ClaimVerdict, Message, State

NAME = "attention-kata"
COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def write(found: ClassVerdict, grades: Path) -> None:
    """One suite at a time, so that a large class takes no more memory than a small one."""
    totals: Counter[str] = Counter()
    seconds = 0.0
    for verdict in found.submissions():
        totals += _counts(verdict)
        seconds += verdict.seconds
    with replacing(grades / "junit.xml") as file:
        _write(file, found, {**_shown(totals), "time": f"{seconds:.3f}"})


def _write(file: IO[str], found: ClassVerdict, totals: dict[str, str]) -> None:
    about = " ".join(f"{name}={quoteattr(each)}" for name, each in totals.items())
    file.write(f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="{NAME}" {about}>\n')
    for verdict in found.submissions():
        file.write(f"{tostring(_suite(verdict), encoding='unicode')}\n")
    file.write("</testsuites>\n")


def _suite(verdict: SubmissionVerdict) -> Element:
    about = {**_shown(_counts(verdict)), "time": f"{verdict.seconds:.3f}"}
    suite = Element("testsuite", {"name": clean(verdict.student), **about})
    properties = SubElement(suite, "properties")
    for name, value in _properties(verdict):
        SubElement(properties, "property", {"name": name, "value": line(value)})
    for slug, claim, named in _claims(verdict):
        _case(suite, slug, claim, named)
    if printed := "\n".join(_printed(verdict)):
        SubElement(suite, "system-out").text = clean(printed)
    return suite


def _claims(verdict: SubmissionVerdict) -> Iterator[tuple[str, ClaimVerdict, list[str]]]:
    """Each claim with its exercise and what was named there; if there is no grade, one says why."""
    if verdict.problem:
        problem = Message(verdict.problem)
        yield NAME, ClaimVerdict("not_gradable", State.NOT_GRADABLE, problem), []
    for exercise in verdict.exercises:
        named = causes(exercise)
        yield from ((exercise.slug, each, named.get(each.name, [])) for each in exercise.claims)


def _case(suite: Element, slug: str, claim: ClaimVerdict, named: list[str]) -> None:
    about = {"classname": slug, "name": claim.name, "time": f"{claim.seconds:.3f}"}
    case = SubElement(suite, "testcase", about)
    if kind := _kind(claim):
        message = claim.message or Message(claim.state.value)
        outcome = {"message": line(message.brief), "type": claim.state.value}
        text = "\n".join(filter(None, [evidence(message), *named]))
        SubElement(case, kind, outcome).text = clean(text) or None


def _kind(claim: ClaimVerdict) -> str:
    """The element for how the claim ended; none if it holds."""
    if claim.held:
        return ""
    if claim.state in UNTRIED:
        return "skipped"
    return "error" if claim.state in BROKEN else "failure"


def _counts(verdict: SubmissionVerdict) -> Counter[str]:
    return Counter(_kind(claim) for _, claim, _ in _claims(verdict))


def _shown(kinds: Counter[str]) -> dict[str, str]:
    counts = {name: str(kinds[kind]) for name, kind in COUNTED.items()}
    return {"tests": str(kinds.total()), **counts}


def _properties(verdict: SubmissionVerdict) -> Iterator[tuple[str, str]]:
    yield "score", number(verdict.score)
    yield "max_score", number(verdict.most)
    yield "status", verdict.status
    yield from (("note", each) for each in verdict.notes)
    yield from (("flag", str(each)) for each in remarks.seen(verdict))


def _printed(verdict: SubmissionVerdict) -> Iterator[str]:
    for exercise in verdict.exercises:
        if exercise.printed:
            yield f"{exercise.slug}:\n{exercise.printed}"
