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
from kata.grading.reports import formats, results, wording
from kata.grading.reports.formats import stem
from kata.grading.tables import harmless
from kata.points import Mark
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
FORMATS = ("junit", "gradescope", "exercism", "classroom", "autolab")
IN_JSON = ("gradescope", "exercism", "classroom")
ENDS = {**dict.fromkeys(IN_JSON, "json"), "autolab": "txt"}
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
        formats.write(CLASS, folder, FORMATS)
        _results(folder, CLASS)
        yield folder


def _results(folder: Path, found: ClassVerdict) -> None:
    results.write(folder, found, {"seed": found.seed, "exercises": list(found.points)})


def validator(name: str) -> Draft202012Validator:
    return schema_at(SCHEMAS / f"{name}.json")


@cache
def of_students(grades: Path, name: str, end: str = "") -> dict[str, Any]:
    """What was written for each student."""
    end = end or ENDS[name]
    paths = {each: grades / name / f"{stem(each)}.{end}" for each in names(COUNT)}
    texts = {each: path.read_text(encoding="utf-8") for each, path in paths.items()}
    return {each: json.loads(one) if end == "json" else one for each, one in texts.items()}


def verdicts_in(grades: Path, name: str) -> Iterator[tuple[SubmissionVerdict, Any]]:
    """Each verdict with what was written for that student."""
    documents = of_students(grades, name)
    return ((verdict, documents[verdict.student]) for verdict in CLASS.submissions())


def strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for name, each in data.items():
            yield from (name, *strings(each))
    elif isinstance(data, list):
        for each in data:
            yield from strings(each)


def rows_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = document["tests"]
    return tests


def hidden_rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in rows_of(document) if each["visibility"] == "hidden"]


# The class itself


def test_every_state_occurs_in_the_odd_class():
    work = [one for each in CLASS.submissions() for one in each.exercises]
    claims = {claim.state for one in work for claim in one.claims}
    whole = {one.state for one in work}

    assert claims == {*State} - {State.NOT_GRADABLE}
    assert whole == claims - {State.BLOCKED, State.SKIPPED}
    assert {each.status for each in CLASS.submissions()} == {"graded", "tampered", "not gradable"}


def test_everything_that_can_be_said_occurs_in_the_odd_class():
    found = [one for each in CLASS.submissions() for one in each.exercises]
    told = [claim.message for one in found for claim in one.claims if claim.message]

    assert any(one.printed for one in found)
    assert any(one.flags for one in found)
    assert any(one.tampering for one in found)
    assert any(one.stand_ins for one in found)
    assert {one.diagnosis and one.diagnosis.fit for one in found} == {None, Fit.ONE, Fit.BOTH}
    assert any(each.picture for each in told)
    assert any(each.frames for each in told)


def test_marks_of_students_do_not_hold_each_other():
    marks = [mark_of(each) for each in names(COUNT)]

    assert not [(a, b) for a in marks for b in marks if a != b and a in b]


# All formats


@pytest.mark.parametrize("name", FORMATS)
def test_two_writes_give_the_same_bytes(name, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "fsync", lambda _: None)
    again = odd_class(12, SLUGS)
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        formats.write_only(again, folder, [name])
    one, other = (
        {path.relative_to(tmp_path / folder): path.read_bytes()
         for path in (tmp_path / folder).rglob("*") if path.is_file()}
        for folder in ("one", "other")
    )  # fmt: skip

    assert one
    assert one == other


@pytest.mark.parametrize("name", ENDS)
def test_everybody_has_one_file_and_nobody_else_has(name, grades):
    end = ENDS[name]

    assert {each.name for each in (grades / name).glob(f"*.{end}")} == {
        f"{stem(each)}.{end}" for each in names(COUNT)
    }


@pytest.mark.parametrize("name", ENDS)
def test_no_file_holds_a_word_of_another_student(name, grades):
    texts = of_students(grades, name)
    found = {each: set(re.findall(r"mark-of-[0-9a-f]*-\d+\.", json.dumps(one)))
             for each, one in texts.items()}  # fmt: skip

    assert any(found.values())
    assert [each for each, marks in found.items() if marks - {mark_of(each)}] == []


def is_shown(row: dict[str, Any]) -> bool:
    return bool(row["visibility"] != "hidden")


def shown_to_students(grades: Path, name: str) -> dict[str, str]:
    """What each of them sees of it."""
    documents = of_students(grades, name)
    if name == "gradescope":
        documents = {student: document | {"tests": [*filter(is_shown, rows_of(document))]}
                     for student, document in documents.items()}  # fmt: skip
    return {student: json.dumps(document) for student, document in documents.items()}


@pytest.mark.parametrize("name", ENDS)
def test_flags_and_tampering_are_not_shown_to_students(name, grades):
    for student, shown in shown_to_students(grades, name).items():
        assert "the same steps as" not in shown, student
        assert "HYPERLINK" not in shown, student
        assert "os.system" not in shown, student


@pytest.mark.parametrize("kind", [tampered, forged])
@pytest.mark.parametrize("name", ENDS)
def test_what_tampering_has_found_is_not_shown_to_students(name, kind, grades):
    students = [each.student for each in CLASS.submissions()
                if [*map(kind, SLUGS, [each.student] * 2)] == [*each.exercises]]  # fmt: skip
    documents = shown_to_students(grades, name)
    for shown in map(documents.__getitem__, students):
        assert FOUND not in shown
        assert "no answer" not in shown
        assert "the code tried what no exercise asks for" in shown
    assert len(students) > 2


def test_a_claim_of_which_only_the_evidence_is_known_says_that_something_was_tried():
    message = Message("", "f()", FOUND)
    verdict = ExerciseVerdict(SLUGS[0], (ClaimVerdict("tampered", State.TAMPERED, message),))

    assert wording.exercise_text(verdict) == "the code tried what no exercise asks for"


@pytest.mark.parametrize(("kind", "whole"), [
    (not_python, True), (not_started, True), (not_handed_in, True),
    (passed, False), (half_written, False), (slow, False),
])  # fmt: skip
def test_a_verdict_knows_whether_it_speaks_of_the_file_as_a_whole(kind, whole):
    assert kind(SLUGS[0], "ann").is_whole is whole


# Names of files


def test_who_is_called_like_the_file_of_another_has_a_file_of_their_own():
    assert stem("Doe; Jane") == "Doe_ Jane-d0ba5bfb"
    assert f"`{stem('Doe; Jane')}.json`" in DOCUMENTED
    assert stem("Doe_ Jane-d0ba5bfb") != stem("Doe; Jane")
    assert stem("doe_ jane-D0BA5BFB").casefold() != stem("Doe; Jane").casefold()


def test_a_file_is_called_like_its_student_unless_windows_has_a_device_of_that_name():
    devices = ["CON", "con.smith", "aux.j", "nul.txt", "COM\u00b9", "lpt\u00b3.x", "NUL .x"]
    people = ["ada", "Jane Doe", "Doe, Jane", "Sean O'Brien", "Siân O’Dea"]
    plain = [*people, "connie", "com.pany", "com10", "lpt\u2074"]

    assert [*map(stem, plain)] == plain
    assert [each for each in devices if not re.fullmatch(r"_.+-[0-9a-f]{8}", stem(each))] == []


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
    check = validator(name)
    for student, document in of_students(grades, name).items():
        assert [each.message for each in check.iter_errors(document)] == [], student
        assert not [each for each in strings(document) if ODD.search(each)]
        assert not check.is_valid({k: v for k, v in document.items() if k != "tests"})


@pytest.mark.parametrize("name", IN_JSON)
def test_the_documented_example_fits_the_schema(name):
    section = DOCUMENTED.split(f"\n## {name}/\n")[1].split("\n## ")[0]
    example = json.loads(re.findall(r"```json\n(.*?)```", section, re.DOTALL)[0])

    assert [each.message for each in validator(name).iter_errors(example)] == []


# JUnit


def test_junit_is_read_by_a_parser_of_junit(grades):
    found = JUnitXml.fromfile(str(grades / "junit.xml"))
    suites = list(found)

    assert [suite.name for suite in suites] == [clean(each) for each in names(COUNT)]
    assert found.tests == sum(len(list(suite)) for suite in suites) == sum(s.tests for s in suites)
    assert found.failures == sum(suite.failures for suite in suites) > 0
    assert found.errors == sum(suite.errors for suite in suites) > 0
    assert found.skipped == sum(suite.skipped for suite in suites) > 0


def test_junit_has_a_case_for_each_claim_with_its_time_and_counts_them(grades):
    root = ElementTree.parse(grades / "junit.xml").getroot()
    for suite, verdict in zip(root, CLASS.submissions(), strict=True):
        counts = [
            len(suite.findall(f"testcase/{each}")) for each in ("failure", "error", "skipped")
        ]
        assert counts == [int(suite.get(each, "")) for each in ("failures", "errors", "skipped")]
        cases = [(each.get("classname"), each.get("name"), float(each.get("time", "")))
                 for each in suite.findall("testcase")]  # fmt: skip
        claims = [(exercise.slug, claim.name, claim.seconds) for exercise in verdict.exercises
                  for claim in exercise.claims]  # fmt: skip

        assert cases == (claims or [("attention-kata", "not_gradable", 0)])


def test_junit_tells_scores_flags_and_what_was_printed(grades):
    root = ElementTree.parse(grades / "junit.xml").getroot()
    for suite, verdict in zip(root, CLASS.submissions(), strict=True):
        values = [(each.get("name"), each.get("value")) for each in suite.iter("property")]
        flags = [*wording.tampering(verdict), *wording.flags(verdict)]

        assert ("score", wording.number(verdict.score)) in values
        assert ("status", verdict.status) in values
        told = [line(str(each)) for each in flags]
        assert [value for name, value in values if name == "flag"] == told
        printed = any(each.printed for each in verdict.exercises)
        assert (suite.find("system-out") is not None) == printed


def test_junit_and_the_hidden_row_of_gradescope_tell_what_was_forged(grades):
    documents = of_students(grades, "gradescope")
    root = ElementTree.parse(grades / "junit.xml").getroot()
    met = 0
    for suite, verdict in zip(root, CLASS.submissions(), strict=True):
        if any(each == forged(each.slug, verdict.student) for each in verdict.exercises):
            met += 1
            flags = [e.get("value", "") for e in suite.iter("property") if e.get("name") == "flag"]
            hidden = hidden_rows(documents[verdict.student])

            assert FOUND in " ".join(flags)
            assert FOUND in " ".join(each["output"] for each in hidden)
    assert met > 2


def test_junit_of_a_class_is_written_student_by_student(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "fsync", lambda _: None)
    alive: list[int] = [0, 0]

    class Counted(SubmissionVerdict):
        def __del__(self) -> None:
            alive[0] -= 1

    def submissions() -> Iterator[SubmissionVerdict]:
        for each in islice(CLASS.submissions(), 50):
            alive[0] += 1
            alive[1] = max(alive)
            yield Counted(each.student, each.exercises, each.marks)

    formats.write_only(ClassVerdict(submissions, CLASS.points), tmp_path, ["junit"])

    assert alive[1] <= 3


# Gradescope


def test_gradescope_has_a_row_for_each_exercise_with_its_points(grades):
    for verdict, document in verdicts_in(grades, "gradescope"):
        rows = [each for each in rows_of(document) if each["visibility"] == "visible"]

        assert document["score"] == verdict.score
        assert [(each["score"], each["max_score"]) for each in rows] == [
            (each.score, each.most) for each in verdict.marks
        ]
        assert [each["status"] == "passed" for each in rows] == [
            each.state is State.PASSED for each in verdict.exercises
        ]


def test_gradescope_names_known_mistakes_and_shows_what_was_printed(grades):
    named = 0
    for verdict, document in verdicts_in(grades, "gradescope"):
        for exercise, row in zip(verdict.exercises, rows_of(document)):  # noqa: B905  # the hidden row is one more
            titles = [mistake.title for mistake in exercise.mistakes]
            named += len(titles)
            output = " ".join(row["output"].split())
            assert [title for title in titles if title not in output] == []
            shown = exercise.printed and not wording.has_tampering(exercise)
            assert ("printed:\nred " in row["output"]) == bool(shown)

    assert named > 10


def test_gradescope_keeps_flags_in_a_hidden_row_without_points(grades):
    for verdict, document in verdicts_in(grades, "gradescope"):
        flagged = bool(wording.tampering(verdict) or wording.flags(verdict))
        hidden = hidden_rows(document)

        assert len(hidden) == flagged
        assert all({"score", "max_score"}.isdisjoint(each) for each in hidden)


def test_gradescope_says_why_work_cannot_be_graded(grades):
    problems = [each for verdict, each in verdicts_in(grades, "gradescope") if verdict.problem]

    assert all("the archive is damaged" in each["output"] for each in problems)
    assert {each["score"] for each in problems} == {0}


# What an instructor is told


def test_an_instructor_reads_the_same_remarks_in_every_format(grades):
    """The table's cell, junit's properties, Gradescope's hidden row and the class page."""
    rows = csv.DictReader((grades / "grades.csv").read_text(encoding="utf-8-sig").splitlines())
    suites = ElementTree.parse(grades / "junit.xml").getroot()
    page = html.unescape((grades / "report.html").read_text(encoding="utf-8"))
    documents = of_students(grades, "gradescope")
    for row, suite, verdict in zip(rows, suites, CLASS.submissions(), strict=True):
        flags = [*wording.tampering(verdict), *wording.flags(verdict)]
        told = [clean(str(each)) for each in flags]
        shown = [e.get("value") for e in suite.iter("property") if e.get("name") == "flag"]
        hidden = hidden_rows(documents[verdict.student])

        assert row["flags"] == harmless("; ".join(map(str, flags)))
        assert shown == [line(each) for each in told]
        assert [each["output"] for each in hidden] == ["\n".join(told)] * bool(told)
        assert all(clean(each.text) in page for each in flags)


def test_what_shows_in_many_claims_is_told_once():
    verdict = SubmissionVerdict("ann", tuple(forged(slug, "ann") for slug in SLUGS))

    places = [each.places for each in wording.tampering(verdict)]

    assert places == [", ".join(exercises()[slug].short for slug in SLUGS)]


# Exercism


def test_exercism_has_the_tests_in_source_order_with_their_code(grades):
    tree = ast.parse(exercises()["ex01_softmax"].suite.read_text(encoding="utf-8"))
    suite = [e.name for e in tree.body if isinstance(e, ast.FunctionDef) and "test_" in e.name]
    documents = of_students(grades, "exercism")
    whole = next(documents[each.student] for each in CLASS.submissions()
                 if each.exercises and each.exercises[0].state is State.PASSED)  # fmt: skip
    tests = [each for each in rows_of(whole) if each["task_id"] == 1]

    assert [re.match(r"def (\w+)", each["test_code"])[1] for each in tests] == suite  # type: ignore[index]  # a claim is a function
    assert {each["status"] for each in tests} == {"pass"}


def test_exercism_passes_if_everything_does(grades):
    for verdict, document in verdicts_in(grades, "exercism"):
        passed = all(each.state is State.PASSED for each in verdict.exercises)

        assert verdict.problem or document["status"] == ("pass" if passed else "fail")


def raising(slug: str, student: str) -> ExerciseVerdict:
    """It can be read, and every claim ends in an error."""
    found = slow(slug, student)
    return replace(found, claims=tuple(replace(e, state=State.ERROR) for e in found.claims))


@pytest.mark.parametrize(("kinds", "status"), [
    ((raising, raising), "fail"),
    ((not_python, not_python), "error"),
    ((not_python, not_started), "fail"),
    ((not_python, slow), "fail"),
    ((slow, slow), "fail"),
    ((), "error"),
])  # fmt: skip
def test_exercism_is_an_error_only_if_nothing_is_python(kinds, status, tmp_path):
    found = tuple(kind(slug, "ann") for kind, slug in zip(kinds, SLUGS, strict=False))
    verdict = SubmissionVerdict("ann", found, problem="" if kinds else "damaged")
    formats.write_only(ClassVerdict(lambda: iter([verdict]), CLASS.points), tmp_path, ["exercism"])
    document = json.loads((tmp_path / "exercism" / "ann.json").read_text(encoding="utf-8"))

    assert document["status"] == status
    assert [each.message for each in validator("exercism").iter_errors(document)] == []


def test_output_that_is_cut_says_so():
    assert cut("x" * 500, 500, "…") == "x" * 500
    assert cut("x" * 501, 500, "…") == "x" * 499 + "…"


# GitHub Classroom


def test_classroom_in_base64_is_the_same_and_fits_into_a_variable(grades):
    documents = of_students(grades, "classroom")
    for student, encoded in of_students(grades, "classroom", "base64").items():
        assert json.loads(base64.b64decode(encoded, validate=False)) == documents[student]
        assert len(encoded) < 128 * 1024 * len(SLUGS) / len(exercises())


def test_the_reporter_of_classroom_adds_up_to_the_score(grades):
    for verdict, document in verdicts_in(grades, "classroom"):
        total = sum(each["score"] for each in rows_of(document))

        assert total == pytest.approx(verdict.score)
        assert document["max_score"] == CLASS.most


# Autolab


def test_the_last_line_of_autolab_is_the_scores(grades):
    for verdict, text in verdicts_in(grades, "autolab"):
        feedback, scores = map(json.loads, text.splitlines())
        marks = [each.score for each in verdict.marks] or [0.0] * len(SLUGS)

        assert scores["scores"] == dict(zip(SLUGS, marks, strict=True))
        assert scores["scoreboard"] == [verdict.score]
        assert feedback["_presentation"] == "semantic"
        assert set(feedback) == {"_presentation", "stages", *feedback["stages"]}


def test_autolab_says_of_every_case_whether_it_passed_and_of_others_why(grades):
    for lines in of_students(grades, "autolab").values():
        feedback = json.loads(lines.splitlines()[0])
        cases = [case for stage in feedback["stages"] for case in feedback[stage].values()]

        assert cases
        assert all(case["passed"] != bool(case.get("hint")) for case in cases)


# results.json, grades.csv, timings.json


@pytest.mark.parametrize(("told", "written"), [
    ("=1+1", "'=1+1"),
    (" \t-1", "'  -1"),
    ("\n@SUM(1)", "' @SUM(1)"),
    ("\uff1d1;\uff0b1", "'\uff1d1;'\uff0b1"),
    ("\uff0d1;\uff201", "'\uff0d1;'\uff201"),
    ("tried os.system('x;=1'); +2", "tried os.system('x;'=1');' +2"),
    ("ex01: a - b; ex02: c = d", "ex01: a - b; ex02: c = d"),
])  # fmt: skip
def test_no_cell_is_a_formula(told, written):
    assert harmless(told) == written


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_grades_hold_no_formula_whatever_stands_between_cells(delimiter, tmp_path):
    tried = f'x;=HYPERLINK(1);"=HYPERLINK(2)&";y, \t=2 {mark_of("ann")}'
    exercise = replace(not_started("ex01_softmax"), tampering=(tried,), flags=("=3",))
    verdict = SubmissionVerdict("=ann;-1", (exercise,), (Mark(0, 1),), ("; =4",))
    _results(tmp_path, ClassVerdict(lambda: iter([verdict]), {"ex01_softmax": 1.0}))
    with (tmp_path / "grades.csv").open(encoding="utf-8", newline="") as file:
        cells = [each.strip() for row in csv.reader(file, delimiter=delimiter) for each in row]

    assert mark_of("ann") in " ".join(cells)
    assert [each for each in cells if each.startswith(("=", "+", "-", "@"))] == []


def test_results_fit_their_schema(grades):
    found = json.loads((grades / "results.json").read_text(encoding="utf-8"))

    assert [each.message for each in validator("results").iter_errors(found)] == []
    assert [each["student"] for each in found["submissions"]] == names(COUNT)


def test_the_documented_fields_of_results_are_those_of_the_schema():
    assert documented(DOCUMENTED, "results.json") == fields_of(SCHEMAS / "results.json")


def test_the_documented_columns_of_grades_are_those_of_the_file(grades):
    with (grades / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)

    assert documented(DOCUMENTED, "grades.csv") == [
        each for each in header if each not in SLUGS[1:]
    ]
    assert [row[0] for row in rows] == [harmless(each) for each in names(COUNT)]


def test_the_documented_fields_of_timings_are_those_of_the_file(grades):
    found = json.loads((grades / "timings.json").read_text(encoding="utf-8"))
    paths = ["form", "seconds", *(f"seconds[].{each}" for each in found["seconds"][0])]

    assert list(found) == ["form", "seconds"]
    assert documented(DOCUMENTED, "timings.json") == paths


def test_the_documented_program_runs_on_real_results(grades, monkeypatch, capsys, tmp_path):
    program = re.findall(r"```python\n(.*?)```", DOCUMENTED, re.DOTALL)[0]
    (tmp_path / "grades").mkdir()
    shutil.copy(grades / "results.json", tmp_path / "grades")
    monkeypatch.chdir(tmp_path)

    exec(program, {})

    assert re.search(r"\[\(.+, [\d.]+\)", capsys.readouterr().out)
