"""Reports that other tools read: JUnit, Gradescope, GitHub Classroom, Autolab, Exercism.

Written by `formats`; `platforms` writes a result of Gradescope's in the same form if the grader
fails. Students may see all of it but junit.xml and Gradescope's hidden row: nothing else may hold
flags.
"""

import ast
import json
import shutil
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring
from xml.sax.saxutils import quoteattr

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.files import replacing
from kata.grading.reports import wording
from kata.grading.reports.wording import (
    BROKEN,
    CUT,
    HANDED_IN,
    UNTRIED,
    claim_texts,
    evidence,
    exercise_title,
    number,
)
from kata.marks import Mark, Proved
from kata.text import clean, cut, line
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

# JUnit: suites are students, cases are claims. junit.xml is for the instructor: it has flags and
# what the code printed.

NAME = "attention-kata"
COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


@contextmanager
def junit(_: ClassVerdict, grades: Path) -> Iterator[Callable[[SubmissionVerdict], None]]:
    """Write junit.xml, one suite at a time: a large class takes no more memory."""
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
    """Return the suite, and the counts of its cases by the way in which they ended."""
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
    """Yield claims with their exercises and diagnoses; without a grade, a claim that says why."""
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
    """Return the element for the way in which a claim ended; empty if it holds."""
    if claim.held:
        return ""
    if claim.state in UNTRIED:
        return "skipped"
    return "error" if claim.state in BROKEN else "failure"


# All other reports are files of one student.

Data = dict[str, Any]


def _cleaned(data: Any) -> Any:
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, dict):
        return {name: _cleaned(value) for name, value in data.items()}
    return [_cleaned(item) for item in data] if isinstance(data, list) else data


def _document(data: Data) -> dict[str, str]:
    return {"json": f"{json.dumps(_cleaned(data), ensure_ascii=False, indent=1)}\n"}


def _status(state: State, *, right: bool) -> str:
    if right:
        return "pass"
    return "error" if state in BROKEN else "fail"


# Gradescope: a row for every exercise. Remarks for the instructor are in a row that is hidden from
# the student.

FORM = 1  # of `extra_data`
CORE = "core"
SHOWN, HIDDEN = {"visibility": "visible"}, {"visibility": "hidden"}


def _gradescope(verdict: SubmissionVerdict, verdicts: ClassVerdict) -> dict[str, str]:
    rows = [*map(_row, verdict.exercises, verdict.marks)]
    rows += [_proof_row(proof, verdict.proof_points) for proof in verdict.begun_proofs]
    if remarks := wording.all_remarks(verdict):
        rows.append({"name": "for instructors", "output": "\n".join(map(str, remarks)), **HIDDEN})
    return _document({
        "score": verdict.score,
        "execution_time": round(verdict.seconds, 3),
        "output": "\n".join(wording.reading_notes(verdict)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        **SHOWN,
        "stdout_visibility": "hidden",
        "extra_data": {"form": FORM, "max_score": verdicts.most},
        "tests": rows,
    })  # fmt: skip


def _row(exercise: ExerciseVerdict, mark: Mark) -> Data:
    return {
        "score": mark.score,
        "max_score": mark.most,
        "status": "passed" if exercise.done else "failed",
        "name": exercise_title(exercise),
        "number": str(wording.exercise_number(exercise)),
        "output": wording.exercise_text(exercise),
        "tags": [CORE] if exercises()[exercise.slug].core else [],
        **SHOWN,
    }


def _proof_row(proof: Proved, points: float) -> Data:
    mark = {"score": round(points * proof.share, 4), "max_score": points} if points else {}
    output = "\n".join(wording.proof_lines(proof))
    return {**mark, "name": wording.proof_title(proof), "output": output, **SHOWN}


# GitHub Classroom's reporter reads a test for every exercise. Beside the JSON is the same in
# base64, as one step of a workflow passes it to the next.

CLASSROOM_VERSION = 1
LONGEST = 1000  # characters; the base64 has to fit into one variable, 128 KiB on Linux


def _classroom(verdict: SubmissionVerdict, verdicts: ClassVerdict) -> dict[str, str]:
    tests = [*map(_test_of_exercise, verdict.exercises, verdict.marks)]
    if verdict.problem:  # a test of its own, because the reporter shows nothing but tests
        message = cut(clean(verdict.problem), LONGEST, CUT)
        problem = {"name": HANDED_IN, "status": "error", "score": 0, "message": message}
        tests.insert(0, problem)
    statuses = {test["status"] for test in tests}
    status = "error" if verdict.problem else "pass" if statuses == {"pass"} else "fail"
    results = {"version": CLASSROOM_VERSION, "status": status, "max_score": verdicts.most,
               "tests": tests}  # fmt: skip
    text = json.dumps(_cleaned(results), ensure_ascii=False)
    return {"json": f"{text}\n", "base64": f"{b64encode(text.encode()).decode()}\n"}


def _test_of_exercise(exercise: ExerciseVerdict, mark: Mark) -> Data:
    return {
        "name": exercise_title(exercise),
        "status": _status(exercise.state, right=exercise.done),
        "score": mark.score,
        "max_score": mark.most,
        "message": cut(clean(wording.exercise_text(exercise)), LONGEST, CUT),
        "filename": f"exercises/{exercises()[exercise.slug].filename}",
        "line_no": exercise.line,
        "duration": round(sum(claim.seconds for claim in exercise.claims), 3),
    }


# The last lines that an autograder of Autolab prints. The second to last is feedback by exercise
# and claim; the last has the scores and the scoreboard.


def _autolab(verdict: SubmissionVerdict, verdicts: ClassVerdict) -> dict[str, str]:
    lines = _cleaned([_stages(verdict), _scores(verdict, verdicts.points)])
    return {"txt": "".join(f"{json.dumps(line)}\n" for line in lines)}


def _scores(verdict: SubmissionVerdict, points: Mapping[str, float]) -> Data:
    marks = zip(verdict.exercises, verdict.marks, strict=True)
    scores = dict.fromkeys(points, 0.0)
    scores |= {exercise.slug: mark.score for exercise, mark in marks}
    if worth := verdict.proof_points:
        scores |= {f"proof of {proof.slug}": round(worth * proof.share, 4)
                   for proof in verdict.begun_proofs}  # fmt: skip
    return {"scores": scores, "scoreboard": [verdict.score]}


def _stages(verdict: SubmissionVerdict) -> Data:
    stages = {exercise_title(exercise): _cases(exercise) for exercise in verdict.exercises}
    if verdict.problem:
        stages[HANDED_IN] = {HANDED_IN: {"passed": False, "hint": verdict.problem}}
    return {"_presentation": "semantic", "stages": list(stages), **stages}


def _cases(exercise: ExerciseVerdict) -> Data:
    hints = claim_texts(exercise)
    cases: Data = {}
    for claim in exercise.judged:
        name = exercise_title(exercise) if exercise.is_whole else claim.in_words
        hint = {} if claim.held else {"hint": hints[claim.name]}
        cases[name] = {"passed": claim.held, **hint}
    return cases


# Exercism's results.json: a test for every claim, in source order. Its specification of test
# runners sets both limits.

EXERCISM_VERSION = 3
LONGEST_OUTPUT = 500
LONGEST_MESSAGE = 65_535


def _exercism(verdict: SubmissionVerdict, _: ClassVerdict) -> dict[str, str]:
    if problem := _problem(verdict):
        message = cut(clean(problem), LONGEST_MESSAGE, CUT)
        head: Data = {"status": "error", "message": message, "tests": []}
    else:
        tests = [test for exercise in verdict.exercises for test in _tests(exercise)]
        status = "pass" if {test["status"] for test in tests} == {"pass"} else "fail"
        head = {"status": status, "message": None, "tests": tests}
    return _document({"version": EXERCISM_VERSION, **head})


def _problem(verdict: SubmissionVerdict) -> str:
    """Return why no claim at all could be checked; empty if some could."""
    for exercise in verdict.exercises:
        if exercise.state is not State.ERROR or not exercise.is_whole:
            return verdict.problem
    texts = (text for exercise in verdict.exercises for text in claim_texts(exercise).values())
    return verdict.problem or "\n".join(texts)


def _tests(exercise: ExerciseVerdict) -> Iterator[Data]:
    """Yield a test for every claim, the output with the first that fails: its source is unknown."""
    title, messages = exercise_title(exercise), claim_texts(exercise)
    first = exercise.first_failure or next(iter(exercise.judged), None)
    for claim in exercise.judged:
        output = wording.author_output(exercise) if claim is first else ""
        message = messages.get(claim.name)
        yield {
            "name": title if exercise.is_whole else f"{title} > {claim.in_words}",
            "status": _status(claim.state, right=claim.held),
            "message": message and cut(clean(message), LONGEST_MESSAGE, CUT),
            "output": cut(clean(output), LONGEST_OUTPUT, CUT) or None,
            "test_code": _source(exercise.slug).get(claim.plain_name, ""),
            "task_id": wording.exercise_number(exercise),
        }


@cache
def _source(slug: str) -> dict[str, str]:
    """Return the source of all claims of an exercise."""
    text = exercises()[slug].suite.read_text(encoding="utf-8")
    lines = text.splitlines()
    claims = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return {claim.name: "\n".join(lines[claim.lineno - 1 : claim.end_lineno]) for claim in claims}


FORMATS: dict[str, Callable[[SubmissionVerdict, ClassVerdict], Mapping[str, str]]] = {
    "gradescope": _gradescope,
    "classroom": _classroom,
    "autolab": _autolab,
    "exercism": _exercism,
}
