"""junit.xml: a suite for each student, a case for each claim, for tools that read test results.

It is for the instructor: it contains flags and what the code printed.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from xml.etree.ElementTree import Element, SubElement, tostring
from xml.sax.saxutils import quoteattr

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.files import replacing
from kata.grading.reports import wording
from kata.grading.reports.wording import BROKEN, UNTRIED, evidence, number
from kata.text import clean, line
from kata.verdict import ClaimVerdict, Message, State

NAME = "attention-kata"
COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


@contextmanager
def document(_: ClassVerdict, grades: Path) -> Iterator[Callable[[SubmissionVerdict], None]]:
    """One suite at a time: a large class takes no more memory. Its head counts all of them."""
    counts: Counter[str] = Counter()
    seconds = 0.0
    with TemporaryFile("w+", encoding="utf-8", newline="") as suites:

        def add(verdict: SubmissionVerdict) -> None:
            nonlocal seconds
            suite, kinds = _suite(verdict)
            counts.update(kinds)
            seconds += verdict.seconds
            suites.write(f"{tostring(suite, encoding='unicode')}\n")

        yield add
        suites.seek(0)
        head = {"name": NAME, **_attributes(counts, seconds)}
        about = " ".join(f"{name}={quoteattr(value)}" for name, value in head.items())
        with replacing(grades / "junit.xml") as file:
            file.write(f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites {about}>\n')
            shutil.copyfileobj(suites, file)
            file.write("</testsuites>\n")


def _suite(verdict: SubmissionVerdict) -> tuple[Element, Counter[str]]:
    """The suite, and how many of its cases ended in which way."""
    claims = [*_claims(verdict)]
    kinds = Counter(_kind(claim) for _, claim, _ in claims)
    attributes = _attributes(kinds, verdict.seconds)
    suite = Element("testsuite", {"name": clean(verdict.student), **attributes})
    properties = SubElement(suite, "properties")
    for name, value in _properties(verdict):
        SubElement(properties, "property", {"name": name, "value": line(value)})
    for slug, claim, causes in claims:
        _add_case(suite, slug, claim, causes)
    printed = [exercise for exercise in verdict.exercises if exercise.printed]
    if text := "\n".join(f"{exercise.slug}:\n{exercise.printed}" for exercise in printed):
        SubElement(suite, "system-out").text = clean(text)
    return suite, kinds


def _attributes(counts: Counter[str], seconds: float) -> dict[str, str]:
    numbers = {name: str(counts[kind]) for name, kind in COUNTED.items()}
    return {"tests": str(counts.total()), **numbers, "time": f"{seconds:.3f}"}


def _properties(verdict: SubmissionVerdict) -> Iterator[tuple[str, str]]:
    yield "score", number(verdict.score)
    yield "max_score", number(verdict.most)
    yield "status", verdict.status
    yield from (("note", note) for note in verdict.notes)
    yield from (("flag", str(remark)) for remark in wording.all_remarks(verdict))


def _claims(verdict: SubmissionVerdict) -> Iterator[tuple[str, ClaimVerdict, list[str]]]:
    """Each claim with its exercise and what was named there; if there is no grade, one says why."""
    if verdict.problem:
        problem = Message(verdict.problem)
        yield NAME, ClaimVerdict("not_gradable", State.NOT_GRADABLE, problem), []
    for exercise in verdict.exercises:
        causes = wording.causes(exercise)
        for claim in exercise.claims:
            yield exercise.slug, claim, causes.get(claim.name, [])


def _add_case(suite: Element, slug: str, claim: ClaimVerdict, causes: list[str]) -> None:
    attributes = {"classname": slug, "name": claim.name, "time": f"{claim.seconds:.3f}"}
    case = SubElement(suite, "testcase", attributes)
    if kind := _kind(claim):
        message = claim.message or Message(claim.state.value)
        outcome = {"message": line(message.brief), "type": claim.state.value}
        text = "\n".join(filter(None, [evidence(message), *causes]))
        SubElement(case, kind, outcome).text = clean(text) or None


def _kind(claim: ClaimVerdict) -> str:
    """The element for how the claim ended; none if it holds."""
    if claim.held:
        return ""
    if claim.state in UNTRIED:
        return "skipped"
    return "error" if claim.state in BROKEN else "failure"
