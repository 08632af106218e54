"""Files that are not called as their exercise is, but say which it is, or hold several."""

from itertools import product
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.course.source import LARGEST, functions, parse
from kata.grading.collecting.submissions import Submission
from tests.helpers.handed_work import EX01, EX05, EX07, F01, F05, STUB, Files
from tests.helpers.handing_in import (
    by_student,
    clone,
    from_archive,
    from_folder,
    only_student,
    write,
    zipped,
)
from tests.helpers.sampling import everything

MASK = b"import torch\n\ndef causal_mask(size):\n    return torch.ones(size, size).tril().bool()\n"
OTHER = MASK.replace(b"tril", b"triu")
SOFTMAX = b"import numpy as np\n\ndef softmax(scores, axis=-1):\n    return np.exp(scores)\n"
COMMENT = b"# def causal_mask(size):\n"
TESTS = b"from ex05_causal_masks import causal_mask\n\ndef test_it():\n    assert causal_mask(3)\n"
TAKEN = "count for the exercises in their names, as they define what these ask for: "


SHORT = (*("ex05.py", "ex05 (1).py", "Ex05.PY", "ex05_final.py", "ex05-causal-masks.py", "ex5.py"),
         *("Exercise 5.py", "EX_05.py", "hw_ex05_jane.py", "ex05.py.txt", "ex05 - Copy.py"),
         *("ex05_causal_masks.py.py", "my_ex05_causal_masks_v2.py"))  # fmt: skip


def test_a_short_name_counts_if_the_file_defines_what_is_asked_for(tmp_path: Path) -> None:
    for at, name in enumerate(SHORT):
        submission = from_folder(tmp_path / str(at), {name: MASK})
        packed = from_archive(tmp_path / f"{at} packed", zipped({name: MASK}))

        assert submission == Submission("alice", {EX05: MASK}, (TAKEN + name,))
        assert packed == submission


@pytest.mark.parametrize("files", [
    {"ex06causal.py.ex05.py": MASK}, {"ex05_old.py": MASK}, {F05: STUB, "ex05_draft.py": MASK},
], ids=["two exercises", "old", "beside a stub"])  # fmt: skip
def test_an_odd_name_counts_if_the_definitions_tell_which(tmp_path: Path, files: Files) -> None:
    submission = from_folder(tmp_path, files)

    assert [*submission.files] == [EX05]
    assert b"tril" in submission.files[EX05]


def test_a_wrong_number_does_not_hide_what_a_file_holds(tmp_path: Path) -> None:
    submission = from_folder(tmp_path, {"ex06.py": SOFTMAX})

    assert [*submission.files] == [EX01]
    assert submission.notes == ("ex06.py counts for ex01",)


def test_no_helper_is_taken_for_an_answer(tmp_path: Path) -> None:
    names = "ex05_test.py", "test_ex05.py", "ex05_notes.py", "ex05Utils.py"
    for at, (name, content) in enumerate(product(names, (TESTS, COMMENT, MASK))):
        beside = from_folder(tmp_path / f"{at} beside", {F05: OTHER, name: content})
        alone = from_folder(tmp_path / f"{at} alone", {name: content})

        assert (name, beside) == (name, Submission("alice", {EX05: OTHER}))
        assert (name, alone.files) == (name, {})
        assert alone.problem.startswith(f"it contains no exercise, only {name}")
        assert ("by its name it is a test" in alone.problem) is (content == MASK), name


def test_the_nearest_name_counts(tmp_path: Path) -> None:
    pairs = [*((F05, "ex05.py"), (F05, "ex05_final.py"), ("ex05.py", "ex05 (1).py")),
             *(("ex05.py", "ex05_old.py"), ("ex05_final.py", "ex05_old.py")),
             *(("ex05.py", "old/ex05_final.py"), ("ex05.py", "homework.py")),
             ("ex05_old.py", "homework.py")]  # fmt: skip
    for at, (counts, other) in enumerate(pairs):
        submission = from_folder(tmp_path / str(at), {counts: MASK, other: OTHER})

        assert (counts, other, submission.files) == (counts, other, {EX05: MASK})
        assert submission.notes[0].startswith("ex05 was found more than once: " + counts)


def test_neither_of_two_counts_if_no_name_tells_which_is_later(tmp_path: Path) -> None:
    pairs = [("ex05.py", "ex05_final.py"), ("ex05_v1.py", "ex05_mine_v2.py"),
             *(("ex05 (1).py", "ex05_new.py"), ("a/ex05.py", "b/ex05.py")),
             ("homework.py", "homework2.py")]  # fmt: skip
    for at, names in enumerate(pairs):
        submission = from_folder(
            tmp_path / str(at), {names[0]: MASK, names[1]: OTHER, F01: SOFTMAX}
        )

        assert (names, submission.files) == (names, {EX01: SOFTMAX})
        told, _, listed = submission.notes[0].partition(": ")
        assert told == "ex05 was found more than once with different content, so none counts"
        assert {*listed.split(", ")} == {*names}


def test_imports_between_short_names_are_those_between_full_ones(tmp_path: Path) -> None:
    uses = b"from ex01 import softmax\nfrom .ex1 import softmax as s\n" + MASK

    submission = from_folder(tmp_path, {"ex05.py": uses, "ex01.py": SOFTMAX})

    assert submission.files[EX05].splitlines()[:2] == [
        b"from .ex01_softmax import softmax",
        b"from .ex01_softmax import softmax as s",
    ]
    assert submission.notes == (f"{TAKEN}ex01.py, ex05.py",)


def test_what_an_earlier_exercise_gives_need_not_be_imported_in_one_file(tmp_path: Path) -> None:
    """Nobody was asked for it, or its file is another one."""
    text = b"def attention_weights(scores):\n    return softmax(scores, axis=-1)\n"
    star = b"from torch.nn.functional import *\n" + text

    plain = from_folder(tmp_path / "plain", {"homework.py": text})
    starred = from_folder(tmp_path / "starred", {"homework.py": star})

    assert b"from .ex01_softmax import softmax" in plain.files["ex02_attention_scores"]
    assert b"ex01_softmax" not in starred.files["ex02_attention_scores"]


def test_one_exercise_may_come_in_several_files(tmp_path: Path) -> None:
    padding = b"import torch\n\ndef padding_mask(lengths, size):\n    return lengths > size\n"
    for at, names in enumerate((("masks.py", "more.py"), ("ex05_a.py", "ex05_b.py"))):
        submission = from_folder(tmp_path / str(at), dict(zip(names, (MASK, padding), strict=True)))

        text = submission.files[EX05].decode()
        assert "def causal_mask(size):\n    return torch.ones" in text
        assert "def padding_mask(lengths, size):\n    return lengths > size" in text
        assert submission.notes[0] == f"ex05 was put together from {', '.join(names)}"
        line = 1 + text.split("\n").index("def padding_mask(lengths, size):")
        assert submission.notebooks[EX05].modules[line] == (names[1], 3)


def test_one_note_tells_of_all_short_names(tmp_path: Path) -> None:
    files = {
        f"{exercise.short}.py": exercise.solution.read_bytes()
        for exercise in [*exercises().values()][:18]
    }

    submission = from_folder(tmp_path, files)

    assert [*submission.files] == [*exercises()][:18]
    assert submission.notes == (f"{TAKEN}ex01.py, ex02.py, ex03.py and 15 more",)


# One file with several exercises


HOMEWORK = b'''"""My homework."""
import numpy as np
import torch

SCALE = 1.0


def helper(x):
    return x * SCALE


def softmax(scores, axis=-1):
    return helper(np.exp(scores))


print(softmax(np.ones(3)))


# Exercise 5
def causal_mask(size):
    return torch.ones(size, size).tril().bool()


if __name__ == "__main__":
    open("plot.png", "w")
'''


def test_one_file_is_split_into_its_exercises(tmp_path: Path) -> None:
    for name in ("solution.py", "jane.py", "05.py", "ex01-ex05.py", "homework.py"):
        submission = from_folder(tmp_path / name, {name: HOMEWORK})
        assert [*submission.files] == [EX01, EX05], name
        assert submission.notes == (f"{name} counts for ex01, ex05",)
    softmax = submission.files[EX01].decode()
    assert "SCALE = 1.0" in softmax
    assert "def helper" in softmax
    assert "open(" not in softmax
    assert "print(" not in softmax
    assert "causal_mask" not in softmax
    ast = parse(Path(F05), submission.files[EX05].decode()).tree
    assert {name for name, _ in functions(ast)} == {
        name for name, _ in functions(parse(Path(F05), STUB.decode()).tree)
    }


def test_its_lines_are_known(tmp_path: Path) -> None:
    submission = from_folder(tmp_path, {"homework.py": HOMEWORK})

    for slug in (EX01, EX05):
        known, lines = submission.notebooks[slug], submission.files[slug].decode().splitlines()
        assert (known.name, known.script) == ("homework.py", True)
        own = HOMEWORK.decode().splitlines()
        assert len(known.places) >= 3
        for at, (_, line) in known.places.items():
            assert lines[at - 1] == own[line - 1]


def test_the_last_definition_counts(tmp_path: Path) -> None:
    later = HOMEWORK + SOFTMAX.replace(b"np.exp", b"np.exp2")

    assert b"np.exp2" in from_folder(tmp_path, {"hw.py": later}).files[EX01]


def test_a_part_that_is_not_python_costs_only_itself(tmp_path: Path) -> None:
    broken = HOMEWORK.replace(b"def softmax(scores, axis=-1):", b"def softmax(scores, axis=-1:")

    submission = from_folder(tmp_path, {"homework.py": broken})

    assert [*submission.files] == [EX01, EX05]
    assert b"tril" in submission.files[EX05]
    assert b"not written yet" in submission.files[EX01]
    assert submission.notes == (
        "homework.py counts for ex01, ex05",
        "what begins at line 12 of homework.py was not read, or not all of it, as it is not Python "
        "or too long; it seems to define something of ex01",
    )


def test_it_may_be_longer_than_the_file_of_one_exercise(tmp_path: Path) -> None:
    every = b"\n\n".join(
        exercise.solution.read_bytes() for exercise in [*exercises().values()][:18]
    )
    assert len(every) > LARGEST

    submission = from_folder(tmp_path, {"homework.py": every})

    assert [*submission.files] == [*exercises()][:18]


def test_a_heading_tells_whose_a_shared_name_is(tmp_path: Path) -> None:
    split = b"def split_heads(x, num_heads):\n    return x\n"
    merge = b"def merge_heads(x):\n    return x\n"
    submission = from_folder(tmp_path, {"all.py": b"# ex07\n" + split + b"# ex16: NumPy\n" + merge})

    assert EX07 in submission.files
    assert "told by headings or libraries" in submission.notes[1]


def test_files_with_full_names_count_before_one_with_everything(tmp_path: Path) -> None:
    submission = from_folder(
        tmp_path, {"homework.py": HOMEWORK, F05: MASK, "homework.ipynb": b"{}"}
    )

    assert submission.files[EX05] == MASK
    assert b"helper" in submission.files[EX01]


def test_a_clone_with_stubs_and_one_file_with_everything(tmp_path: Path) -> None:
    clone(tmp_path, "alice", STUB)
    write(tmp_path / "alice", {"homework.py": HOMEWORK, "tests/accepted/x.py": OTHER,
                               "kata/softmax.py": SOFTMAX})  # fmt: skip

    submission = only_student(tmp_path / "alice")

    assert [*submission.files] == [EX01, EX05]
    assert submission.notes == ("homework.py counts for ex01, ex05",)


def test_other_files_hold_nothing(tmp_path: Path) -> None:
    for content in (
        *(b"", b"x = 1\n", b"\0" * 5000, b"def softmax(", b"(" * 100_000, b"softmax = 3\n"),
        *(
            b"from scipy.special import softmax\n",
            b"def softmax(x):\n    raise NotImplementedError\n",
        ),
    ):
        submission = from_folder(tmp_path, {"homework.py": content, F05: MASK})

        assert [*submission.files] in ([EX05], [EX01, EX05]), content[:40]
        assert submission.files[EX05] == MASK


def test_only_so_many_files_are_looked_into(tmp_path: Path) -> None:
    submission = from_archive(
        tmp_path, zipped({F05: MASK, **{f"{n:03}/x.py": SOFTMAX for n in range(60)}})
    )

    assert submission.files[EX05] == MASK
    assert "more than 50 Python files that may hold exercises" in submission.notes[-1]


def test_a_long_file_of_blank_lines_and_statements_is_read_in_time(tmp_path: Path) -> None:
    times = 10 if everything() else 1
    lines = b"\n" * (10_000 * times) + b"x = 1\n" * (2_000 * times)
    content = b"def softmax(x):\n    return x\nx = 1\n" + lines

    assert [*from_folder(tmp_path, {"homework.py": content}).files] == [EX01]


@pytest.mark.parametrize(("names", "students"), [
    (["ex05.py", "ex01.py"], {"class": [EX01, EX05]}),
    (["ann_ex05.py", "ann_ex01.py", "bob_ex05.py"], {"ann": [EX01, EX05], "bob": [EX05]}),
    (["ex05_ann.py", "ex05_bob.py"], {"ex05_ann": [EX05], "ex05_bob": [EX05]}),
])  # fmt: skip
def test_a_class_of_short_names(
    tmp_path: Path, names: list[str], students: dict[str, list[str]]
) -> None:
    """One student's folder, and a folder in which each student has a file."""
    files = {name: SOFTMAX if "ex01" in name else MASK for name in names}
    class_ = by_student(write(tmp_path / "class", files))

    assert {name: [*work.files] for name, work in class_.items()} == students


def test_short_names_in_every_export(tmp_path: Path) -> None:
    students = {
        "doejane_101_9001_ex05.py": "doejane", "doejane_LATE_101_9001_ex05-1.py": "doejane",
        "Jane Doe_101_assignsubmission_file_ex05.py": "Jane Doe",
        "hw_jane_attempt_2026-03-01-10-00-00_homework.py": "jane",
        "submission_1/ex05.py": "submission_1", "jane.py": "jane",
    }  # fmt: skip
    for at, (name, student) in enumerate(students.items()):
        other = name.replace("jane", "roe").replace("Jane", "Roe").replace("submission_1", "s")
        files = {name: MASK, other.replace("101_9001", "102_9002"): OTHER}

        assert [*by_student(write(tmp_path / str(at), files))[student].files] == [EX05], name
