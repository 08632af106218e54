"""Reports for programs: valid for those who read them, and nobody reads of anybody else."""

import ast
import base64
import csv
import html
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator
from junitparser import JUnitXml

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import ROOT, exercises
from kata.grading.reports import formats, wording
from kata.grading.reports.counting import Counts
from kata.grading.reports.formats import stem
from kata.grading.tables import harmless
from kata.marks import Mark
from kata.text import clean, cut, line
from kata.verdict import ClaimVerdict, ExerciseVerdict, Fit, Message, State
from tests.helpers.documented import documented, fields_of, schema_at
from tests.helpers.odd_class import (
    FOUND,
    forged,
    half_written,
    mark_of,
    names,
    not_handed_in,
    not_python,
    not_started,
    odd_class,
    passed,
    slow,
    tampered,
)
from tests.helpers.sampling import everything

SLUGS = ("ex01_softmax", "ex08_heads_in_a_list")
FORMATS = ("junit", "gradescope", "exercism", "classroom", "autolab", "feedback")
IN_JSON = ("gradescope", "exercism", "classroom")
ENDS = [*((name, "json") for name in IN_JSON),
        ("autolab", "txt"), ("feedback", "html"), ("feedback", "md")]  # fmt: skip
SCHEMAS = ROOT / "kata" / "grading" / "reports" / "schemas"
DOCUMENTED = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
COUNT = 200 if everything() else 60  # students: every name, and every verdict several times
CLASS = odd_class(COUNT, SLUGS)
ODD = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e]")


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with all of them, which no power cut has to leave whole."""
    folder = tmp_path_factory.mktemp("grades")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        formats.write(CLASS, _results(folder, CLASS), folder, FORMATS)
        yield folder


def _results(folder: Path, verdicts: ClassVerdict) -> Counts:
    about = {"seed": verdicts.seed, "exercises": list(verdicts.points)}
    return formats.write_tables(folder, verdicts, about)


def errors(name: str, document: Any) -> list[str]:
    """What does not fit the schema."""
    return [error.message for error in validator(name).iter_errors(document)]


def validator(name: str) -> Draft202012Validator:
    return schema_at(SCHEMAS / f"{name}.json")


@cache
def of_students(grades: Path, name: str, end: str = "json") -> dict[str, Any]:
    """What was written for each student."""
    paths = {student: grades / name / f"{stem(student)}.{end}" for student in names(COUNT)}
    texts = {student: path.read_text(encoding="utf-8") for student, path in paths.items()}
    if end != "json":
        return texts
    return {student: json.loads(text) for student, text in texts.items()}


def verdicts_in(
    grades: Path, name: str, end: str = "json"
) -> Iterator[tuple[SubmissionVerdict, Any]]:
    """Each verdict with what was written for that student."""
    documents = of_students(grades, name, end)
    return ((verdict, documents[verdict.student]) for verdict in CLASS.submissions())


def strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from (name, *strings(value))
    elif isinstance(data, list):
        for value in data:
            yield from strings(value)


def hidden_rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in document["tests"] if row["visibility"] == "hidden"]


# The class itself


def test_every_state_and_everything_that_can_be_said_occurs_in_the_odd_class():
    work = [exercise for verdict in CLASS.submissions() for exercise in verdict.exercises]
    claims = [claim for exercise in work for claim in exercise.claims]
    messages = [claim.message for claim in claims if claim.message]
    states = {claim.state for claim in claims}
    statuses = {verdict.status for verdict in CLASS.submissions()}
    fits = {exercise.diagnosis and exercise.diagnosis.fit for exercise in work}
    marks = [mark_of(name) for name in names(COUNT)]

    assert states == {*State} - {State.NOT_GRADABLE}
    assert {exercise.state for exercise in work} == states - {State.BLOCKED, State.SKIPPED}
    assert statuses == {"graded", "tampered", "not gradable"}
    for name in ("printed", "flags", "tampering", "stand_ins"):
        assert any(getattr(exercise, name) for exercise in work), name
    assert fits == {None, Fit.ONE, Fit.BOTH}
    assert any(message.picture for message in messages)
    assert any(message.frames for message in messages)
    assert not [(a, b) for a in marks for b in marks if a != b and a in b]


# All formats


def test_two_writes_give_the_same_bytes(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "fsync", lambda _: None)

    def contents(folder: Path) -> dict[Path, bytes]:
        folder.mkdir()
        formats.write_only(odd_class(12, SLUGS), folder, FORMATS)
        paths = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder): path.read_bytes() for path in paths}

    before = contents(tmp_path / "before")
    assert {path.parts[0].split(".")[0] for path in before} == {*FORMATS}
    assert before == contents(tmp_path / "after")


def shown_to_students(grades: Path, name: str, end: str) -> dict[str, str]:
    """What each of them sees of it."""
    documents = of_students(grades, name, end)
    if name == "gradescope":
        documents = {
            student: {**document, "tests": [
                row for row in document["tests"] if row["visibility"] != "hidden"
            ]}
            for student, document in documents.items()
        }  # fmt: skip
    return {student: json.dumps(document).replace("\\", "")
            for student, document in documents.items()}  # fmt: skip


@pytest.mark.parametrize(("name", "end"), ENDS)
def test_everybody_has_one_file_without_flag_attempt_or_anything_of_anybody_else(name, end, grades):
    files = {path.name for path in (grades / name).glob(f"*.{end}")}
    assert files == {f"{stem(student)}.{end}" for student in names(COUNT)}

    documents, marks = of_students(grades, name, end), set[str]()
    for student, text in shown_to_students(grades, name, end).items():
        for secret in ("the same steps as", "HYPERLINK", "os.system"):
            assert secret not in text, student
        assert {*re.findall(r"Student \d{4}", text)} <= {student}
        whole = json.dumps(documents[student]).replace("\\", "")
        own = {*re.findall(r"mark-of-[0-9a-f]*-\d+\.", whole)}
        assert own <= {mark_of(student)}
        marks |= own
    assert len(marks) > 1


@pytest.mark.parametrize("kind", [tampered, forged])
@pytest.mark.parametrize(("name", "end"), ENDS)
def test_what_tampering_has_found_is_not_shown_to_students(name, end, kind, grades):
    students = [verdict.student for verdict in CLASS.submissions()
                if [*map(kind, SLUGS, [verdict.student] * 2)] == [*verdict.exercises]]  # fmt: skip
    texts = shown_to_students(grades, name, end)
    for text in map(texts.__getitem__, students):
        assert FOUND not in text
        assert "no answer" not in text
        assert "the code tried what no exercise asks for" in text
    assert len(students) > 2


def test_of_tampering_only_that_something_was_tried_is_said_and_its_places_once():
    message = Message("", "f()", FOUND)
    verdict = ExerciseVerdict(SLUGS[0], (ClaimVerdict("tampered", State.TAMPERED, message),))
    assert wording.exercise_text(verdict) == "the code tried what no exercise asks for"

    both = SubmissionVerdict("ann", tuple(forged(slug, "ann") for slug in SLUGS))
    (remark,) = wording.tampering(both)
    assert remark.places == ", ".join(exercises()[slug].short for slug in SLUGS)
    assert FOUND in remark.text


@pytest.mark.parametrize(("kind", "whole"), [
    (not_python, True), (not_started, True), (not_handed_in, True),
    (passed, False), (half_written, False), (slow, False),
])  # fmt: skip
def test_a_verdict_knows_whether_it_speaks_of_the_file_as_a_whole(kind, whole):
    assert kind(SLUGS[0], "ann").is_whole is whole


# Names of files


def test_a_file_is_called_like_its_student_if_nothing_is_against_it():
    """Windows has devices; a mark could be that of another student, in any case of letters."""
    devices = ["CON", "con.smith", "aux.j", "nul.txt", "COM\u00b9", "lpt\u00b3.x", "NUL .x"]
    people = ["ada", "Jane Doe", "Doe, Jane", "Sean O'Brien", "Siân O’Dea"]
    plain = [*people, "connie", "com.pany", "com10", "lpt\u2074"]

    assert [*map(stem, plain)] == plain
    assert [name for name in devices if not re.fullmatch(r"_.+-[0-9a-f]{8}", stem(name))] == []
    assert stem("Doe; Jane") == "Doe_ Jane-d0ba5bfb"
    assert f"`{stem('Doe; Jane')}.json`" in DOCUMENTED
    assert stem("Doe_ Jane-d0ba5bfb") != stem("Doe; Jane")
    assert stem("doe_ jane-D0BA5BFB").casefold() != stem("Doe; Jane").casefold()


@pytest.mark.parametrize(("hostile", "harmless"), [
    ("\x1b[1;31mred\x1b[0m", "red"),
    ("\x1b]0;title\x07\x1b]8;;http://x\x1b\\link", "link"),
    ("\x1bc\x9b1m", "\ufffdc\ufffd1m"),
    ("a\r\nb\rc\n\td", "a\nb\nc\n\td"),
    ("a\u2028b\u202ec\ufeff", "a\ufffdb\ufffdc\ufffd"),
    ("a\u061cb\u2060c\u206fd\ufff9e\ufffb", "a\ufffdb\ufffdc\ufffdd\ufffde\ufffd"),
    ("\0\udce9\ufffe", "\ufffd\ufffd\ufffd"),
    ("<b> & é 🎉", "<b> & é 🎉"),
])  # fmt: skip
def test_texts_are_made_safe(hostile, harmless):
    assert clean(hostile) == harmless


@pytest.mark.parametrize("name", IN_JSON)
def test_documents_fit_their_schema_and_hold_nothing_that_a_terminal_obeys_or_xml_refuses(
    name, grades
):
    for student, document in of_students(grades, name).items():
        assert errors(name, document) == [], student
        assert not [text for text in strings(document) if ODD.search(text)]
        assert errors(name, {k: v for k, v in document.items() if k != "tests"})

    section = DOCUMENTED.split(f"\n## {name}/\n")[1].split("\n## ")[0]
    example = json.loads(re.findall(r"```json\n(.*?)```", section, re.DOTALL)[0])
    assert errors(name, example) == []


# JUnit


def test_junit_is_read_by_a_parser_of_junit(grades):
    report = JUnitXml.fromfile(str(grades / "junit.xml"))
    suites = list(report)

    assert [suite.name for suite in suites] == [*map(clean, names(COUNT))]
    assert report.tests == sum(len(list(suite)) for suite in suites)
    for count in ("tests", "failures", "errors", "skipped"):
        assert getattr(report, count) == sum(getattr(suite, count) for suite in suites) > 0


def test_junit_has_a_case_for_each_claim_with_its_time_the_score_and_what_was_printed(grades):
    root = ElementTree.parse(grades / "junit.xml").getroot()
    for suite, verdict in zip(root, CLASS.submissions(), strict=True):
        for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(name) == str(len(suite.findall(f"testcase/{kind}")))
        cases = [(case.get("classname"), case.get("name"), float(case.get("time", "")))
                 for case in suite.findall("testcase")]  # fmt: skip
        claims = [(exercise.slug, claim.name, claim.seconds) for exercise in verdict.exercises
                  for claim in exercise.claims]  # fmt: skip
        assert cases == (claims or [("attention-kata", "not_gradable", 0)])

        values = [(field.get("name"), field.get("value")) for field in suite.iter("property")]
        assert {("score", wording.number(verdict.score)), ("status", verdict.status)} <= {*values}
        printed = any(exercise.printed for exercise in verdict.exercises)
        assert (suite.find("system-out") is not None) == printed


def test_no_report_keeps_a_verdict(monkeypatch, tmp_path):
    """A class of any size is written student by student."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    alive: list[int] = [0, 0]

    class Counted(SubmissionVerdict):
        def __del__(self) -> None:
            alive[0] -= 1

    def submissions() -> Iterator[SubmissionVerdict]:
        for verdict in islice(CLASS.submissions(), 50):
            alive[0] += 1
            alive[1] = max(alive)
            yield Counted(verdict.student, verdict.exercises, verdict.marks)

    verdicts = ClassVerdict(submissions, CLASS.points)
    formats.write(verdicts, _results(tmp_path, verdicts), tmp_path, FORMATS)

    assert alive[1] <= 3


# Gradescope


def test_gradescope_has_a_row_for_each_exercise_with_points_mistakes_and_what_was_printed(grades):
    named = 0
    for verdict, document in verdicts_in(grades, "gradescope"):
        rows = [row for row in document["tests"] if row["visibility"] == "visible"]

        assert document["score"] == verdict.score
        assert all({"score", "max_score"}.isdisjoint(row) for row in hidden_rows(document))
        assert not verdict.problem or "the archive is damaged" in document["output"]
        for exercise, mark, row in zip(verdict.exercises, verdict.marks, rows, strict=True):
            assert (row["score"], row["max_score"]) == (mark.score, mark.most)
            assert (row["status"] == "passed") == (exercise.state is State.PASSED)
            titles = [mistake.title for mistake in exercise.mistakes]
            named += len(titles)
            output = " ".join(row["output"].split())
            assert [title for title in titles if title not in output] == []
            shown = exercise.printed and not exercise.has_tampering
            assert ("printed:\nred " in row["output"]) == bool(shown)

    assert named > 10


# What an instructor is told


def test_an_instructor_reads_the_same_remarks_in_every_format(grades):
    """The table's cell, junit's properties, Gradescope's hidden row and the class page."""
    rows = csv.DictReader((grades / "grades.csv").read_text(encoding="utf-8-sig").splitlines())
    suites = ElementTree.parse(grades / "junit.xml").getroot()
    page = html.unescape((grades / "report.html").read_text(encoding="utf-8"))
    documents = verdicts_in(grades, "gradescope")
    for row, suite, (verdict, document) in zip(rows, suites, documents, strict=True):
        remarks = [*wording.tampering(verdict), *wording.flags(verdict)]
        texts = [clean(str(remark)) for remark in remarks]
        flags = [e.get("value") for e in suite.iter("property") if e.get("name") == "flag"]
        hidden = [row["output"] for row in hidden_rows(document)]

        assert row["flags"] == harmless("; ".join(map(str, remarks)))
        assert flags == [line(text) for text in texts]
        assert hidden == ["\n".join(texts)] * bool(texts)
        assert all(clean(remark.text) in page for remark in remarks)


# Exercism


def test_exercism_has_the_tests_in_source_order_with_their_code_and_passes_if_all_do(grades):
    tree = ast.parse(exercises()["ex01_softmax"].suite.read_text(encoding="utf-8"))
    suite = [e.name for e in tree.body if isinstance(e, ast.FunctionDef) and "test_" in e.name]
    documents = of_students(grades, "exercism")
    whole = next(documents[verdict.student] for verdict in CLASS.submissions()
                 if verdict.exercises and verdict.exercises[0].state is State.PASSED)  # fmt: skip
    tests = [test for test in whole["tests"] if test["task_id"] == 1]

    assert [re.match(r"def (\w+)", test["test_code"])[1] for test in tests] == suite  # type: ignore[index]  # a claim is a function
    assert {test["status"] for test in tests} == {"pass"}
    for verdict, document in verdicts_in(grades, "exercism"):
        is_right = all(exercise.state is State.PASSED for exercise in verdict.exercises)
        assert verdict.problem or document["status"] == ("pass" if is_right else "fail")


def raising(slug: str, student: str) -> ExerciseVerdict:
    """It can be read, and every claim ends in an error."""
    verdict = slow(slug, student)
    claims = tuple(replace(claim, state=State.ERROR) for claim in verdict.claims)
    return replace(verdict, claims=claims)


@pytest.mark.parametrize(("kinds", "status"), [
    ((raising, raising), "fail"),
    ((not_python, not_python), "error"),
    ((not_python, not_started), "fail"),
    ((not_python, slow), "fail"),
    ((slow, slow), "fail"),
    ((), "error"),
])  # fmt: skip
def test_exercism_is_an_error_only_if_nothing_is_python(kinds, status, tmp_path):
    work = tuple(kind(slug, "ann") for kind, slug in zip(kinds, SLUGS, strict=False))
    verdict = SubmissionVerdict("ann", work, problem="" if kinds else "damaged")
    formats.write_only(ClassVerdict(lambda: iter([verdict]), CLASS.points), tmp_path, ["exercism"])
    document = json.loads((tmp_path / "exercism" / "ann.json").read_text(encoding="utf-8"))

    assert document["status"] == status
    assert errors("exercism", document) == []
    assert [cut("x" * count, 500, "…") for count in (500, 501)] == ["x" * 500, "x" * 499 + "…"]


# GitHub Classroom


def test_classroom_adds_up_to_the_score_and_its_base64_fits_into_a_variable(grades):
    encoded = of_students(grades, "classroom", "base64")
    for verdict, document in verdicts_in(grades, "classroom"):
        text = encoded[verdict.student]
        assert json.loads(base64.b64decode(text, validate=False)) == document
        assert len(text) < 128 * 1024 * len(SLUGS) / len(exercises())
        assert sum(test["score"] for test in document["tests"]) == pytest.approx(verdict.score)
        assert document["max_score"] == CLASS.most


# Autolab


def test_autolab_gets_scores_in_the_last_line_and_before_it_why_a_case_fails(grades):
    for verdict, text in verdicts_in(grades, "autolab", "txt"):
        feedback, scores = map(json.loads, text.splitlines())
        marks = [mark.score for mark in verdict.marks] or [0.0] * len(SLUGS)
        cases = [case for stage in feedback["stages"] for case in feedback[stage].values()]

        assert scores["scores"] == dict(zip(SLUGS, marks, strict=True))
        assert scores["scoreboard"] == [verdict.score]
        assert feedback["_presentation"] == "semantic"
        assert set(feedback) == {"_presentation", "stages", *feedback["stages"]}
        assert cases
        assert all(case["passed"] != bool(case.get("hint")) for case in cases)


# results.json, grades.csv, timings.json


@pytest.mark.parametrize(("text", "cell"), [
    ("=1+1", "'=1+1"),
    (" \t-1", "'  -1"),
    ("\n@SUM(1)", "' @SUM(1)"),
    ("\uff1d1;\uff0b1", "'\uff1d1;'\uff0b1"),
    ("\uff0d1;\uff201", "'\uff0d1;'\uff201"),
    ("tried os.system('x;=1'); +2", "tried os.system('x;'=1');' +2"),
    ("ex01: a - b; ex02: c = d", "ex01: a - b; ex02: c = d"),
])  # fmt: skip
def test_no_cell_is_a_formula(text, cell):
    assert harmless(text) == cell


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_grades_hold_no_formula_whatever_stands_between_cells(delimiter, tmp_path):
    tried = f'x;=HYPERLINK(1);"=HYPERLINK(2)&";y, \t=2 {mark_of("ann")}'
    exercise = replace(not_started("ex01_softmax"), tampering=(tried,), flags=("=3",))
    verdict = SubmissionVerdict("=ann;-1", (exercise,), (Mark(0, 1),), ("; =4",))
    _results(tmp_path, ClassVerdict(lambda: iter([verdict]), {"ex01_softmax": 1.0}))
    with (tmp_path / "grades.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell.strip() for row in csv.reader(file, delimiter=delimiter) for cell in row]

    assert mark_of("ann") in " ".join(cells)
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []


def test_the_tables_have_everybody_and_what_is_documented(grades):
    results, timings = (json.loads((grades / f"{name}.json").read_text(encoding="utf-8"))
                        for name in ("results", "timings"))  # fmt: skip
    with (grades / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    columns = [name for name in header if name not in SLUGS[1:]]
    paths = ["form", "seconds", *(f"seconds[].{name}" for name in timings["seconds"][0])]

    assert errors("results", results) == []
    assert [submission["student"] for submission in results["submissions"]] == names(COUNT)
    assert [row[0] for row in rows] == [harmless(name) for name in names(COUNT)]
    assert list(timings) == ["form", "seconds"]
    assert documented(DOCUMENTED, "results.json") == fields_of(SCHEMAS / "results.json")
    assert documented(DOCUMENTED, "grades.csv") == columns
    assert documented(DOCUMENTED, "timings.json") == paths


def test_the_documented_program_runs_on_real_results(grades, monkeypatch, capsys, tmp_path):
    program = re.findall(r"```python\n(.*?)```", DOCUMENTED, re.DOTALL)[0]
    (tmp_path / "grades").mkdir()
    shutil.copy(grades / "results.json", tmp_path / "grades")
    monkeypatch.chdir(tmp_path)

    exec(program, {})

    assert re.search(r"\[\(.+, [\d.]+\)", capsys.readouterr().out)
