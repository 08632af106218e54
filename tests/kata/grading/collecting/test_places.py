"""Attacks with names: whatever students call their files, everybody keeps their own work."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from kata.errors import UserError
from kata.grading.collecting.submissions import Submission
from tests.helpers.handed_work import EX01, EX05, F01, F05, LAST, METADATA, OTHER, WORK
from tests.helpers.handing_in import by_student, handed_in, only_student, write, zipped

DAY = "2026-03-01-10-00-00"
FAR = "2099-01-01-00-00-00"
JANE, MALLORY = f"masks_jane_attempt_{DAY}_", f"masks_mallory_attempt_{DAY}_"
BORROWED = (
    "the student's own part of the name looks like a file from {}; it does not say whose work this "
    "is: "
)


def work_of(path: Path) -> dict[str, dict[str, bytes]]:
    return {name: dict(submission.files) for name, submission in by_student(path).items()}


# What a student chooses comes after the first mark


@pytest.mark.parametrize(
    ("jane", "mallory", "platform"),
    [
        (JANE, f"{MALLORY}x_jane_attempt_{FAR}_", "Blackboard"),
        (JANE, f"{MALLORY}x_jane_attempt_{DAY}_", "Blackboard"),
        (JANE, f"{MALLORY}jane_101_9999_", "Canvas"),
        (JANE, f"{MALLORY}Jane Doe_101_assignsubmission_file_", "Moodle"),
        ("jane_101_9001_", f"mallory_102_9002_x_jane_attempt_{FAR}_", "Blackboard"),
        ("jane_101_9001_", "mallory_102_9002_jane_101_assignsubmission_file_", "Moodle"),
        ("jane_101_9001_", "mallory_102_9002_jane_101_9999_", "Canvas"),
        ("jane_101_9001_", "mallory_LATE_102_9002_anon_jane_9999_", "Canvas (anonymous)"),
        ("anon_jane_9001_", f"anon_mallory_9002_x_jane_attempt_{FAR}_", "Blackboard"),
        ("anon_jane_9001_", "anon_mallory_9002_jane_101_9999_", "Canvas"),
        ("jane_101_assignsubmission_file_",
         f"mallory_102_assignsubmission_file_x_jane_attempt_{FAR}_", "Blackboard"),
        ("jane_101_assignsubmission_file_",
         "mallory_102_assignsubmission_file_jane_101_assignsubmission_file_", "Moodle"),
    ],
)  # fmt: skip
def test_a_name_does_not_take_over_a_neighbour(
    tmp_path: Path, jane: str, mallory: str, platform: str
) -> None:
    """Also if the student with that name hands in more files than everybody else."""
    names = [f"{mallory}{F01}", *(f"{mallory}{n}_{F05}" for n in range(5))]
    write(tmp_path, {f"{jane}{F05}": WORK, **dict.fromkeys(names, LAST)})

    students = by_student(tmp_path)

    assert [*students] == ["jane", "mallory"]
    assert (students["jane"].files, students["jane"].notes) == ({EX05: WORK}, ())
    assert students["mallory"].files == {EX01: LAST}
    assert any(note.startswith(BORROWED.format(platform)) for note in students["mallory"].notes)


def test_nor_does_it_if_there_are_no_neighbours(tmp_path: Path) -> None:
    """Then two forms fit every name; the platform's own mark comes first."""
    for at, names in enumerate((
        [f"mallory_102_9002_x_jane_attempt_{FAR}_{F05}", f"mallory_102_9003_x_bob_attempt_{FAR}_x"],
        [f"mallory_102_9002_jane_101_assignsubmission_file_{F05}"],
        [f"{MALLORY}jane_101_9001_{F05}", f"{MALLORY}bob_103_9002_{F05}"],
        [f"anon_mallory_9001_jane_101_9001_{F05}"],
        [f"mallory_102_assignsubmission_file_x_jane_attempt_{FAR}_{F05}"],
    )):  # fmt: skip
        submission = only_student(write(tmp_path / str(at), dict.fromkeys(names, WORK)))
        assert (names, submission.student) == (names, "mallory")


def test_a_name_cannot_change_who_was_late(tmp_path: Path) -> None:
    write(tmp_path, {
        f"mallory_LATE_102_9002_{F05}": WORK, f"mallory_LATE_102_9003_mallory_102_9999_{F01}": WORK,
        f"roe_103_9004_LATE_{F05}": WORK,
    })  # fmt: skip

    students = by_student(tmp_path)

    assert students["mallory"].notes[0] == "handed in late"
    assert "handed in late" not in students["roe"].notes


# What a platform or a teacher chooses


def test_users_of_blackboard_whose_names_end_alike(tmp_path: Path) -> None:
    names = {"jane_doe": WORK, "john_doe": OTHER, "j": LAST}
    write(tmp_path, {f"Masks_1_{n}_attempt_{DAY}_{F05}": work for n, work in names.items()})

    assert work_of(tmp_path) == {name: {EX05: work} for name, work in sorted(names.items())}


def test_numbers_in_the_title_of_an_assignment(tmp_path: Path) -> None:
    """For Canvas, it would all be the work of one student, uploaded under one number."""
    names = {"jane": WORK, "john": OTHER}
    write(tmp_path, {f"Lab_1_2_{n}_attempt_{DAY}_{F05}": work for n, work in names.items()})

    assert work_of(tmp_path) == {name: {EX05: work} for name, work in names.items()}


def test_a_name_that_begins_with_a_dot(tmp_path: Path) -> None:
    """People may choose what Moodle calls them. macOS writes files that begin with `._`."""
    name = ".mallory_102_assignsubmission_file_"
    write(tmp_path, {f"{name}/{F05}": WORK, f"._{name}/{F05}": OTHER, f".DS_Store_1_2_{F05}": b""})
    write(tmp_path, {f"jane_101_assignsubmission_file_/{F05}": LAST})

    students = by_student(tmp_path)

    assert students[".mallory"].files == {EX05: WORK}
    assert students["jane"].files == {EX05: LAST}
    assert not any(name.startswith("._") for name in students)


@pytest.mark.parametrize("form", ["{}/", "{}_101_9001_", f"masks_{{}}_attempt_{DAY}_"])
def test_names_that_look_alike_are_two_students(tmp_path: Path, form: str) -> None:
    for at, twin in enumerate(["jаne", "ｊａｎｅ", "jane\u200b", "jane\u00ad", "ʝane"]):
        files = {f"{form.format('jane')}{F05}": WORK, f"{form.format(twin)}{F05}": LAST}
        folder = write(tmp_path / str(at), files)

        assert work_of(folder) == {"jane": {EX05: WORK}, twin: {EX05: LAST}}


def test_names_that_differ_in_case_only(tmp_path: Path) -> None:
    """A platform's number tells them apart; otherwise neither takes the other's mark."""
    write(tmp_path / "canvas", {f"Jane_101_9001_{F05}": WORK, f"jane_102_9002_{F05}": LAST})
    write(tmp_path / "folders", {f"Jane/{F05}": WORK, f"jane/{F05}": LAST})

    assert work_of(tmp_path / "canvas") == {"Jane (101)": {EX05: WORK}, "jane (102)": {EX05: LAST}}
    assert only_student(tmp_path / "folders").problem == (
        "handed in more than once, and the names do not tell which is later: "
        "Jane/, jane/ differ in ex05"
    )


@pytest.mark.parametrize(("ahead", "noted"), [(-1, False), (2, True), (30_000, True)])
def test_a_date_in_the_future_is_told(tmp_path: Path, ahead: int, noted: bool) -> None:
    date = f"{datetime.now() + timedelta(days=ahead):%Y-%m-%d-%H-%M-%S}"
    name = f"masks_jane_attempt_{date}_{F05}"
    write(tmp_path, {f"{JANE}{F05}": WORK, name: OTHER, f"{MALLORY}{F05}": LAST})

    students = by_student(tmp_path)

    assert students["jane"].files == {EX05: OTHER}
    assert (f"its date is in the future: {name}" in students["jane"].notes) == noted
    assert students["mallory"].notes == ()


# Several forms in one folder


def test_two_platforms_in_one_folder_are_told(tmp_path: Path) -> None:
    canvas = {f"doe{n}_{n}_{n}_{F05}": WORK for n in (101, 102, 103)}
    blackboard = {f"{JANE}{F05}": OTHER, f"{MALLORY}{F05}": LAST}
    write(tmp_path, {**canvas, **blackboard})

    students = by_student(tmp_path)

    assert sorted(submission.files[EX05] for submission in students.values()) == [
        WORK,
        WORK,
        WORK,
        OTHER,
        LAST,
    ]
    assert [submission.notes for submission in students.values()] == [
        *[()] * 3,
        *((f"named as Blackboard names files, but Canvas named others here: {name}",)
          for name in blackboard),
    ]  # fmt: skip


def test_the_rarer_form_in_a_folder_is_told(tmp_path: Path) -> None:
    canvas = [f"doe{n}_{n}_{n}_{F05}" for n in (101, 102, 103)]
    write(tmp_path / "1", {**dict.fromkeys(canvas, WORK), f"jane/{F05}": OTHER})
    write(tmp_path / "2", {canvas[0]: WORK, **{f"{name}/{F05}": OTHER for name in "abc"}})

    first, second = by_student(tmp_path / "1"), by_student(tmp_path / "2")

    assert first.pop("jane").notes == ("not named by Canvas, as most others here are: jane",)
    assert second.pop("doe101").notes == (
        f"named as Canvas names files, as most others here are not: {canvas[0]}",
    )
    assert not any(submission.notes for submission in (*first.values(), *second.values()))


# Planted files and folders


@pytest.mark.parametrize("planted", [b"", b'{"way": "?"}\n'])
def test_planted_grades_hide_nobody(tmp_path: Path, planted: bytes) -> None:
    names = ("grades.csv", "journal.jsonl", "results.json", "about.json")
    write(tmp_path, {f"{student}/{name}": planted for student in ("jane", "bob") for name in names})
    write(tmp_path, {f"jane/{F05}": WORK})

    students = by_student(tmp_path)

    assert students["jane"] == Submission("jane", {EX05: WORK})
    assert students["bob"].problem == (
        "it contains no exercise, only about.json, grades.csv, journal.jsonl and 1 more"
    )


@pytest.mark.parametrize("place", ["class/submission_metadata.yml", "class/jane/exercises",
                                   "class/jane/submission_metadata.yml",
                                   f"class/{F01}"])  # fmt: skip
def test_a_pipe_is_not_waited_for(tmp_path: Path, place: str) -> None:
    write(tmp_path, {f"class/jane/{F05}": WORK, f"class/bob/{F05}": OTHER})
    os.mkfifo(tmp_path / place)

    students = by_student(tmp_path / "class")

    if place == f"class/{F01}":  # the folder then looks like one student's work
        assert students["class"].files == {}
    else:
        assert {"bob", "jane"} == {*students}
        assert students["jane"].files == {EX05: WORK}


def test_the_only_student_stays_one(tmp_path: Path) -> None:
    """Whatever export the content looks like; an instructor is told what to do if it is one."""
    for at, planted in enumerate((
        {f"doejane_101_9001_{F05}": WORK, f"roe_102_9002_{F01}": WORK},
        {f"A B_1_assignsubmission_file_/{F05}": WORK, "C D_2_assignsubmission_file_/x": b""},
        {f"{JANE}{F05}": WORK, f"masks_bob_attempt_{DAY}_{F01}": WORK},
        {"submission_metadata.yml": METADATA.encode(), f"submission_101/{F05}": WORK},
        {f"masks-jane/{F05}": WORK, "masks-jane/.git/x": b"", "masks-bob/.git/x": b""},
    )):  # fmt: skip
        submission = only_student(write(tmp_path / str(at) / "mallory", planted).parent)

        assert (submission.student, submission.files[EX05]) == ("mallory", WORK), [*planted]
        told = [
            note for note in submission.notes if "several students; if it is one, grade" in note
        ]
        is_like_one = any("_101_" in name or "_1_" in name or DAY in name for name in planted)
        assert len(told) == is_like_one, [*planted]


def test_metadata_do_not_hide_the_files_beside_them(tmp_path: Path) -> None:
    write(tmp_path / "mallory", {"submission_metadata.yml": METADATA.encode(), F05: WORK})

    assert only_student(tmp_path / "mallory") == Submission("mallory", {EX05: WORK})


def test_submissions_of_people_with_one_name_and_number_stay_apart(tmp_path: Path) -> None:
    """People may choose what Gradescope calls them."""
    people = "".join(
        f"submission_{n}:\n  :submitters:\n  - :name: Jane Doe\n    :sid: '7'\n" for n in (1, 2)
    )
    write(tmp_path, {"submission_metadata.yml": people.encode()})
    write(tmp_path, {f"submission_1/{F05}": WORK, f"submission_2/{F05}": LAST})

    students = by_student(tmp_path)

    assert {name: submission.files[EX05] for name, submission in students.items()} == {
        "Jane Doe (submission_1)": WORK,
        "Jane Doe (submission_2)": LAST,
    }
    assert [submission.notes for submission in students.values()] == [
        (f"several submissions have the same name and number: submission_{n}",) for n in (1, 2)
    ]


def test_a_long_line_of_output_names_nobody(tmp_path: Path) -> None:
    """Lines of metadata are read up to a limit; what comes after it is no line of its own."""
    forged = b"  - :name: Jane Doe"
    output = b"  :submitters:\n  - :name: Mallory\n" + b" " * 4096 + forged + b"\n"
    write(tmp_path, {"submission_metadata.yml": b"submission_1:\n" + output})
    write(tmp_path, {f"submission_1/{F05}": WORK})

    assert only_student(tmp_path).student == "Mallory"


def test_an_archive_of_canvas_files_is_still_no_class_for_a_folder(tmp_path: Path) -> None:
    content = zipped({f"jane_101_9001_{F05}": WORK, f"bob_102_9002_{F01}": OTHER})
    write(tmp_path, {"mallory.zip": content, f"jane/{F05}": LAST})

    students = by_student(tmp_path)

    assert [*students] == ["jane", "mallory"]
    assert students["jane"].files == {EX05: LAST}
    assert students["mallory"].files == {EX05: WORK, EX01: OTHER}


def test_nothing_but_a_pipe_is_no_class(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "submission_metadata.yml")

    with pytest.raises(UserError, match="holds nothing that could be a submission"):
        handed_in(tmp_path)
