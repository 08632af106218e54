"""Which file counts for each exercise in one folder or archive, and in several; what is noted."""

import io
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kata.__main__ import main
from kata.course.curriculum import ROOT, exercises
from kata.course.source import LARGEST
from kata.grading.collecting.submissions import Submission, listing, read
from tests.helpers.handed_work import (
    EX01,
    EX05,
    EX07,
    F01,
    F05,
    F07,
    LAST,
    MIB,
    OTHER,
    STUB,
    WORK,
    Files,
)
from tests.helpers.handing_in import (
    by_student,
    check,
    clone,
    from_archive,
    from_folder,
    handed_in,
    only_student,
    tarred,
    write,
    zipped,
)
from tests.helpers.learner_folder import Learner
from tests.helpers.sampling import everything


def test_work_at_the_top_of_a_clone_wins_over_the_stub_below(tmp_path: Path) -> None:
    clone(tmp_path, "alice", STUB)
    write(tmp_path / "alice", {F05: OTHER})

    assert only_student(tmp_path / "alice") == Submission("alice", {EX05: OTHER})


def test_the_exercises_in_a_zip_of_the_whole_kata_count(tmp_path: Path) -> None:
    clone(tmp_path, "kata", WORK)
    shutil.make_archive(str(tmp_path / "class" / "alice"), "zip", tmp_path, "kata")
    write(tmp_path / "class", {f"bob/{F01}": WORK})

    assert by_student(tmp_path / "class")["alice"] == Submission("alice", {EX05: WORK})


def test_this_repository_is_a_submission(tmp_path: Path) -> None:
    """Without most of its tests, unless all is tried."""
    folder = ROOT
    if not everything():
        folder = tmp_path / "attention-kata"
        left_out = shutil.ignore_patterns(".*", "__pycache__", "specimens", "accepted", "kata")
        shutil.copytree(ROOT, folder, ignore=left_out)

    submission = only_student(folder)

    assert [*submission.files] == [*exercises()]
    assert submission.files[EX05] == exercises()[EX05].stub.read_bytes()
    assert submission.notes == ()


TWICE = f"{F05} was found more than once"
CANVAS = f"doejohn_123_500_{F05}", f"doejohn_123_501_{EX05}-1.py"
JUNK = {
    F05: WORK, f"__MACOSX/._{F05}": OTHER, f"__MACOSX/{F05}": OTHER, f"._{F05}": OTHER,
    ".DS_Store": OTHER, "Thumbs.db": OTHER, f".ipynb_checkpoints/{F05}": OTHER,
    f".venv/{F05}": OTHER, f"venv/lib/{F05}": OTHER, f"__pycache__/{F05}": OTHER,
    f".kata/before-update.1/{F05}": OTHER, "ex05_causal_masks.1.bak": OTHER, "notes.txt": OTHER,
}  # fmt: skip


@pytest.mark.parametrize(("files", "notes"), [
    *(({F05: WORK, other: OTHER}, [f"{TWICE}: {F05} counts, not {other}"])
      for other in (f"old/{F05}", f"{EX05} (1).py", "EX05_causal_masks.py")),
    ({f"a/{F05}": WORK, "mine.zip": zipped({F05: OTHER})},
     [f"{TWICE}: a/{F05} counts, not mine.zip/{F05}"]),
    ({"submission.zip": zipped({F05: OTHER}), "submission.1.zip": zipped({F05: WORK})},
     [f"{TWICE}: submission.1.zip/{F05} counts, not submission.zip/{F05}"]),
    ({CANVAS[0]: OTHER, CANVAS[1]: WORK},
     [f"{TWICE}: {CANVAS[1]} counts, not {CANVAS[0]}", f"{CANVAS[1]} counts as {F05}"]),
    *(({name: WORK}, [f"{name} counts as {F05}"])
      for name in (f"{F05}.txt", f"{EX05} (1).py", "Ex05_Causal_masks.py")),
    ({F05: WORK, "ex06_causal_atention.py": WORK},
     ["ex06_causal_atention.py does not count for ex06: it defines nothing that ex06 asks for"]),
    ({F05: WORK, "ex66_causal_attention.py": WORK},
     ["ex66_causal_attention.py is not the name of an exercise; "
      "did you mean `ex06_causal_attention`?"]),
    ({F05: WORK, **{f"ex05_{n}.py": b"" for n in range(1_000)}}, ["…"] * len(exercises())),
    *((files, []) for files in (
        {F05: WORK, f"old/{F05}": WORK}, {F05: WORK, f"{EX05} (1).py": WORK[:-1] + b"\r\n"},
        {F05: STUB, f"old/{F05}": WORK}, {F05: WORK, "mine.zip": zipped({F05: WORK})}, JUNK,
    )),
], ids=range(17))  # fmt: skip
def test_a_note_tells_which_file_counts(tmp_path: Path, files: Files, notes: list[str]) -> None:
    """And there is none if all copies agree, or about what no student has written."""
    check(from_folder(tmp_path / "folder", files), {EX05: WORK}, *notes)
    check(from_archive(tmp_path / "zip", zipped(files)), {EX05: WORK}, *notes)
    check(from_archive(tmp_path / "tar", tarred(files), "alice.tgz"), {EX05: WORK}, *notes)


def test_neither_of_two_differing_files_counts_if_nothing_ranks_them(tmp_path: Path) -> None:
    told = f"{TWICE} with different content, so none counts: a/{F05}, b/{F05}"

    assert from_folder(tmp_path, {f"a/{F05}": WORK, f"b/{F05}": OTHER, F01: WORK}) == Submission(
        "alice", {EX01: WORK}, (told,), unread={EX05: told}
    )


def test_neither_file_counts_if_a_zip_has_the_name_twice(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(F01, WORK)
        archive.writestr(F05, WORK)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(F05, OTHER)

    submission = from_archive(tmp_path, content.getvalue())

    assert submission.files == {EX01: WORK}
    assert submission.notes[0].endswith(f"so none counts: {F05}")


NOTHING = "it contains no exercise"


def test_a_submission_without_exercises_says_what_it_holds(tmp_path: Path) -> None:
    write(tmp_path, {f"bob/{F01}": WORK, "carl/a.txt": b"", "dora/ex05.py": WORK})
    write(tmp_path, {f"eve/{n}.txt": b"" for n in "abcde"})
    write(tmp_path, {"gil.py": WORK, "hal.ipynb": b"{}"})
    (tmp_path / "alice").mkdir()

    students = by_student(tmp_path)

    assert students.pop("bob").files == {EX01: WORK}
    for student, problem in {
        "alice": NOTHING, "carl": f"{NOTHING}, only a.txt",
        "dora": f"{NOTHING}; ex05.py does not count for ex05: it defines nothing…",
        "eve": f"{NOTHING}, only a.txt, b.txt, c.txt and 2 more", "gil": f"{NOTHING}, only gil.py",
        "hal": f"{NOTHING}; not read: hal.ipynb: …",
    }.items():  # fmt: skip
        check(students[student], {}, problem)


def test_a_hostile_name_is_shown_in_one_short_line(tmp_path: Path) -> None:
    names = ["a\nb.txt", "\x1b[2J", "\u202egpj.exe", "x" * 500]

    check(from_archive(tmp_path, zipped(dict.fromkeys(names, b""))), {},
          f"{NOTHING}, only a\\nb.txt, \\x1b[2J, \\u202egpj.exe and 1 more")  # fmt: skip


def test_files_that_are_not_python_are_left_to_the_judge(tmp_path: Path) -> None:
    for content in (b"", b"def softmax(\n", b"# coding: klingon\n"):
        files = {F05: content}
        expected = Submission("alice", {EX05: content})

        assert only_student(write(tmp_path / "alice", files)) == expected
        for pack in (zipped, tarred):
            assert from_archive(tmp_path / "packed", pack(files)) == expected


def test_a_large_file_is_cut_one_byte_over_the_limit(tmp_path: Path) -> None:
    files = {F05: bytes(LARGEST + 10), F01: bytes(LARGEST)}

    for submission in (
        only_student(write(tmp_path / "alice", files)),
        from_archive(tmp_path / "zip", zipped(files)),
        from_archive(tmp_path / "tar", tarred(files)),
    ):
        assert len(submission.files[EX05]) == LARGEST + 1
        assert len(submission.files[EX01]) == LARGEST


def test_too_many_copies_of_an_exercise_are_refused(tmp_path: Path, limits: dict[str, int]) -> None:
    most = limits["work"]
    files = {f"{n}/{F05}": bytes(LARGEST) for n in range((most + 1) * MIB // LARGEST)}

    assert from_archive(tmp_path, zipped(files)).problem == f"it unpacks to more than {most} MiB"


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_path_that_leads_out_of_the_archive_is_not_read(
    tmp_path: Path, pack: Callable[[Files], bytes]
) -> None:
    for out in ("../", "a/../../", "/tmp/", "..\\", "C:\\", "C:"):
        name = f"{out}{F05}"
        line = f"not read: {name}: its path leads out of the archive"

        assert from_archive(tmp_path / "1", pack({name: WORK, F01: OTHER})) == Submission(
            "alice", {EX01: OTHER}, (line,), unread={EX05: line}
        )
        assert from_archive(tmp_path / "2", pack({name: WORK})).problem == (
            f"it contains no exercise; {line}"
        )


# Several places of one student


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
    # Canvas numbers uploads; the second one of `submission.zip` it calls `submission-1.zip`.
    ({"doejohn_12345_678910_submission.zip": zipped({F01: WORK, F05: WORK, F07: WORK}),
      "doejohn_LATE_12345_678990_submission-1.zip": zipped({F01: OTHER, F05: OTHER}),
      f"doejohn_LATE_12345_678995_{F05}": LAST},
     Submission("doejohn", {EX01: OTHER, EX05: LAST, EX07: WORK}, (
         "handed in late",
         "ex01 handed in more than once: submission-1.zip is later, and counts, not submission.zip",
         f"ex05 handed in more than once: {F05} is later, and counts, not submission.zip, "
         "submission-1.zip"), id="12345")),
]  # fmt: skip


@pytest.mark.parametrize(("files", "submission"), ALONE, ids=[
    "a browser's number is later", "two places that agree", "a damaged archive beside other files",
    "a later stub replaces no work", "a stub alone is handed in", "later uploads",
])  # fmt: skip
def test_what_counts_of_one_student(tmp_path: Path, files: Files, submission: Submission) -> None:
    """Also if it is read again."""
    (student,) = listing(write(tmp_path, files))

    assert read(student) == read(student) == submission


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
