"""Attacks with names: whatever students call their files, everybody keeps their own work."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from kata.errors import UserError
from kata.grading.collecting.names import name_parts
from kata.grading.collecting.places import Metadata, gradescope
from tests.helpers.handed_work import EX01, EX05, F01, F05, LAST, METADATA, OTHER, WORK, Files
from tests.helpers.handing_in import by_student, handed_in, only_student, write, zipped

DAY = "2026-03-01-10-00-00"
FAR = "2099-01-01-00-00-00"
JANE, MALLORY = f"masks_jane_attempt_{DAY}_", f"masks_mallory_attempt_{DAY}_"
BORROWED = (
    "the student's own part of the name looks like a file from {}; it does not say whose work this "
    "is: "
)


# What a student chooses comes after the first mark


@pytest.mark.parametrize(("jane", "mallory", "platform"), [
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
])  # fmt: skip
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


ALONE = [  # then two forms fit every name; the platform's own mark comes first
    [f"mallory_102_9002_x_jane_attempt_{FAR}_{F05}", f"mallory_102_9003_x_bob_attempt_{FAR}_x"],
    [f"mallory_102_9002_jane_101_assignsubmission_file_{F05}"],
    [f"{MALLORY}jane_101_9001_{F05}", f"{MALLORY}bob_103_9002_{F05}"],
    [f"anon_mallory_9001_jane_101_9001_{F05}"],
    [f"mallory_102_assignsubmission_file_x_jane_attempt_{FAR}_{F05}"],
]


@pytest.mark.parametrize("names", ALONE)
def test_nor_does_it_if_there_are_no_neighbours(tmp_path: Path, names: list[str]) -> None:
    assert only_student(write(tmp_path, dict.fromkeys(names, WORK))).student == "mallory"


# Each keeps their own work, whatever anybody has chosen

TWINS = "jаne", "ｊａｎｅ", "jane\u200b", "jane\u00ad", "ʝane"
FORMS = {"folders": "{}/", "Canvas": "{}_101_9001_", "Blackboard": f"masks_{{}}_attempt_{DAY}_"}
DOTTED = ".mallory_102_assignsubmission_file_"
OF_CANVAS = [f"doe{n}_{n}_{n}_{F05}" for n in (101, 102, 103)]
OF_BLACKBOARD = [f"{JANE}{F05}", f"{MALLORY}{F05}"]
GRADES = "grades.csv", "journal.jsonl", "results.json", "about.json"
JANE_DOES = "".join(
    f"submission_{n}:\n  :submitters:\n  - :name: Jane Doe\n    :sid: '7'\n" for n in (1, 2)
)
# Lines are read up to a limit; what comes after it is no line of its own.
LONG_LINE = f"submission_1:\n  :submitters:\n  - :name: Mallory\n{' ' * 4096}  - :name: Jane Doe\n"
# What is handed in; whose work it is, in order, and all that is said.
CLASSES: dict[str, tuple[Files, dict[str, Files], list[str]]] = {
    "only the platform says who was late": (
        {f"mallory_LATE_102_9002_{F05}": WORK, f"roe_103_9004_LATE_{F05}": WORK,
         f"mallory_LATE_102_9003_mallory_102_9999_{F01}": WORK},
        {"mallory": {EX01: WORK, EX05: WORK}, "roe": {}},
        ["handed in late",
         f"{BORROWED.format('Canvas')}mallory_LATE_102_9003_mallory_102_9999_{F01}",
         f"it contains no exercise; LATE_{F05} does not count for ex05: it defines nothing that "
         "ex05 asks for"]),
    "users of Blackboard whose names end alike": (
        {f"Masks_1_{name}_attempt_{DAY}_{F05}": work for name, work in
         (("j", LAST), ("jane_doe", WORK), ("john_doe", OTHER))},
        {"j": {EX05: LAST}, "jane_doe": {EX05: WORK}, "john_doe": {EX05: OTHER}}, []),
    # For Canvas, it would all be the work of one student, uploaded under one number.
    "numbers in the title of an assignment": (
        {f"Lab_1_2_jane_attempt_{DAY}_{F05}": WORK, f"Lab_1_2_john_attempt_{DAY}_{F05}": OTHER},
        {"jane": {EX05: WORK}, "john": {EX05: OTHER}}, []),
    **{f"{platform}: {twin!a} looks like jane": (
        {f"{form.format('jane')}{F05}": WORK, f"{form.format(twin)}{F05}": LAST},
        {"jane": {EX05: WORK}, twin: {EX05: LAST}}, [])
       for platform, form in FORMS.items() for twin in TWINS},
    # People may choose what Moodle calls them. macOS writes files that begin with `._`.
    "a name that begins with a dot": (
        {f"{DOTTED}/{F05}": WORK, f"._{DOTTED}/{F05}": OTHER, "._Store_1_2_x.py": b"",
         f"jane_101_assignsubmission_file_/{F05}": LAST},
        {".mallory": {EX05: WORK}, "jane": {EX05: LAST}}, []),
    "a number tells apart what differs in case only": (
        {f"Jane_101_9001_{F05}": WORK, f"jane_102_9002_{F05}": LAST},
        {"Jane (101)": {EX05: WORK}, "jane (102)": {EX05: LAST}}, []),
    "otherwise neither takes the other's mark": (
        {f"Jane/{F05}": WORK, f"jane/{F05}": LAST}, {"Jane": {}},
        ["handed in more than once, and the names do not tell which is later: Jane/, jane/ differ "
         "in ex05"]),
    "two platforms": (
        dict.fromkeys(OF_CANVAS + OF_BLACKBOARD, WORK),
        {name: {EX05: WORK} for name in
         ("doe101", "doe102", "doe103", *(name.removesuffix(f"_{F05}") for name in OF_BLACKBOARD))},
        [f"named as Blackboard names files, but Canvas named others here: {name}"
         for name in OF_BLACKBOARD]),
    "one folder among Canvas' files": (
        dict.fromkeys([*OF_CANVAS, f"jane/{F05}"], WORK),
        {name: {EX05: WORK} for name in ("doe101", "doe102", "doe103", "jane")},
        ["not named by Canvas, as most others here are: jane"]),
    "a file of Canvas among folders": (
        dict.fromkeys([OF_CANVAS[0], f"a/{F05}", f"b/{F05}"], WORK),
        {name: {EX05: WORK} for name in ("a", "b", "doe101")},
        [f"named as Canvas names files, as most others here are not: {OF_CANVAS[0]}"]),
    **{f"planted grades of {len(planted)} bytes": (
        {f"jane/{F05}": WORK, **{f"{student}/{name}": planted for student in ("jane", "bob")
                                 for name in GRADES}},
        {"bob": {}, "jane": {EX05: WORK}},
        ["it contains no exercise, only about.json, grades.csv, journal.jsonl and 1 more"])
       for planted in (b"", b'{"way": "?"}\n')},
    # People may choose what Gradescope calls them.
    "people with one name and number": (
        {"submission_metadata.yml": JANE_DOES.encode(), f"submission_1/{F05}": WORK,
         f"submission_2/{F05}": LAST},
        {f"Jane Doe (submission_{n})": {EX05: work} for n, work in ((1, WORK), (2, LAST))},
        [f"several submissions have the same name and number: submission_{n}" for n in (1, 2)]),
    "a long line of output": (
        {"submission_metadata.yml": LONG_LINE.encode(), f"submission_1/{F05}": WORK},
        {"Mallory": {EX05: WORK}}, []),
    "an archive with Canvas' files": (
        {"mallory.zip": zipped({f"jane_101_9001_{F05}": WORK, f"bob_102_9002_{F01}": OTHER}),
         f"jane/{F05}": LAST},
        {"jane": {EX05: LAST}, "mallory": {EX01: OTHER, EX05: WORK}},
        [f"bob_102_9002_{F01} counts as {F01}", f"jane_101_9001_{F05} counts as {F05}"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CLASSES)
def test_everybody_keeps_their_own_work(tmp_path: Path, case: str) -> None:
    files, works, notes = CLASSES[case]

    students = by_student(write(tmp_path, files))

    assert {name: work.files for name, work in students.items()} == works
    said = (note for work in students.values() for note in (*work.notes, work.problem))
    assert [*filter(None, said)] == notes


@pytest.mark.parametrize(("ahead", "noted"), [(-1, False), (2, True), (30_000, True)])
def test_a_date_in_the_future_is_told(tmp_path: Path, ahead: int, noted: bool) -> None:
    date = f"{datetime.now() + timedelta(days=ahead):%Y-%m-%d-%H-%M-%S}"
    name = f"masks_jane_attempt_{date}_{F05}"
    write(tmp_path, {f"{JANE}{F05}": WORK, name: OTHER, f"{MALLORY}{F05}": LAST})

    students = by_student(tmp_path)

    assert students["jane"].files == {EX05: OTHER}
    assert (f"its date is in the future: {name}" in students["jane"].notes) == noted
    assert students["mallory"].notes == ()


# Planted files and folders


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


PLANTED: list[tuple[Files, bool]] = [  # and whether it looks like an export
    ({f"doejane_101_9001_{F05}": WORK, f"roe_102_9002_{F01}": WORK}, True),
    ({f"A B_1_assignsubmission_file_/{F05}": WORK, "C D_2_assignsubmission_file_/x": b""}, True),
    ({f"{JANE}{F05}": WORK, f"masks_bob_attempt_{DAY}_{F01}": WORK}, True),
    ({"submission_metadata.yml": METADATA.encode(), f"submission_101/{F05}": WORK}, False),
    ({f"masks-jane/{F05}": WORK, "masks-jane/.git/x": b"", "masks-bob/.git/x": b""}, False),
    ({"submission_metadata.yml": METADATA.encode(), F05: WORK}, False),
]


@pytest.mark.parametrize(("planted", "is_like_export"), PLANTED)
def test_the_only_student_stays_one(tmp_path: Path, planted: Files, is_like_export: bool) -> None:
    """Whatever export the content looks like; an instructor is told what to do if it is one."""
    submission = only_student(write(tmp_path / "class" / "mallory", planted).parent)

    several = "several students; if it is one, grade"
    assert (submission.student, submission.files[EX05]) == ("mallory", WORK)
    assert sum(several in note for note in submission.notes) == is_like_export


def test_nothing_but_a_pipe_is_no_class(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "submission_metadata.yml")

    with pytest.raises(UserError, match="holds nothing that could be a submission"):
        handed_in(tmp_path)


def test_metadata_of_gradescope_are_read_line_by_line(tmp_path: Path) -> None:
    odd = 'submission_9:\n  :submitters:\n  - :name: "x\\q"\n'
    write(tmp_path, {"submission_metadata.yml": f"{METADATA}{odd}".encode()})

    metadata = gradescope(tmp_path)

    time = "2024-05-01 10:00:00.000000000 -07:00"
    assert metadata["submission_101"] == Metadata(["Solo Student"], ["100"], time)
    assert metadata["submission_9"] == Metadata(["x\\q"])


def test_a_folder_with_small_numbers_was_not_named_by_canvas() -> None:
    assert name_parts("team_1_2_red", folder=True).student == "team_1_2_red"
    assert name_parts("doejohn_12345_678910_submission", folder=True).student == "doejohn"
    assert name_parts("alice_smith.zip").student == "alice_smith"
