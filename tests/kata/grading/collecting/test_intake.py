"""What students hand in, as learning platforms give it out: all of it is taken, nothing ends it."""

import bz2
import gzip
import io
import lzma
import os
import random
import shutil
import socket
import struct
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from kata.__main__ import main
from kata.course.curriculum import ROOT, exercises
from kata.course.source import LARGEST
from kata.course.stubs import stub
from kata.grading.collecting import archives, folders
from kata.grading.collecting.names import fold, label, label_of_folder, number, slug_of, submitters
from kata.grading.collecting.submissions import HandedIn, IntakeError, handed_in, listing, read
from tests.kata.learner_folder import Learner

EX01, EX05, EX07 = "ex01_softmax", "ex05_causal_masks", "ex07_heads"
F01, F05, F07 = f"{EX01}.py", f"{EX05}.py", f"{EX07}.py"
WORK, OTHER, LAST = b"work = 1\n", b"work = 2\n", b"work = 3\n"
STUB = stub(exercises()[EX05]).encode()
Files = Mapping[str, bytes]
MIB = 1 << 20


def write(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def zipped(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, each in files.items():
            archive.writestr(name, each)
    return content.getvalue()


def tarred(files: Files, mode: str = "w:gz") -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:
        for name, each in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(each)
            archive.addfile(member, io.BytesIO(each))
    return content.getvalue()


def everybody(path: Path) -> dict[str, HandedIn]:
    found = [*handed_in(path)]
    for each in found:  # true of all of them
        assert not (each.files and each.problem)
        assert each.files or each.problem
        assert all(line.isprintable() and line for line in each.notes)
        assert each.problem.isprintable()
    by_name = {each.student: each for each in found}
    assert len(by_name) == len(found)
    return by_name


def one(path: Path) -> HandedIn:
    (found,) = everybody(path).values()
    return found


def of_zip(tmp_path: Path, content: bytes, name: str = "alice.zip") -> HandedIn:
    """What becomes of it while another student is graded."""
    found = everybody(write(tmp_path / "class", {name: content, f"bob/{F01}": WORK}))
    assert found["bob"].files == {EX01: WORK}
    assert found["bob"].notes == ()
    return found["alice"]


# -- layouts


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("alice/{}", WORK),
        ("alice/homework/{}", WORK),
        ("alice/homework/exercises/{}", WORK),
        ("alice/submission.zip", zipped({F05: WORK})),
        ("alice/submission.zip", zipped({f"exercises/{F05}": WORK})),
        ("alice.zip", zipped({F05: WORK})),
        ("alice.zip", zipped({F05: WORK}, zipfile.ZIP_STORED)),
        ("alice.ZIP", zipped({f"homework/{F05}": WORK})),
        ("alice.zip", zipped({f"homework\\exercises\\{F05}": WORK})),
        ("alice.zip", zipped({f"./{F05}": WORK})),
        ("alice.tar", tarred({F05: WORK}, "w")),
        ("alice.tar.gz", tarred({F05: WORK})),
        ("alice.tgz", tarred({f"homework/{F05}": WORK})),
        ("alice.tar.bz2", tarred({F05: WORK}, "w:bz2")),
        ("alice.tar.xz", tarred({F05: WORK}, "w:xz")),
        ("alice.zip", tarred({F05: WORK})),
        ("alice.rar", zipped({F05: WORK})),
        ("alice_{}", WORK),
        ("Alice - {}", WORK),
    ],
)
def test_one_for_each_student(tmp_path: Path, name: str, content: bytes) -> None:
    found = everybody(write(tmp_path, {name.format(F05): content, f"bob/{F01}": WORK}))

    assert [*map(fold, found)] == ["alice", "bob"]
    assert found.popitem()[1].files == {EX01: WORK}
    assert found.popitem()[1] == HandedIn("alice" if "A" not in name[0] else "Alice", {EX05: WORK})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (f"alice/{F05}", WORK),
        (f"alice/exercises/{F05}", WORK),
        ("alice.zip", zipped({F05: WORK})),
        ("alice.tar.xz", tarred({F05: WORK}, "w:xz")),
        (f"alice_{F05}", WORK),
        (f"alice_LATE_12_345_{F05}", WORK),
        (f"alice_77_assignsubmission_file_/{F05}", WORK),
        ("alice_77_assignsubmission_file/submission.zip", zipped({F05: WORK})),
    ],
)
def test_one_single_submission(tmp_path: Path, name: str, content: bytes) -> None:
    write(tmp_path, {name: content})

    found = one(tmp_path / Path(name).parts[0])

    assert found.student == "alice"
    assert found.files == {EX05: WORK}


def test_one_file_is_one_submission(tmp_path: Path) -> None:
    write(tmp_path, {F05: WORK})

    assert one(tmp_path / F05) == HandedIn(EX05, {EX05: WORK})


def test_a_path_with_dots_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path / "alice", {F05: WORK}))

    assert one(Path()).student == "alice"


def test_what_kata_submit_writes(tmp_path: Path) -> None:
    learner = Learner(tmp_path)
    learner.solve("ex01", "ex05")
    write(tmp_path / "class", {"bob.zip": zipped({F01: WORK})})
    main(["submit", "--folder", str(learner.folder), "--out", str(tmp_path / "class/a.zip")])

    found = everybody(tmp_path / "class")

    assert found["a"].files == {
        slug: exercises()[slug].solution.read_bytes() for slug in (EX01, EX05)
    }
    assert found["a"].notes == ()


def test_canvas(tmp_path: Path) -> None:
    """As content_zipper.rb writes them: all of a class in one folder, the name without spaces."""
    write(
        tmp_path,
        {
            f"doejohn_12345_678910_{F01}": WORK,
            f"doejohn_12345_678911_{EX05}-1.py": OTHER,
            f"roeanna_LATE_12346_678920_{F05}": WORK,
            "müllerzoë_12347_678930_submission-2.zip": zipped({F01: WORK, F07: OTHER}),
            "poejane_12348_text.html": b"<p>I have no time.</p>",
            "coejim_12349_678940_essay.pdf": b"%PDF",
            f"LATE_anon_x1Y2z_678950_{F05}": WORK,
        },
    )

    found = everybody(tmp_path)

    assert [*found] == ["coejim", "doejohn", "müllerzoë", "poejane", "roeanna", "x1Y2z"]
    assert found["doejohn"] == HandedIn("doejohn", {EX01: WORK, EX05: OTHER}, id="12345")
    assert found["roeanna"] == HandedIn("roeanna", {EX05: WORK}, ("handed in late",), id="12346")
    assert found["müllerzoë"].files == {EX01: WORK, EX07: OTHER}
    assert found["x1Y2z"] == HandedIn("x1Y2z", {EX05: WORK}, ("handed in late",))
    assert found["poejane"].problem == "there is no exercise in it, but text.html"
    assert found["coejim"].problem == "there is no exercise in it, but essay.pdf"


def test_canvas_the_later_upload_counts(tmp_path: Path) -> None:
    """Canvas numbers uploads; the second one of `submission.zip` it calls `submission-1.zip`."""
    write(
        tmp_path,
        {
            "doejohn_12345_678910_submission.zip": zipped({F01: WORK, F05: WORK, F07: WORK}),
            "doejohn_LATE_12345_678990_submission-1.zip": zipped({F01: OTHER, F05: OTHER}),
            f"doejohn_LATE_12345_678995_{F05}": LAST,
        },
    )

    found = one(tmp_path)

    assert found.files == {EX01: OTHER, EX05: LAST, EX07: WORK}
    assert found.notes == (
        "handed in late",
        "ex01 handed in more than once: submission-1.zip is later, and counts, not submission.zip",
        "ex05 handed in more than once: ex05_causal_masks.py is later, and counts, not "
        "submission.zip, submission-1.zip",
    )


def test_a_stub_does_not_count_against_earlier_work(tmp_path: Path) -> None:
    windows = STUB.replace(b"\n", b"\r\n")
    write(
        tmp_path,
        {
            "doejohn_12345_678910_part1.zip": zipped({F05: WORK}),
            "doejohn_12345_678990_part2.zip": zipped({F01: WORK, F05: windows}),
        },
    )

    assert one(tmp_path) == HandedIn("doejohn", {EX01: WORK, EX05: WORK}, id="12345")


def test_a_stub_alone_is_taken_as_it_is(tmp_path: Path) -> None:
    assert one(write(tmp_path / "alice", {F05: STUB})) == HandedIn("alice", {EX05: STUB})


def test_moodle_folders(tmp_path: Path) -> None:
    """As downloader.php names them; up to Moodle 4 with an underscore at the end."""
    write(
        tmp_path,
        {
            f"Anna Müller_1234567_assignsubmission_file_/{F05}": WORK,
            "Anna Müller_1234567_assignsubmission_onlinetext_/onlinetext.html": b"<p>Hi!</p>",
            "Bob van der Berg_1234568_assignsubmission_file/my work.zip": zipped({F05: OTHER}),
            f"Red team_assignsubmission_file_/{F05}": WORK,
            "Zoe Poe_1234569_assignsubmission_onlinetext_/onlinetext.html": b"<p>Sorry.</p>",
        },
    )

    found = everybody(tmp_path)

    assert found["Anna Müller"] == HandedIn("Anna Müller", {EX05: WORK}, id="1234567")
    assert found["Bob van der Berg"] == HandedIn("Bob van der Berg", {EX05: OTHER}, id="1234568")
    assert found["Red team"].files == {EX05: WORK}
    assert found["Zoe Poe"].problem == "there is no exercise in it, but onlinetext.html"


def test_moodle_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            f"Anna Müller_1234567_assignsubmission_file_{F05}": WORK,
            f"Anna Müller_1234567_assignsubmission_file_{F01}": OTHER,
            "Bob Berg_1234568_assignsubmission_file_submission.zip": zipped({F05: OTHER}),
        },
    )

    found = everybody(tmp_path)

    assert found["Anna Müller"] == HandedIn("Anna Müller", {EX01: OTHER, EX05: WORK}, id="1234567")
    assert found["Bob Berg"] == HandedIn("Bob Berg", {EX05: OTHER}, id="1234568")


def test_a_class_is_one_even_if_an_exercise_lies_beside_it(tmp_path: Path) -> None:
    write(tmp_path, {F05: LAST, f"doejohn_1_500_{F05}": WORK, f"roeanna_2_501_{F05}": OTHER})

    assert [*everybody(tmp_path)] == ["doejohn", EX05, "roeanna"]


METADATA = """---
submission_101:
  :submitters:
  - :name: Solo Student
    :sid: '100'
    :email: solo@example.edu
  :created_at: 2024-05-01 10:00:00.000000000 -07:00
  :score: 3.0
  :results:
    :tests:
    - :name: not a student
      :output: |
        :name: nor this one
submission_102:
  :submitters:
  - :name: "Jos\\u00e9 Pair"
    :sid: '200'
  - :name: 'Ann O''Pair'
    :sid: '201'
submission_103:
  :submitters:
  - :name: Solo Student
    :sid: '300'
submission_104:
  :submitters: []
"""


def test_gradescope(tmp_path: Path) -> None:
    export = tmp_path / "assignment_8046601_export"
    write(export, {f"submission_{n}/{F05}": WORK for n in range(101, 106)})
    write(export, {"submission_metadata.yml": METADATA.encode()})
    names = ["José Pair, Ann O'Pair", "Solo Student (100)", "Solo Student (300)",
             "submission_104", "submission_105"]  # fmt: skip

    assert [*everybody(export)] == names
    assert [*everybody(tmp_path)] == names, "unpacked in a folder of its own"


def test_gradescope_without_names(tmp_path: Path) -> None:
    write(tmp_path, {f"submission_{n}/{F05}": WORK for n in (1, 2)})
    (tmp_path / "submission_metadata.yml").write_bytes(b"\xff\xfe{]: nonsense\n  :submitters:\n")

    assert [*everybody(tmp_path)] == ["submission_1", "submission_2"]


def test_gradescope_names_are_read_line_by_line() -> None:
    assert submitters(METADATA.splitlines())["submission_101"] == ("Solo Student", "100")
    assert submitters(["a:\n", "  :submitters:\n", '  - :name: "x\\q"\n']) == {"a": ("x\\q", "")}


def test_blackboard(tmp_path: Path) -> None:
    date = "2024-05-0{}-10-30-00"
    write(
        tmp_path,
        {
            f"Masks_alice1_attempt_{date.format(1)}_{F05}": WORK,
            f"Masks_alice1_attempt_{date.format(3)}_{F05}": OTHER,
            f"Masks_alice1_attempt_{date.format(3)}.txt": b"Name: Alice (alice1)",
            f"Masks_bob_attempt_{date.format(2)}_mine.zip": zipped({F05: LAST}),
        },
    )

    found = everybody(tmp_path)

    assert found["alice1"].files == {EX05: OTHER}
    assert found["bob"] == HandedIn("bob", {EX05: LAST})


def clone(tmp_path: Path, name: str, work: bytes) -> None:
    write(
        tmp_path / name,
        {
            ".git/HEAD": b"ref: refs/heads/main\n",
            f".git/{F05}": b"never\n",
            f"exercises/{F05}": work,
            f"solutions/{F05}": b"the reference\n",
            f"solutions/{F01}": b"the reference\n",
            f"tests/specimens/attempts/{F07}": b"somebody's\n",
            "kata/commands/ex99_nothing.py": b"",
        },
    )


def test_github_classroom(tmp_path: Path) -> None:
    for name in ("masks-anna-m", "masks-bob"):
        clone(tmp_path / "masks-submissions", name, WORK)
        clone(tmp_path / "somewhere", name, WORK)

    found = everybody(tmp_path / "masks-submissions")

    assert found == everybody(tmp_path / "somewhere")
    (tmp_path / "here").mkdir()
    (tmp_path / "masks-submissions").rename(tmp_path / "here" / "masks-submissions")
    assert found == everybody(tmp_path / "here")
    assert found["anna-m"] == HandedIn("anna-m", {EX05: WORK})
    assert [*found] == ["anna-m", "bob"]


def test_work_at_the_top_of_a_clone_counts_against_the_stub_below(tmp_path: Path) -> None:
    clone(tmp_path, "alice", STUB)
    write(tmp_path / "alice", {F05: OTHER})

    assert one(tmp_path / "alice") == HandedIn("alice", {EX05: OTHER})


def test_the_whole_kata_in_a_zip(tmp_path: Path) -> None:
    clone(tmp_path, "kata", WORK)
    shutil.make_archive(str(tmp_path / "class" / "alice"), "zip", tmp_path, "kata")
    write(tmp_path / "class", {f"bob/{F01}": WORK})

    assert everybody(tmp_path / "class")["alice"] == HandedIn("alice", {EX05: WORK})


def test_this_repository_is_a_submission() -> None:
    found = one(ROOT)

    assert [*found.files] == [*exercises()]
    assert found.files[EX05] == exercises()[EX05].stub.read_bytes()
    assert found.notes == ()


@pytest.mark.parametrize("name", ["a.rar", "a.7z", "a.zip"])
@pytest.mark.parametrize(
    ("magic", "kind"), [(b"Rar!\x1a\7\0", "rar"), (b"7z\xbc\xaf\x27\x1c", "7z")]
)
def test_other_archives(tmp_path: Path, name: str, magic: bytes, kind: str) -> None:
    found = everybody(write(tmp_path, {name: magic + bytes(99), f"bob/{F01}": WORK}))

    assert found["a"].problem == f"a {kind} archive cannot be read, a zip or a tar can"


def test_what_lies_beside_the_students_is_no_student(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            f"alice/{F05}": WORK,
            "grades.csv": b"",
            "README.md": b"",
            "index.html": b"",
            ".DS_Store": b"",
            "__MACOSX/._alice": b"",
            "Thumbs.db": b"",
            "._alice.zip": b"",
        },
    )

    assert [*everybody(tmp_path)] == ["alice"]


# -- names


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        (F05, EX05),
        ("EX05_Causal_Masks.PY", EX05),
        (f"{EX05} (1).py", EX05),
        (f"{EX05}(12).py", EX05),
        (f"{EX05}_1_.py", EX05),
        (f"{EX05}-1.py", EX05),
        (f"{EX05} 2.py", EX05),
        (f"{EX05} - Copy.py", EX05),
        (f"{EX05} - Copy (2).py", EX05),
        (f"{EX05} copy.py", EX05),
        (f"Copy of {EX05}.py", EX05),
        (f"{F05}.txt", EX05),
        (f"test_{F05}", ""),
        (f"{F05}c", ""),
        (f"{F05}.bak", ""),
        (f"{EX05}_old.py", ""),
        ("ex05_causal_mask.py", ""),
        ("ex05.py", ""),
        ("", ""),
        ("ex05_causal_masks" + "_1" * 40_000 + ".py", ""),
    ],
)
def test_which_exercise_a_file_is(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("submission.zip", 0),
        ("submission.1.zip", 1),
        ("submission-2.zip", 2),
        ("submission (3).tar.gz", 3),
    ],
)
def test_the_number_of_an_archive(name: str, expected: int) -> None:
    assert number(name) == expected


def test_a_folder_is_not_named_by_canvas_if_its_numbers_are_small() -> None:
    assert label_of_folder("team_1_2_red").student == "team_1_2_red"
    assert label_of_folder("doejohn_12345_678910_submission").student == "doejohn"
    assert label("alice_smith.zip").student == "alice_smith"


def test_files_that_still_have_the_names_of_canvas_in_a_folder(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            f"doe/doejohn_123_500_{F05}": WORK,
            f"doe/doejohn_123_501_{EX05}-1.py": OTHER,
            f"roe/roeanna_124_502_{F05}": WORK,
        },
    )
    name, later = f"doejohn_123_500_{F05}", f"doejohn_123_501_{EX05}-1.py"

    assert everybody(tmp_path)["doe"] == HandedIn(
        "doe",
        {EX05: OTHER},
        (
            f"{F05} is there more than once: {later} counts, not {name}",
            f"{later} was taken for {F05}",
        ),
    )


def test_many_odd_names_are_not_many_lines(tmp_path: Path) -> None:
    files = {F05: WORK, **{f"ex05_{n}.py": b"" for n in range(1_000)}}

    assert len(of_zip(tmp_path, zipped(files)).notes) == len(exercises())


def test_two_students_of_one_name_are_told_apart(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            f"doejohn_111_500_{F05}": WORK,
            f"DoeJohn_222_501_{F05}": OTHER,
            f"doejohn/{F05}": LAST,
            f"doejohn (111)_333_502_{F05}": LAST,
        },
    )

    found = everybody(tmp_path)

    assert sorted(found) == ["DoeJohn (222)", "doejohn", "doejohn (111)", "doejohn (111) [2]"]
    assert len({fold(each) for each in found}) == 4


@pytest.mark.parametrize(
    "names", [("Zoë", "ZOË"), ("Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}", "Zoe\u0308")]
)
def test_names_that_differ_in_how_they_are_written_only(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    write(tmp_path, {f"{names[0]}.zip": zipped({F05: WORK}), f"{names[1]}/{F05}": OTHER})

    found = one(tmp_path)

    assert found.files == {}
    assert found.problem.startswith("handed in more than once, and nothing tells which is later: ")
    assert found.problem.endswith(" differ in ex05")


def test_a_folder_and_a_zip_that_differ(tmp_path: Path) -> None:
    write(tmp_path, {"alice.zip": zipped({F05: WORK, F01: WORK}), f"alice/{F05}": OTHER})

    assert one(tmp_path).problem == (
        "handed in more than once, and nothing tells which is later: "
        "alice/, alice.zip differ in ex05"
    )


def test_a_folder_and_a_zip_that_do_not_differ(tmp_path: Path) -> None:
    write(tmp_path, {"alice.zip": zipped({F05: WORK, F01: WORK}), f"alice/{F05}": WORK})

    assert one(tmp_path) == HandedIn(
        "alice", {EX01: WORK, EX05: WORK}, ("handed in in more than one place: alice/, alice.zip",)
    )


def test_what_a_browser_has_numbered_is_later(tmp_path: Path) -> None:
    write(tmp_path, {"alice.zip": zipped({F05: WORK}), "alice (1).zip": zipped({F05: OTHER})})

    assert one(tmp_path) == HandedIn(
        "alice",
        {EX05: OTHER},
        ("ex05 handed in more than once: alice (1).zip is later, and counts, not alice.zip",),
    )


def test_groups_with_numbers_are_not_attempts(tmp_path: Path) -> None:
    names = ["team (1)", "team (2)", "team-1", "team-2", "team_1", "team_2"]
    write(tmp_path, {f"{name}.zip": zipped({F05: WORK}) for name in names})

    assert [*everybody(tmp_path)] == names


def test_the_order_is_that_of_the_names(tmp_path: Path) -> None:
    write(tmp_path, {f"{name}/{F05}": WORK for name in ("bob", "Zoe", "alice", "Carl", "Émile")})

    assert [*everybody(tmp_path)] == ["alice", "bob", "Carl", "Zoe", "Émile"]


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    write(tmp_path / "class" / os.fsdecode(b"zo\xeb"), {F05: WORK})

    assert one(tmp_path / "class").files == {EX05: WORK}


# -- one file too many


@pytest.mark.parametrize(
    ("files", "taken", "note"),
    [
        (
            {F05: WORK, f"old/{F05}": OTHER},
            WORK,
            f"{F05} is there more than once: {F05} counts, not old/{F05}",
        ),
        (
            {F05: WORK, f"{EX05} (1).py": OTHER},
            WORK,
            f"{F05} is there more than once: {F05} counts, not {EX05} (1).py",
        ),
        (
            {F05: WORK, "EX05_causal_masks.py": OTHER},
            WORK,
            f"{F05} is there more than once: {F05} counts, not EX05_causal_masks.py",
        ),
        (
            {f"a/{F05}": WORK, "mine.zip": zipped({F05: OTHER})},
            WORK,
            f"{F05} is there more than once: a/{F05} counts, not mine.zip/{F05}",
        ),
        (
            {"submission.zip": zipped({F05: OTHER}), "submission.1.zip": zipped({F05: WORK})},
            WORK,
            f"{F05} is there more than once: submission.1.zip/{F05} counts, "
            f"not submission.zip/{F05}",
        ),
        ({f"{F05}.txt": WORK}, WORK, f"{F05}.txt was taken for {F05}"),
        ({f"{EX05} (1).py": WORK}, WORK, f"{EX05} (1).py was taken for {F05}"),
        ({"Ex05_Causal_masks.py": WORK}, WORK, f"Ex05_Causal_masks.py was taken for {F05}"),
        (
            {F05: WORK, "ex06_causal_atention.py": WORK},
            WORK,
            "ex06_causal_atention.py is not the name of an exercise; "
            "did you mean `ex06_causal_attention`?",
        ),
    ],
)
def test_a_line_about_what_was_not_clear(
    tmp_path: Path, files: Files, taken: bytes, note: str
) -> None:
    write(tmp_path / "class" / "alice", files)
    content = zipped(files)

    assert one(tmp_path / "class") == HandedIn("alice", {EX05: taken}, (note,))
    if not any(name.endswith(".zip") for name in files):  # none is looked for in a zip
        assert of_zip(tmp_path / "zips", content) == HandedIn("alice", {EX05: taken}, (note,))


@pytest.mark.parametrize(
    "files",
    [
        {F05: WORK, f"old/{F05}": WORK},
        {F05: WORK, f"{EX05} (1).py": WORK.replace(b"\n", b"\r\n")},
        {F05: STUB, f"old/{F05}": WORK},
        {F05: WORK, "mine.zip": zipped({F05: WORK})},
    ],
)
def test_no_line_where_there_is_no_doubt(tmp_path: Path, files: Files) -> None:
    assert one(write(tmp_path / "alice", files)) == HandedIn("alice", {EX05: WORK})


def test_two_between_which_nothing_decides(tmp_path: Path) -> None:
    files = {f"a/{F05}": WORK, f"b/{F05}": OTHER, F01: WORK}

    assert one(write(tmp_path / "alice", files)) == HandedIn(
        "alice",
        {EX01: WORK},
        (
            f"{F05} is there more than once, nothing tells which one counts, and none was taken: "
            f"a/{F05}, b/{F05}",
        ),
    )


def test_one_name_twice_in_a_zip(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(F01, WORK)
        archive.writestr(F05, WORK)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(F05, OTHER)

    found = of_zip(tmp_path, content.getvalue())

    assert found.files == {EX01: WORK}
    assert found.notes[0].endswith(f"none was taken: {F05}")


def test_junk_is_not_mentioned(tmp_path: Path) -> None:
    files = {
        F05: WORK,
        f"__MACOSX/._{F05}": OTHER,
        f"__MACOSX/{F05}": OTHER,
        f"._{F05}": OTHER,
        ".DS_Store": OTHER,
        "Thumbs.db": OTHER,
        f".ipynb_checkpoints/{F05}": OTHER,
        f".venv/{F05}": OTHER,
        f"venv/lib/{F05}": OTHER,
        f"__pycache__/{F05}": OTHER,
        f".kata/before-update.1/{F05}": OTHER,
        "ex05_causal_masks.1.bak": OTHER,
        "notes.txt": OTHER,
    }
    expected = HandedIn("alice", {EX05: WORK})

    assert one(write(tmp_path / "folder" / "alice", files)) == expected
    assert of_zip(tmp_path / "zip", zipped(files)) == expected
    assert of_zip(tmp_path / "tar", tarred(files), "alice.tgz") == expected


def test_nothing_in_it(tmp_path: Path) -> None:
    write(tmp_path, {f"bob/{F01}": WORK, "carl/a.txt": b"", "dora/ex05.py": WORK})
    write(tmp_path, {f"eve/{n}.txt": b"" for n in "abcde"})
    (tmp_path / "alice").mkdir()

    found = everybody(tmp_path)

    assert found["alice"].problem == "there is no exercise in it"
    assert found["carl"].problem == "there is no exercise in it, but a.txt"
    assert found["dora"].problem.startswith(
        "there is no exercise in it; ex05.py is not the name of an exercise"
    )
    assert found["eve"].problem == "there is no exercise in it, but a.txt, b.txt, c.txt and 2 more"


def test_a_file_that_is_no_exercise(tmp_path: Path) -> None:
    found = everybody(write(tmp_path, {"alice.py": WORK, f"bob/{F01}": WORK, "carl.ipynb": b"{}"}))

    assert found["alice"].problem == "there is no exercise in it, but alice.py"
    assert found["carl"].problem == "there is no exercise in it, but carl.ipynb"


# -- hostile archives


@pytest.mark.parametrize("content", [b"\xff\xfe\0", b"", b"def softmax(\n", b"# coding: klingon\n"])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_what_is_no_python_is_for_the_judge_to_say(
    tmp_path: Path, content: bytes, pack: Callable[[Files], bytes]
) -> None:
    files = {F05: content}
    expected = HandedIn("alice", {EX05: content})

    assert one(write(tmp_path / "alice", files)) == expected
    assert of_zip(tmp_path / "packed", pack(files)) == expected


def test_a_large_file_is_cut_where_the_judge_can_tell(tmp_path: Path) -> None:
    files = {F05: bytes(LARGEST + 10), F01: bytes(LARGEST)}

    for found in (
        one(write(tmp_path / "alice", files)),
        of_zip(tmp_path / "zip", zipped(files)),
        of_zip(tmp_path / "tar", tarred(files)),
    ):
        assert len(found.files[EX05]) == LARGEST + 1
        assert len(found.files[EX01]) == LARGEST


def zeros(path: Path, size: int) -> None:
    """A file of zeros that takes no room on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)


def test_a_bomb_in_a_zip(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in ("data.bin", F05):
            with archive.open(name, "w") as member:
                for _ in range(100):
                    member.write(bytes(MIB))

    assert len(of_zip(tmp_path, content.getvalue()).files[EX05]) == LARGEST + 1


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressions_of_which_one_piece_may_become_anything(tmp_path: Path, method: int) -> None:
    assert of_zip(tmp_path, zipped({F05: bytes(1000)}, method)).problem == (
        "the zip is compressed in another way than by deflate"
    )


def test_a_zip_of_many_copies(tmp_path: Path) -> None:
    files = {f"{n}/{F05}": bytes(LARGEST) for n in range(65 * MIB // LARGEST)}

    assert of_zip(tmp_path, zipped(files)).problem == "it unpacks to more than 64 MiB"


@pytest.mark.parametrize(
    ("pack", "name"),
    [(gzip.compress, "tar.gz"), (bz2.compress, "tar.bz2"), (lzma.compress, "tar.xz")],
)
@pytest.mark.parametrize("header", [b"", tarred({F05: WORK}, "w")[:1024]])
def test_a_bomb_in_a_tar(
    tmp_path: Path, pack: Callable[[bytes], bytes], name: str, header: bytes
) -> None:
    member = tarfile.TarInfo("data.bin")
    member.size = 200 * MIB
    content = pack(header + member.tobuf() + bytes(130 * MIB))

    assert of_zip(tmp_path, content, f"alice.{name}").problem == "it unpacks to more than 128 MiB"


def test_a_large_archive(tmp_path: Path) -> None:
    zeros(tmp_path / "alice.zip", 101 * MIB)
    write(tmp_path, {f"bob/{F01}": WORK})

    assert everybody(tmp_path)["alice"].problem == "the archive is larger than 100 MiB"


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_ten_thousand_entries(tmp_path: Path, pack: Callable[[Files], bytes]) -> None:
    files = {F05: WORK, **{f"{n}": b"" for n in range(10_000)}}

    assert of_zip(tmp_path, pack(files)).problem == "it holds more than 5000 files"


def test_ten_thousand_entries_that_are_not_counted(tmp_path: Path) -> None:
    content = bytearray(zipped({F05: WORK, **{f"{n}": b"" for n in range(10_000)}}))
    content[-14:-10] = struct.pack("<HH", 1, 1)  # the numbers that the end of a zip gives

    assert of_zip(tmp_path, bytes(content)).problem == "it holds more than 5000 files"


def test_ten_thousand_folders(tmp_path: Path) -> None:
    names = {f"{n}/": b"" for n in range(5_001)}

    assert of_zip(tmp_path, zipped(names)).problem == "it holds more than 5000 files"


def encrypted(content: bytes) -> bytes:
    """A zip whose entries say that they are."""
    changed = bytearray(content)
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = -1
        while (at := content.find(signature, at + 1)) >= 0:
            changed[at + offset] |= 1
    return bytes(changed)


def test_an_encrypted_zip(tmp_path: Path) -> None:
    content = encrypted(zipped({F05: WORK, F01: WORK}))

    assert of_zip(tmp_path, content).problem == "the archive is encrypted"


def test_an_encrypted_zip_in_a_folder(tmp_path: Path) -> None:
    secret = encrypted(zipped({F05: WORK, F07: WORK}))
    write(tmp_path, {"alice/a.zip": secret, f"alice/{F01}": WORK, "bob/a.zip": secret})
    line = "not read: a.zip: the archive is encrypted"

    found = everybody(tmp_path)

    assert found["alice"] == HandedIn("alice", {EX01: WORK}, (line,))
    assert found["bob"].problem == f"there is no exercise in it; {line}"


NOISE = random.Random(1).randbytes(5_000)


@pytest.mark.parametrize("keep", [0, 1, 3, 20, 300, 5_000, -1])
@pytest.mark.parametrize(
    ("pack", "name"), [(zipped, "zip"), (tarred, "tgz"), (lambda f: tarred(f, "w:xz"), "tar.xz")]
)
def test_a_truncated_archive(
    tmp_path: Path, pack: Callable[[Files], bytes], name: str, keep: int
) -> None:
    content = pack({F05: WORK, "noise": NOISE, F01: WORK})

    found = of_zip(tmp_path, content[:keep], f"alice.{name}")

    assert found.problem.startswith("the archive is damaged: ")
    assert found.notes == ()


def test_a_wrong_checksum_of_a_tar(tmp_path: Path) -> None:
    content = tarred({F05: WORK})
    content = content[:-8] + bytes(4) + content[-4:]

    assert of_zip(tmp_path, content, "alice.tgz").problem.startswith(
        "the archive is damaged: CRC check failed"
    )


def test_a_wrong_checksum(tmp_path: Path) -> None:
    content = zipped({F05: WORK, F01: OTHER}, zipfile.ZIP_STORED).replace(OTHER, LAST)

    found = of_zip(tmp_path, content)

    assert found.problem == f"the archive is damaged: Bad CRC-32 for file '{F01}'"


def test_a_size_that_is_a_lie(tmp_path: Path) -> None:
    content = zipped({F05: WORK * 100})
    at = content.find(b"PK\1\2") + 24
    content = content[:at] + struct.pack("<I", 5) + content[at + 4 :]

    assert of_zip(tmp_path, content).problem.startswith("the archive is damaged: ")


def test_no_archive_at_all(tmp_path: Path) -> None:
    page = b"<!DOCTYPE html><title>Log in</title>" * 100

    assert of_zip(tmp_path / "1", page).problem == "the archive is damaged: File is not a zip file"
    assert of_zip(tmp_path / "2", page, "alice.tar").problem.startswith("the archive is damaged: ")


@pytest.mark.parametrize(
    "name", [f"../{F05}", f"a/../../{F05}", f"/tmp/{F05}", f"..\\{F05}", f"C:\\{F05}", f"C:{F05}"]
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_path_that_leads_out(tmp_path: Path, name: str, pack: Callable[[Files], bytes]) -> None:
    line = f"not read: {name}: leads out of the archive"

    assert of_zip(tmp_path / "1", pack({name: WORK, F01: OTHER})) == HandedIn(
        "alice", {EX01: OTHER}, (line,)
    )
    assert of_zip(tmp_path / "2", pack({name: WORK})).problem == (
        f"there is no exercise in it; {line}"
    )


def test_a_link_in_a_zip(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        link = zipfile.ZipInfo(F05)
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr(F01, WORK)

    assert of_zip(tmp_path, content.getvalue()) == HandedIn(
        "alice", {EX01: WORK}, (f"not read: {F05}: a link, which is not followed",)
    )


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "a link, which is not followed"),
        (tarfile.LNKTYPE, "a link, which is not followed"),
        (tarfile.FIFOTYPE, "no plain file"),
        (tarfile.CHRTYPE, "no plain file"),
    ],
)
def test_what_is_no_file_in_a_tar(tmp_path: Path, kind: bytes, reason: str) -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        member = tarfile.TarInfo(F05)
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
        archive.addfile(tarfile.TarInfo(F01))

    assert of_zip(tmp_path, content.getvalue(), "alice.tar") == HandedIn(
        "alice", {EX01: b""}, (f"not read: {F05}: {reason}",)
    )


def test_names_in_other_encodings(tmp_path: Path) -> None:
    latin = zipped({f"Ubungen/{F05}": WORK, "Notizen\n\x1b[2J.txt": b""})
    content = latin.replace(b"Ubungen", b"\xdcbungen")

    assert of_zip(tmp_path, content) == HandedIn("alice", {EX05: WORK})


def test_a_name_in_a_line_is_one_line(tmp_path: Path) -> None:
    names = ["a\nb.txt", "\x1b[2J", "\u202egpj.exe", "x" * 500]

    assert of_zip(tmp_path, zipped(dict.fromkeys(names, b""))).problem == (
        "there is no exercise in it, but a\\nb.txt, \\x1b[2J, \\u202egpj.exe and 1 more"
    )


def test_an_archive_in_an_archive(tmp_path: Path) -> None:
    content = zipped({"submission.zip": zipped({F05: WORK})})

    assert of_zip(tmp_path, content).problem == "there is no exercise in it, but submission.zip"


def test_a_damaged_archive_in_a_folder_counts_for_nothing(tmp_path: Path) -> None:
    half = tarred({F05: WORK, "noise": NOISE, F01: WORK})[:3_000]
    write(tmp_path, {"alice/a.tgz": half, f"alice/{F07}": WORK})

    found = one(tmp_path)

    assert found.files == {EX07: WORK}
    assert found.notes[0].startswith("not read: a.tgz: the archive is damaged: ")


def test_a_damaged_archive_beside_other_files(tmp_path: Path) -> None:
    half = zipped({F05: WORK})[:50]
    write(tmp_path, {"doejohn_123_500_a.zip": half, f"doejohn_123_501_{F07}": WORK})

    assert one(tmp_path) == HandedIn(
        "doejohn",
        {EX07: WORK},
        ("not read: a.zip: the archive is damaged: File is not a zip file",),
        id="123",
    )


def test_archives_beyond_number(tmp_path: Path) -> None:
    files = {f"{n:02}.zip": zipped({F05: WORK}) for n in range(12)}

    assert one(write(tmp_path / "class" / "alice", files).parent).notes == (
        "not read: 10.zip, 11.zip: more than 10 archives in one folder",
    )


def test_what_lies_too_deep(tmp_path: Path) -> None:
    deep = {f"{'a/' * 5}{F05}": WORK, f"{'a/' * 6}{F01}": WORK}

    assert of_zip(tmp_path / "zip", zipped(deep)).files == {EX05: WORK}
    assert one(write(tmp_path / "class" / "alice", deep).parent).files == {EX05: WORK}


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tgz", "a.tar.xz", "a.tar.bz2"])
def test_any_damage_is_a_line(tmp_path: Path, name: str) -> None:
    suffix = {"tgz": "gz", "xz": "xz", "bz2": "bz2"}.get(name.rpartition(".")[2], "")
    files = {F05: WORK, "noise": NOISE[:500], f"x/{F01}": OTHER}
    good = zipped(files) if name == "a.zip" else tarred(files, f"w:{suffix}")
    dice = random.Random(name)

    for _ in range(150):
        content = bytearray(good)
        for _ in range(dice.randint(1, 4)):
            content[dice.randrange(len(content))] = dice.randrange(256)
        (tmp_path / name).write_bytes(content)
        one(tmp_path / name)


def test_many_headers_in_a_row_in_a_tar(tmp_path: Path) -> None:
    """The library follows them one inside the other."""
    header = tarfile.TarInfo("x")
    header.type = tarfile.GNUTYPE_LONGNAME
    content = (header.tobuf()) * 5_000

    assert of_zip(tmp_path, content, "alice.tar").problem.startswith("the archive is damaged: ")


# -- hostile folders


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere", {F05: b"secret\n", F07: b"secret\n"})
    alice = write(tmp_path / "class", {f"alice/{F01}": WORK}) / "alice"
    (alice / F05).symlink_to(secret / F05)
    (alice / "exercises").symlink_to(secret)
    (tmp_path / "class" / "bob").symlink_to(secret)
    (tmp_path / "class" / "carl.zip").symlink_to(secret / F05)
    (tmp_path / "class" / "dora").symlink_to("nowhere")
    (tmp_path / "class" / "eve").symlink_to("eve")

    found = everybody(tmp_path / "class")

    assert found["alice"] == HandedIn(
        "alice", {EX01: WORK}, (f"not read: {F05}, exercises: a link, which is not followed",)
    )
    for name in ("bob", "carl", "dora", "eve"):
        assert found[name].problem == "a link, which is not followed"


def test_the_path_itself_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path / "class", {f"alice/{F05}": WORK})
    (tmp_path / "latest").symlink_to("class")

    assert [*everybody(tmp_path / "latest")] == ["alice"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, {f"alice/{F01}": WORK})
    os.mkfifo(tmp_path / "alice" / F05)
    os.mkfifo(tmp_path / "alice" / "more.zip")
    os.mkfifo(tmp_path / "bob.zip")

    found = everybody(tmp_path)

    assert found["alice"].notes == (f"not read: {F05}, more.zip: no plain file",)
    assert found["bob"].problem == "no plain file"


def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / F05)

    with pytest.raises(archives.RefusedError, match="no plain file"):
        folders.opened(tmp_path / F05)


def test_a_socket_and_a_folder_in_place_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path / "alice", {F01: WORK, f"{F07}/inside": WORK}))
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(F05)  # a path of a socket has to be short

        assert one(tmp_path / "alice").notes == (f"not read: {F05}: no plain file",)


@contextmanager
def nobody() -> Iterator[Path]:
    """A folder in which permissions count, for root, too."""
    folder = Path(tempfile.mkdtemp())
    user = os.geteuid()
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        if user == 0:
            os.seteuid(0)
        for each in folder.rglob("*"):
            each.chmod(0o755)
        shutil.rmtree(folder)


def without_rights() -> None:
    if os.geteuid() == 0:
        os.seteuid(65534)


def test_folders_and_files_without_permission() -> None:
    with nobody() as folder:
        write(folder, {f"alice/{F05}": WORK, f"alice/{F01}": WORK, f"alice/old/{F07}": WORK})
        write(folder, {f"bob/{F05}": WORK, "carl.zip": zipped({F05: WORK}), f"dora/{F05}": WORK})
        for each in (f"alice/{F05}", "carl.zip", f"dora/{F05}", "alice/old", "bob"):
            (folder / each).chmod(0)
        exercises(), len(STUB)  # read while it can be
        without_rights()

        found = everybody(folder)

    reason = "cannot be read: Permission denied"
    assert found["alice"].files == {EX01: WORK}
    assert found["alice"].notes == (f"not read: {F05}, old: {reason}",)
    assert found["bob"].problem == reason
    assert found["carl"].problem == reason
    assert found["dora"].problem == f"there is no exercise in it; not read: {F05}: {reason}"


def test_a_class_without_permission() -> None:
    with nobody() as folder:
        write(folder, {f"class/alice/{F05}": WORK})
        (folder / "class").chmod(0)
        without_rights()

        with pytest.raises(IntakeError, match="class: cannot be read: Permission denied"):
            handed_in(folder / "class")


# -- the wrong path


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("submisions", "submisions does not exist; did you mean `submissions`?"),
        ("submisions/week1", "submisions/week1 does not exist; did you mean `submissions`?"),
        ("nothing/like/it", "nothing/like/it does not exist"),
        ("list.csv", "list.csv is neither a folder nor a zip, a tar or a Python file"),
        ("pipe", "pipe is neither a folder nor a zip, a tar or a Python file"),
        ("list.csv/x", "list.csv/x: cannot be read: Not a directory"),
        ("circle", "circle: cannot be read: "),
        (
            "empty",
            "empty holds nothing that could be a submission: expected a folder, a zip or a tar "
            "for each student, or the files of one of them, named like ex01_softmax.py",
        ),
    ],
)
def test_a_wrong_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, message: str
) -> None:
    write(tmp_path, {f"submissions/alice/{F05}": WORK, "list.csv": b"", "empty/grades.csv": b""})
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(IntakeError) as caught:
        handed_in(Path(path))

    assert str(caught.value).replace(f"{tmp_path}/", "").startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "files",
    [
        {f"doejohn_1_500_{F05}": WORK, f"roeanna_2_501_{F05}": WORK, "__MACOSX/._x": b""},
        {f"A B_1_assignsubmission_file_/{F05}": WORK, "C D_2_assignsubmission_file_/x": WORK},
        {
            "assignment_8_export/submission_metadata.yml": METADATA.encode(),
            f"assignment_8_export/submission_101/{F05}": WORK,
            f"assignment_8_export/submission_102/{F05}": WORK,
        },
    ],
)
def test_an_export_that_is_not_unpacked(tmp_path: Path, files: Files) -> None:
    write(tmp_path, {"all.zip": zipped(files)})

    with pytest.raises(IntakeError, match=r"all.zip holds the work of 2 students: unpack it and"):
        handed_in(tmp_path / "all.zip")


def test_the_work_of_one_is_no_export(tmp_path: Path) -> None:
    files = {F05: WORK, "plot_100_200_a.png": b"", "plot_101_200_a.png": b""}
    write(tmp_path, {"alice.zip": zipped(files)})

    assert one(tmp_path / "alice.zip").files == {EX05: WORK}


# -- as a whole


def test_the_digest_is_that_of_the_content() -> None:
    work = HandedIn("alice", {EX01: WORK, EX05: OTHER})

    assert work.digest == HandedIn("bob", {EX05: OTHER, EX01: WORK}, ("a note",)).digest
    others = [
        HandedIn("alice", {EX01: WORK}),
        HandedIn("alice", {EX01: OTHER, EX05: WORK}),
        HandedIn("alice", {EX01: WORK, EX07: OTHER}),
        HandedIn("alice", {}),
        HandedIn("alice", {}, problem="the archive is encrypted"),
    ]
    assert len({work.digest, *(each.digest for each in others)}) == 6


def test_five_thousand_are_listed_at_once_and_read_one_by_one(tmp_path: Path) -> None:
    write(tmp_path, {f"student{n:04}/{F05}": WORK for n in range(4_990)})
    write(tmp_path, {f"doe{n}_{n}_{n}_{F05}": WORK for n in range(100, 110)})

    start = time.perf_counter()
    found = handed_in(tmp_path)
    first = next(found)
    assert time.perf_counter() - start < 5
    write(tmp_path, {f"student4989/{F05}": OTHER})  # is read when it is its turn
    rest = [*found]

    assert first == HandedIn("doe100", {EX05: WORK}, id="100")
    assert rest[-1] == HandedIn("student4989", {EX05: OTHER})
    assert len(rest) == 4_999
    assert time.perf_counter() - start < 60


def test_a_student_can_be_read_again(tmp_path: Path) -> None:
    (student,) = listing(write(tmp_path, {f"alice/{F05}": WORK}))

    assert read(student) == read(student) == HandedIn("alice", {EX05: WORK})
