"""What a folder is taken for is said before it is graded, and asked where that leaves doubts."""

from pathlib import Path

import pytest

from kata.grading.collecting.students import Notices, listing
from tests.helpers.grader import grader
from tests.helpers.handed_work import F01, WORK
from tests.helpers.handing_in import write, zipped

PEOPLE = "ada", "ben", "cleo", "dan", "eve"
FORMS = {
    "folders": ([f"{name}/{F01}" for name in PEOPLE], "5 students"),
    "Canvas": ([f"{name}_10{at}_900{at}_{F01}" for at, name in enumerate(PEOPLE)],
               "5 students, with the names that Canvas gives to files"),
    "one": ([F01, "notes.txt"], "the work of one student"),
    "rest": ([*(f"{name}/{F01}" for name in PEOPLE), "roster.csv", "a.pdf"],
             "5 students; left out: a.pdf, roster.csv"),
}  # fmt: skip


def noticed(folder: Path) -> tuple[str, str]:
    notices = Notices()
    return notices.form(len(listing(folder, notices=notices))), notices.doubt


@pytest.mark.parametrize("kind", FORMS)
def test_the_form_is_that_of_the_platform(tmp_path: Path, kind: str) -> None:
    names, expected = FORMS[kind]

    assert noticed(write(tmp_path, dict.fromkeys(names, WORK))) == (expected, "")


def test_a_class_taken_for_one_person_is_asked_about(tmp_path: Path) -> None:
    """A single exercise at the top makes a folder the work of one student."""
    folder = write(tmp_path / "class", {F01: WORK, **{f"{name}/{F01}": WORK for name in PEOPLE}})

    first = grader(tmp_path, "class", "--only", "ex01")
    sure = grader(tmp_path, "class", "--only", "ex01", "--yes")

    assert (first.status, first.out) == (2, "")
    assert first.err == (
        "class: the work of one student. Nothing was graded, as folders in it may be other "
        "people's work: ada, ben, cleo and 2 more. Is it what you mean? Then add --yes\n"
    )
    assert sure.status == 0
    assert "1 handed in" in sure.out
    (folder / F01).unlink()
    assert "5 handed in" in grader(tmp_path, "class", "--only", "ex01", "--grades", "g").out


def test_a_folder_that_is_mostly_something_else_is_asked_about(tmp_path: Path) -> None:
    slides = {f"slides {number}.pdf": WORK for number in range(5)}
    folder = write(tmp_path / "class", {"ada.zip": zipped({F01: WORK}), **slides})

    form, doubt = noticed(folder)

    assert form == "the work of one student; left out: slides 0.pdf, slides 1.pdf, slides 2.pdf " \
        "and 2 more"  # fmt: skip
    assert doubt.startswith("5 entries are nobody's work: slides 0.pdf")


def test_the_kata_itself_is_one_persons_work(tmp_path: Path) -> None:
    places = ("exercises", "solutions", "tests", "bugs", "docs", "proofs", "notebooks")

    form = noticed(write(tmp_path, {F01: WORK, **{f"{place}/{F01}": WORK for place in places}}))

    assert form == ("the work of one student", "")
