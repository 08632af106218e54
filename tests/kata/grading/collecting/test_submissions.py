"""What counts if a student handed in more than once, and how submissions are read."""

import os
from pathlib import Path

import pytest

from kata.__main__ import main
from kata.course.curriculum import exercises
from kata.grading.collecting.submissions import Submission, listing, read
from tests.helpers.handed_work import (
    EX01,
    EX05,
    EX07,
    F01,
    F05,
    F07,
    LAST,
    OTHER,
    STUB,
    WORK,
    Files,
)
from tests.helpers.handing_in import by_student, handed_in, only_student, write, zipped
from tests.helpers.learner_folder import Learner


def test_a_zip_made_by_kata_submit(tmp_path: Path) -> None:
    learner = Learner(tmp_path)
    learner.solve("ex01", "ex05")
    write(tmp_path / "class", {"bob.zip": zipped({F01: WORK})})
    main(["submit", "--folder", str(learner.folder), "--out", str(tmp_path / "class/a.zip")])

    students = by_student(tmp_path / "class")

    assert students["a"].files == {
        slug: exercises()[slug].solution.read_bytes() for slug in (EX01, EX05)
    }
    assert students["a"].notes == ()


def test_the_later_upload_to_canvas_counts(tmp_path: Path) -> None:
    """Canvas numbers uploads; the second one of `submission.zip` it calls `submission-1.zip`."""
    write(tmp_path, {
        "doejohn_12345_678910_submission.zip": zipped({F01: WORK, F05: WORK, F07: WORK}),
        "doejohn_LATE_12345_678990_submission-1.zip": zipped({F01: OTHER, F05: OTHER}),
        f"doejohn_LATE_12345_678995_{F05}": LAST,
    })  # fmt: skip

    work = only_student(tmp_path)

    assert work.files == {EX01: OTHER, EX05: LAST, EX07: WORK}
    assert work.notes == (
        "handed in late",
        "ex01 handed in more than once: submission-1.zip is later, and counts, not submission.zip",
        "ex05 handed in more than once: ex05_causal_masks.py is later, and counts, not "
        "submission.zip, submission-1.zip",
    )


DECOMPOSED = "Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}", "Zoe\u0308"


@pytest.mark.parametrize("names", [("Zoë", "ZOË"), DECOMPOSED, ("alice", "alice")])
def test_neither_of_two_places_counts_if_no_name_tells_which_is_later(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    """Names that differ only in case or encoding are one student's."""
    write(tmp_path, {f"{names[0]}.zip": zipped({F05: WORK, F01: WORK}), f"{names[1]}/{F05}": OTHER})

    submission = only_student(tmp_path)

    about = submission.problem.partition(": ")[2].removesuffix(" differ in ex05")
    assert submission.files == {}
    assert submission.problem.startswith("handed in more than once, and the names do not tell whi")
    assert {*about.split(", ")} == {f"{names[0]}.zip", f"{names[1]}/"}


ALONE: list[tuple[Files, Submission]] = [
    ({"alice.zip": zipped({F05: WORK}), "alice (1).zip": zipped({F05: OTHER})},
     Submission("alice", {EX05: OTHER}, (
         "ex05 handed in more than once: alice (1).zip is later, and counts, not alice.zip",))),
    ({"alice.zip": zipped({F05: WORK, F01: WORK}), f"alice/{F05}": WORK},
     Submission("alice", {EX01: WORK, EX05: WORK},
                ("found in more than one place: alice/, alice.zip",))),
    ({"doejohn_123_500_a.zip": zipped({F05: WORK})[:50], f"doejohn_123_501_{F07}": WORK},
     Submission("doejohn", {EX07: WORK}, (
         "not read: a.zip: the archive is damaged: File is not a zip file",), id="123")),
    ({"doejohn_12345_678910_part1.zip": zipped({F05: WORK}),
      "doejohn_12345_678990_part2.zip": zipped({F01: WORK, F05: STUB.replace(b"\n", b"\r\n")})},
     Submission("doejohn", {EX01: WORK, EX05: WORK}, id="12345")),
    ({f"alice/{F05}": STUB}, Submission("alice", {EX05: STUB})),
]  # fmt: skip


@pytest.mark.parametrize(("files", "submission"), ALONE, ids=[
    "a browser's number is later", "two places that agree", "a damaged archive beside other files",
    "a later stub replaces no work", "a stub alone is handed in",
])  # fmt: skip
def test_what_counts_of_one_student(tmp_path: Path, files: Files, submission: Submission) -> None:
    assert only_student(write(tmp_path, files)) == submission


def test_submissions_are_listed_at_once_and_read_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {f"student{n:04}/{F05}": WORK for n in range(490)})
    write(tmp_path, {f"doe{n}_{F05}": WORK for n in range(100, 110)})

    listed, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: listed.append(path) or scandir(path))

    class_ = handed_in(tmp_path)
    first = next(class_)
    assert listed == [tmp_path.resolve()]  # none of the students' folders
    write(tmp_path, {f"student0489/{F05}": OTHER})  # not read yet
    rest = [*class_]

    assert first == Submission("doe100", {EX05: WORK})
    assert rest[-1] == Submission("student0489", {EX05: OTHER})
    assert len(rest) == 499


def test_a_student_can_be_read_again(tmp_path: Path) -> None:
    (student,) = listing(write(tmp_path, {f"alice/{F05}": WORK}))

    assert read(student) == read(student) == Submission("alice", {EX05: WORK})
