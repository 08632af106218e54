"""Who handed in: every platform's export, folders and archives of any kind, and what is said."""

import os
import zipfile
from pathlib import Path

import pytest

from kata.errors import UserError
from kata.grading.collecting.names import fold
from kata.grading.collecting.students import Attribution, NamesTable, Notices, listing, read_names
from kata.grading.collecting.submissions import Submission, read
from tests.helpers.handed_work import (
    EX01,
    EX05,
    F01,
    F05,
    LAST,
    METADATA,
    OTHER,
    WORK,
    Files,
)
from tests.helpers.handing_in import (
    by_student,
    clone,
    drop_rights,
    folder_with_permissions,
    handed_in,
    only_student,
    tarred,
    write,
    zipped,
)

ONE = {F05: WORK}


@pytest.mark.usefixtures("reader_here")
@pytest.mark.parametrize(("name", "content"), [
    ("alice/{}", WORK), ("alice/homework/{}", WORK), ("alice/homework/exercises/{}", WORK),
    ("alice/exercises/{}", WORK), ("alice/submission.zip", zipped(ONE)),
    ("alice/submission.zip", zipped({f"exercises/{F05}": WORK})), ("alice.zip", zipped(ONE)),
    ("alice.zip", zipped(ONE, zipfile.ZIP_STORED)),
    ("alice.ZIP", zipped({f"homework/{F05}": WORK})),
    ("alice.zip", zipped({f"homework\\exercises\\{F05}": WORK})),
    ("alice.zip", zipped({f"./{F05}": WORK})), ("alice.tar", tarred(ONE, "w")),
    ("alice.tar.gz", tarred(ONE)), ("alice.tgz", tarred({f"homework/{F05}": WORK})),
    ("alice.tar.bz2", tarred(ONE, "w:bz2")), ("alice.tar.xz", tarred(ONE, "w:xz")),
    ("alice.zip", tarred(ONE)), ("alice.rar", zipped(ONE)), ("alice_{}", WORK),
    ("Alice - {}", WORK), ("alice_LATE_12_345_{}", WORK),
    ("alice_77_assignsubmission_file_/{}", WORK),
    ("alice_77_assignsubmission_file/submission.zip", zipped(ONE)),
])  # fmt: skip
def test_one_submission_among_others_and_alone(tmp_path: Path, name: str, content: bytes) -> None:
    name = name.format(F05)
    write(tmp_path / "class", {name: content, f"bob/{F01}": WORK})

    alice, bob = by_student(tmp_path / "class").values()

    assert (bob.student, bob.files) == ("bob", {EX01: WORK})
    assert (alice.student, alice.files) == ("Alice" if "A" in name[0] else "alice", {EX05: WORK})
    assert alice.notes == (("handed in late",) if "LATE" in name else ())
    if not name.startswith(("alice/homework", "alice/submission")):  # which are a class alone
        assert only_student(tmp_path / "class" / Path(name).parts[0]) == alice


def test_a_single_file_is_a_submission(tmp_path: Path) -> None:
    write(tmp_path, {F05: WORK})

    assert only_student(tmp_path / F05) == Submission(EX05, {EX05: WORK})


def test_a_relative_path_gives_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path / "alice", {F05: WORK}))

    assert only_student(Path()).student == "alice"


def nothing(student: str, file: str, number: str) -> Submission:
    return Submission(student, {}, problem=f"it contains no exercise, only {file}", id=number)


DATE = "2024-05-0{}-10-30-00"
EXPORTS: dict[str, tuple[Files, list[Submission]]] = {
    # As Canvas' content_zipper.rb writes it: all of a class in one folder, names without spaces.
    "submissions": (
        {f"doejohn_12345_678910_{F01}": WORK, f"doejohn_12345_678911_{EX05}-1.py": OTHER,
         f"roeanna_LATE_12346_678920_{F05}": WORK,
         "müllerzoë_12347_678930_submission-2.zip": zipped({"a.zip": zipped({F01: WORK})}),
         "poejane_12348_text.html": b"<p>I have no time.</p>",
         "coejim_12349_678940_essay.pdf": b"%PDF"},
        [nothing("coejim", "essay.pdf", "12349"),
         Submission("doejohn", {EX01: WORK, EX05: OTHER}, id="12345"),
         Submission("müllerzoë", {EX01: WORK}, id="12347"),
         nothing("poejane", "text.html", "12348"),
         Submission("roeanna", {EX05: WORK}, ("handed in late",), id="12346")],
    ),
    # An anonymous number may look like the number of a student.
    "submissions (1)": (
        {f"LATE_anon_x1Y2z_678950_{F05}": WORK, f"anon_12345_678951_{F05}": WORK},
        [Submission("12345", {EX05: WORK}), Submission("x1Y2z", {EX05: WORK}, ("handed in late",))],
    ),
    # As Moodle's downloader.php names folders; up to Moodle 4 with an underscore at the end.
    "CS1-Masks-77": (
        {f"Anna Müller_1234567_assignsubmission_file_/{F05}": WORK,
         "Anna Müller_1234567_assignsubmission_onlinetext_/onlinetext.html": b"<p>Hi!</p>",
         "Bob van der Berg_1234568_assignsubmission_file/my work.zip": zipped({F05: OTHER}),
         "Zoe Poe_1234569_assignsubmission_onlinetext_/onlinetext.html": b"<p>Sorry.</p>"},
        [Submission("Anna Müller", {EX05: WORK}, id="1234567"),
         Submission("Bob van der Berg", {EX05: OTHER}, id="1234568"),
         nothing("Zoe Poe", "onlinetext.html", "1234569")],
    ),
    "CS1-Masks-78": (
        {f"Anna Müller_1234567_assignsubmission_file_{F05}": WORK,
         f"Anna Müller_1234567_assignsubmission_file_{F01}": OTHER,
         "Bob Berg_1234568_assignsubmission_file_submission.zip": zipped({F05: OTHER})},
        [Submission("Anna Müller", {EX01: OTHER, EX05: WORK}, id="1234567"),
         Submission("Bob Berg", {EX05: OTHER}, id="1234568")],
    ),
    "assignment_8046601_export": (
        {**{f"submission_{n}/{F05}": WORK for n in range(101, 106)},
         "submission_metadata.yml": METADATA.encode()},
        [Submission("José Pair, Ann O'Pair", {EX05: WORK}, id="200, 201"),
         *(Submission(f"Solo Student ({n})", {EX05: WORK}, id=f"{n}") for n in (100, 300)),
         *(Submission(f"submission_{n}", {EX05: WORK}) for n in (104, 105))],
    ),
    "gradebook_masks": (
        {f"Masks_alice1_attempt_{DATE.format(1)}_{F05}": WORK,
         f"Masks_alice1_attempt_{DATE.format(3)}_{F05}": OTHER,
         f"Masks_alice1_attempt_{DATE.format(3)}.txt": b"Name: Alice (alice1)",
         f"Masks_bob_attempt_{DATE.format(2)}_mine.zip": zipped({F05: LAST})},
        [Submission("alice1", {EX05: OTHER}, (
            f"ex05 handed in more than once: {F05} is later, and counts, not {F05}",)),
         Submission("bob", {EX05: LAST})],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export(tmp_path: Path, name: str) -> None:
    files, submissions = EXPORTS[name]

    assert [*by_student(write(tmp_path / name, files)).values()] == submissions
    if name.endswith("_export"):
        assert [*by_student(tmp_path).values()] == submissions, "unpacked in a folder of its own"


def test_github_classroom_clones(tmp_path: Path) -> None:
    for name in ("masks-anna-m", "masks-bob"):
        clone(tmp_path / "masks-submissions", name, WORK)
        clone(tmp_path / "somewhere", name, WORK)

    students = by_student(tmp_path / "masks-submissions")

    assert students == by_student(tmp_path / "somewhere")
    (tmp_path / "here").mkdir()
    (tmp_path / "masks-submissions").rename(tmp_path / "here" / "masks-submissions")
    assert students == by_student(tmp_path / "here")
    assert students["anna-m"] == Submission("anna-m", {EX05: WORK})
    assert [*students] == ["anna-m", "bob"]


GROUPS = ["team (1)", "team (2)", "team-1", "team-2", "team_1", "team_2"]
CLASSES: dict[str, tuple[Files, list[str]]] = {
    "an exercise beside an export does not make it one submission": (
        {F05: LAST, f"doejohn_1_500_{F05}": WORK, f"roeanna_2_501_{F05}": OTHER},
        ["doejohn", EX05, "roeanna"],
    ),
    "Gradescope's names cannot be read": (
        {"submission_metadata.yml": b"\xff\xfe{]: nonsense\n  :submitters:\n",
         **{f"submission_{n}/{F05}": WORK for n in (1, 2)}}, ["submission_1", "submission_2"],
    ),
    "files that are not submissions are skipped": (
        {f"alice/{F05}": WORK, **dict.fromkeys(("grades.csv", "README.md", "index.html"), b""),
         **dict.fromkeys((".DS_Store", "__MACOSX/._alice", "Thumbs.db", "._alice.zip"), b"")},
        ["alice"],
    ),
    "a team has no number": (
        {f"{name}_assignsubmission_file_/{F05}": WORK for name in ("Red team", "Al_1")},
        ["Al", "Red team"],
    ),
    "two students with the same name are kept apart": (
        {f"doejohn_111_500_{F05}": WORK, f"DoeJohn_222_501_{F05}": OTHER, f"doejohn/{F05}": LAST,
         f"doejohn (111)_333_502_{F05}": LAST},
        ["doejohn", "doejohn (111)", "DoeJohn (222)", "doejohn (111) [2]"],
    ),
    "numbered groups are not repeated uploads": (
        {f"{name}.zip": zipped({F05: WORK}) for name in GROUPS}, GROUPS,
    ),
    "students are ordered by name": (
        {f"{name}/{F05}": WORK for name in ("bob", "Zoe", "alice", "Carl", "Émile")},
        ["alice", "bob", "Carl", "Zoe", "Émile"],
    ),
}  # fmt: skip


def test_who_is_in_a_class(tmp_path: Path) -> None:
    for at, (case, (files, names)) in enumerate(CLASSES.items()):
        students = [*by_student(write(tmp_path / str(at), files))]
        assert (case, students) == (case, names)
        assert len({*map(fold, students)}) == len(names), case


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    write(tmp_path / "class" / os.fsdecode(b"zo\xeb"), {F05: WORK})

    assert only_student(tmp_path / "class").files == {EX05: WORK}


def test_the_path_itself_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path / "class", {f"alice/{F05}": WORK})
    (tmp_path / "latest").symlink_to("class")

    assert [*by_student(tmp_path / "latest")] == ["alice"]


def test_a_class_folder_without_permission() -> None:
    with folder_with_permissions() as folder:
        write(folder, {f"class/alice/{F05}": WORK})
        (folder / "class").chmod(0)
        drop_rights()

        with pytest.raises(UserError, match="class: cannot be read: Permission denied"):
            handed_in(folder / "class")


@pytest.mark.parametrize(("path", "message"), [
    ("submisions", "submisions does not exist; did you mean `submissions`?"),
    ("submisions/week1", "submisions/week1 does not exist; did you mean `submissions`?"),
    ("nothing/like/it", "nothing/like/it does not exist"),
    ("list.csv", "list.csv is neither a folder nor a zip, a tar, a Python file or a notebook"),
    ("pipe", "pipe is neither a folder nor a zip, a tar, a Python file or a notebook"),
    ("list.csv/x", "list.csv/x: cannot be read: Not a directory"),
    ("circle", "circle: cannot be read: "),
    ("empty", "empty holds nothing that could be a submission: expected a folder, a zip or a tar "
     "for each student, or one student's files, named like ex01_softmax.py"),
])  # fmt: skip
def test_a_wrong_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, message: str
) -> None:
    write(tmp_path, {f"submissions/alice/{F05}": WORK, "list.csv": b"", "empty/grades.csv": b""})
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UserError) as caught:
        handed_in(Path(path))

    assert str(caught.value).replace(f"{tmp_path}/", "").startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("files", [
    {f"doejohn_1_500_{F05}": WORK, f"roeanna_2_501_{F05}": WORK, "__MACOSX/._x": b""},
    {f"A B_1_assignsubmission_file_/{F05}": WORK, "C D_2_assignsubmission_file_/x": WORK},
    {"assignment_8_export/submission_metadata.yml": METADATA.encode(),
     f"assignment_8_export/submission_101/{F05}": WORK,
     f"assignment_8_export/submission_102/{F05}": WORK},
])  # fmt: skip
@pytest.mark.usefixtures("reader_here")
def test_a_tar_of_a_class_has_to_be_unpacked(tmp_path: Path, files: Files) -> None:
    """No platform exports one."""
    write(tmp_path, {"all.tgz": tarred(files)})

    with pytest.raises(UserError, match=r"all.tgz holds the work of 2 students: unpack it, and"):
        handed_in(tmp_path / "all.tgz")


# What an instructor says about whose work it is: `--names`, `--resubmissions`


def attributed(
    tmp_path: Path, files: Files, table: str = "", **said: bool
) -> dict[str, Submission]:
    names = NamesTable()
    if table:
        names = read_names(write(tmp_path, {"names.csv": table.encode()}) / "names.csv")
    told.clear()
    notices = Notices(notes=told, undecided=told)
    everybody = listing(write(tmp_path / "class", files), None, Attribution(names, **said), notices)
    students = [read(student) for student in everybody]
    return {submission.student: submission for submission in students}


told: list[str] = []
MOODLE = "{}_{}_assignsubmission_file_/{}"
TWO = {f"Wei Zhang/{F05}": WORK, f"Wei Zhang (2)/{F05}": OTHER}
UPLOADS = {"wei.zip": zipped({F05: WORK}), "wei (2).zip": zipped({F05: OTHER})}
NAMED = {"jd77/" + F05: WORK, "b/" + F05: LAST}
HEAD = "handed_in,student\n"
# What is handed in, the table, what else is said; whose it is then, and what the instructor reads.
ATTRIBUTED: dict[str, tuple[Files, str, bool, dict[str, Files], list[str]]] = {
    "two folders are two people": (
        TWO, "", False, {"Wei Zhang": {EX05: WORK}, "Wei Zhang (2)": {EX05: OTHER}},
        ["taken for people of their own, in spite of the number at the end: Wei Zhang (2); with "
         "--resubmissions such folders are later hand-ins of the same person"]),
    "they are one if the instructor says so": (TWO, "", True, {"Wei Zhang": {EX05: OTHER}}, []),
    **{f"numbers of files are those of a browser, {said}":
       (UPLOADS, "", said, {"wei": {EX05: OTHER}}, []) for said in (True, False)},
    "people by what they handed in": (
        {f"jd77/{F05}": WORK, "final version.zip": zipped({F05: OTHER}), "hw.py": b"",
         f"somebody_102_assignsubmission_file_/{F01}": WORK, f"zoe/{F05}": WORK},
        "handed_in,section,student\njd77,A,Jane Doe\nfinal version.zip,A,Wei Zhang\n"
        'hw,B,Ann Roe\n102,B,"Bob, Jr."\n', False,
        {"Ann Roe": {}, "Bob, Jr.": {EX01: WORK}, "Jane Doe": {EX05: WORK},
         "Wei Zhang": {EX05: OTHER}, "zoe": {EX05: WORK}}, []),
    **{f"any common CSV, {table[:9]}": (NAMED, table, False,
                                        {"b": {EX05: LAST}, "Jané Doe": {EX05: WORK}}, [])
       for table in ("HANDED_IN;Student\nJD77;Jané Doe\n",
                     "\ufeffhanded_in\tstudent\njd77/\tJané Doe\n\n")},
    "one person under several names": (
        {f"jd77/{F05}": WORK, f"jane_p/{F01}": OTHER}, f"{HEAD}jd77,Jane\njane_p,Jane\n", False,
        {"Jane": {EX01: OTHER, EX05: WORK}}, []),
    "of several numbers of one person none counts": (
        {MOODLE.format("jane", 101, F05): WORK, MOODLE.format("jd", 102, F01): WORK},
        f"{HEAD}101,Jane\n102,Jane\n", False, {"Jane": {EX01: WORK, EX05: WORK}}, []),
    "unknown names are told once": (
        NAMED, HEAD + "".join(f"x{n},Person {n}\n" for n in range(7)), False,
        {"b": {EX05: LAST}, "jd77": {EX05: WORK}},
        ["{}/names.csv names what was not handed in: x0, x1, x2 and 4 more"]),
}  # fmt: skip


@pytest.mark.parametrize("case", ATTRIBUTED)
def test_whose_work_it_is(tmp_path: Path, case: str) -> None:
    files, table, resubmissions, works, notes = ATTRIBUTED[case]

    students = attributed(tmp_path, files, table, resubmissions=resubmissions)

    assert {name: work.files for name, work in students.items()} == works
    assert told == [note.format(tmp_path) for note in notes]
    assert [work.id for work in students.values() if work.id] == ["102"] * ("Bob, Jr." in works)
    if case == "two folders are two people":  # students read these notes
        assert not any(work.notes for work in students.values())


@pytest.mark.parametrize(("table", "message"), [
    ("handed_in,student\na,Jane\nA,John\n", "a is Jane in line 2 and John in line 3"),
    ("handed_in,student\na_101_assignsubmission_file_,Jane\n101,John\n",
     "a_101_assignsubmission_file_ is Jane in line 2 and John in line 3"),
    ("handed_in,student\na,\n", "line 2: a cell is empty"),
    ("handed_in,student\na\n", "line 2: a cell is empty"),
    ("file,student\na,b\n", "needs the columns handed_in and student"),
    ("", "is empty: expected a table, saved as CSV"),
])  # fmt: skip
def test_a_bad_table_is_one_line(tmp_path: Path, table: str, message: str) -> None:
    write(tmp_path, {"names.csv": table.encode()})
    files = {MOODLE.format("a", 101, F05): WORK, MOODLE.format("b", 102, F05): WORK}

    with pytest.raises(UserError, match=r"names\.csv") as caught:
        listing(
            write(tmp_path / "class", files), None, Attribution(read_names(tmp_path / "names.csv"))
        )

    assert message in str(caught.value).replace("A is", "a is")
    assert "\n" not in str(caught.value)


def test_a_name_that_two_people_share_is_refused(tmp_path: Path) -> None:
    files = {f"Wei Zhang_{n}_assignsubmission_file_/{F05}": WORK for n in (101, 102)}

    with pytest.raises(UserError, match="several people are called Wei Zhang; name them by number"):
        attributed(tmp_path, files, "handed_in,student\nWei Zhang,Wei A. Zhang\n")

    students = attributed(tmp_path, files, "handed_in,student\n101,Wei A. Zhang\n")
    assert [*students] == ["Wei A. Zhang", "Wei Zhang"]
