"""What a score is called: a percentage, and a grade."""

import csv
from pathlib import Path

import pytest

from kata.class_verdict import ClassVerdict
from kata.errors import UserError
from kata.grading.adjusting.adjusted import Adjusting, adjusted
from kata.grading.reports import feedback, tables
from kata.grading.rubric import read_scale
from tests.helpers.adjusted_class import POINTS, graded

LETTERS = "A 90, B 80, C 65, F 0"


@pytest.mark.parametrize(("text", "score", "called"), [
    (LETTERS, 9.0, {"percent": "90", "grade": "A"}),
    (LETTERS, 8.9951, {"percent": "90", "grade": "A"}),
    (LETTERS, 8.9949, {"percent": "89.9", "grade": "B"}),
    (LETTERS, 0.0, {"percent": "0", "grade": "F"}),
    (LETTERS, 12.0, {"percent": "120", "grade": "A"}),
    ("F: 0 %, A = 90%", 9.0, {"percent": "90", "grade": "A"}),
    ("1,0 95; 1,3 90; 5,0 0", 9.4, {"percent": "94", "grade": "1,3"}),
    ("very good 87,5; good 0", 8.75, {"percent": "87.5", "grade": "very good"}),
    ("percent", 7.5, {"percent": "75"}),
])  # fmt: skip
def test_a_score_has_its_name(text: str, score: float, called: dict[str, str]) -> None:
    assert dict(read_scale(text).names(score, 10.0)) == called


@pytest.mark.parametrize("text", ["", "A", "A 90, B 80", "A 90, B 90, F 0", "A x, F 0", "90, 0"])
def test_what_is_no_scale_is_one_line(text: str) -> None:
    with pytest.raises(UserError, match="is not a scale: write percent, or the least percentage"):
        read_scale(text)


def found(text: str) -> ClassVerdict:
    people = [graded("ada"), graded("ben", 0.0, 1.0)]
    return adjusted(ClassVerdict(lambda: iter(people), POINTS), Adjusting(scale=read_scale(text)))


def test_the_table_has_a_column_for_each(tmp_path: Path) -> None:
    tables.write(tmp_path, found(LETTERS), {"seed": 1})

    rows = csv.DictReader((tmp_path / "grades.csv").read_text("utf-8-sig").splitlines())
    assert [(row["percent"], row["grade"]) for row in rows] == [("90", "A"), ("10", "F")]


def test_the_students_page_says_it() -> None:
    for text, told in ((LETTERS, "9 of 10 points, 90 %, grade A."), ("percent", "points, 90 %.")):
        page = feedback.page(graded("ada"), found(text))

        assert told in feedback.text(page, "md")
        assert told.removesuffix(".").split("points")[1] in feedback.text(page, "html")


def test_without_a_scale_nothing_is_called_anything() -> None:
    verdicts = ClassVerdict(lambda: iter([graded("ada")]), POINTS)

    assert "9 of 10 points.**" in feedback.text(feedback.page(graded("ada"), verdicts), "md")
