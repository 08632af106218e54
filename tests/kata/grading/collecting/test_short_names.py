"""Files that are not called as their exercise is, but say which it is, or hold several."""

from itertools import product
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.course.source import functions, parse
from kata.grading.collecting.names import number, slug_of
from kata.grading.collecting.submissions import Submission
from tests.helpers.handed_work import EX01, EX05, EX07, F01, F05, STUB, Files
from tests.helpers.handing_in import (
    by_student,
    check,
    clone,
    from_archive,
    from_folder,
    only_student,
    write,
    zipped,
)
from tests.helpers.sampling import everything

EX02, EX16 = "ex02_attention_scores", "ex16_numpy_multi_head"
MASK = b"import torch\n\ndef causal_mask(size):\n    return torch.ones(size, size).tril().bool()\n"
OTHER = MASK.replace(b"tril", b"triu")
PADDING = b"import torch\n\ndef padding_mask(lengths, size):\n    return lengths > size\n"
SOFTMAX = b"import numpy as np\n\ndef softmax(scores, axis=-1):\n    return np.exp(scores)\n"
COMMENT = b"# def causal_mask(size):\n"
TESTS = b"from ex05_causal_masks import causal_mask\n\ndef test_it():\n    assert causal_mask(3)\n"
WEIGHTS = b"def attention_weights(scores):\n    return softmax(scores, axis=-1)\n"
SPLIT, MERGE = (
    b"def split_heads(x, num_heads):\n    return x\n",
    b"def merge_heads(x):\n    return x\n",
)
TAKEN = "count for the exercises in their names, as they define what these ask for: "
FOUND = "ex05 was found more than once"
NONE = f"{FOUND} with different content, so none counts: "
FIRST = [*exercises().values()][:18]
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

SHORT = (*("ex05.py", "ex05 (1).py", "Ex05.PY", "ex05_final.py", "ex05-causal-masks.py", "ex5.py"),
         *("Exercise 5.py", "EX_05.py", "hw_ex05_jane.py", "ex05.py.txt", "ex05 - Copy.py"),
         *("ex05_causal_masks.py.py", "my_ex05_causal_masks_v2.py"))  # fmt: skip
HELPERS = "ex05_test.py", "test_ex05.py", "ex05_notes.py", "ex05Utils.py"
NEARER = [*((F05, "ex05.py"), (F05, "ex05_final.py"), ("ex05.py", "ex05 (1).py")),
          *(("ex05.py", "ex05_old.py"), ("ex05_final.py", "ex05_old.py")),
          *(("ex05.py", "old/ex05_final.py"), ("ex05.py", "homework.py")),
          ("ex05_old.py", "homework.py")]  # fmt: skip
UNRANKED = [("ex05.py", "ex05_final.py"), ("ex05_mine_v2.py", "ex05_v1.py"),
            *(("ex05_new.py", "ex05 (1).py"), ("a/ex05.py", "b/ex05.py")),
            ("homework.py", "homework2.py")]  # fmt: skip
# In the folder of a student: what counts, and what is said.
FOLDERS: dict[str, tuple[Files, Files, list[str]]] = {
    **{f"{name} defines what its name asks for": ({name: MASK}, {EX05: MASK}, [TAKEN + name])
       for name in SHORT},
    "two exercises in a name": ({"ex06causal.py.ex05.py": MASK}, {EX05: b"tril"},
                                ["ex06causal.py.ex05.py counts for ex05"]),
    "an old one alone": ({"ex05_old.py": MASK}, {EX05: MASK}, [f"{TAKEN}ex05_old.py"]),
    "a draft beside a stub": ({F05: STUB, "ex05_draft.py": MASK}, {EX05: MASK},
                              [f"{TAKEN}ex05_draft.py"]),
    "a wrong number": ({"ex06.py": SOFTMAX}, {EX01: b"np.exp"}, ["ex06.py counts for ex01"]),
    **{f"a helper {name} beside an answer, {len(content)} bytes":
       ({F05: OTHER, name: content}, {EX05: OTHER}, [])
       for name, content in product(HELPERS, (TESTS, COMMENT, MASK))},
    **{f"a helper {name} alone, {len(content)} bytes":
       ({name: content}, {}, [f"it contains no exercise, only {name}…"])
       for name, content in product(HELPERS, (TESTS, COMMENT, MASK))},
    **{f"{name} is nearer than {other}":
       ({name: MASK, other: OTHER}, {EX05: MASK}, [f"{FOUND}: {name}…"] + [f"{TAKEN}{name}"]
        * (name != F05)) for name, other in NEARER},
    **{f"neither {name} nor {other}": ({name: MASK, other: OTHER, F01: SOFTMAX}, {EX01: SOFTMAX},
                                       [f"{NONE}{name}, {other}"]) for name, other in UNRANKED},
    "imports between short names":
        ({"ex05.py": b"from ex01 import softmax\nfrom .ex1 import softmax as s\n" + MASK,
          "ex01.py": SOFTMAX},
         {EX01: SOFTMAX, EX05: b"from .ex01_softmax import softmax\n"
          b"from .ex01_softmax import softmax as s\n" + MASK}, [f"{TAKEN}ex01.py, ex05.py"]),
    "an earlier exercise of which nobody has an answer":
        ({"homework.py": WEIGHTS}, {EX02: b"from .ex01_softmax import softmax"},
         ["homework.py counts for ex02"]),
    "one note for all short names":
        ({f"{exercise.short}.py": exercise.solution.read_bytes() for exercise in FIRST},
         {exercise.slug: exercise.solution.read_bytes() for exercise in FIRST},
         [f"{TAKEN}ex01.py, ex02.py, ex03.py and 15 more"]),
    **{f"{name} is split": ({name: HOMEWORK}, {EX01: b"SCALE = 1.0", EX05: b"tril"},
                            [f"{name} counts for ex01, ex05"])
       for name in ("solution.py", "jane.py", "05.py", "ex01-ex05.py", "homework.py")},
    "the last definition counts":
        ({"hw.py": HOMEWORK + SOFTMAX.replace(b"np.exp", b"np.exp2")},
         {EX01: b"np.exp2", EX05: b"tril"}, ["hw.py counts for ex01, ex05"]),
    "a part that is not Python":
        ({"homework.py": HOMEWORK.replace(b"scores, axis=-1):", b"scores, axis=-1:")},
         {EX01: b"not written yet", EX05: b"tril"},
         ["homework.py counts for ex01, ex05",
          "what begins at line 12 of homework.py was not read, or not all of it, as it is not "
          "Python or too long; it seems to define something of ex01"]),
    "longer than the file of one exercise":
        ({"homework.py": b"\n\n".join(exercise.solution.read_bytes() for exercise in FIRST)},
         {exercise.slug: b"" for exercise in FIRST},
         ["homework.py counts for ex01, ex02, …", "several exercises ask for …"]),
    "headings tell whose a shared name is":
        ({"all.py": b"# ex07\n" + SPLIT + b"# ex16: NumPy\n" + MERGE},
         {EX07: b"split_heads", EX16: b"merge_heads"},
         ["all.py counts for ex07, ex16", "several exercises ask for merge_heads, split_heads: "
          "which definitions in all.py are for which was told by headings or libraries"]),
    "full names before one file with everything":
        ({"homework.py": HOMEWORK, F05: MASK}, {EX01: b"helper", EX05: MASK},
         [f"{FOUND}: {F05} counts, not homework.py", "homework.py counts for ex01"]),
    "statements that take long": (
        {"homework.py": b"def softmax(x):\n    return x\nx = 1\n"
         + (b"\n" * 10_000 + b"x = 1\n" * 2_000) * (10 if everything() else 1)},
        {EX01: b"return x"}, ["homework.py counts for ex01"]),
}  # fmt: skip


@pytest.mark.parametrize("case", FOLDERS)
def test_what_counts_in_a_folder(tmp_path: Path, case: str) -> None:
    files, counts, notes = FOLDERS[case]

    check(from_folder(tmp_path, files), counts, *notes)


def test_an_archive_is_read_as_a_folder(tmp_path: Path) -> None:
    for name in SHORT:
        assert from_archive(tmp_path / name, zipped({name: MASK})) == Submission(
            "alice", {EX05: MASK}, (TAKEN + name,)
        )


def test_a_helper_that_defines_what_is_asked_for_is_told(tmp_path: Path) -> None:
    for content in (TESTS, COMMENT, MASK):
        alone = from_folder(tmp_path / str(len(content)), {"test_ex05.py": content})

        assert ("by its name it is a test" in alone.problem) is (content == MASK)


def test_what_a_library_may_give_is_not_imported(tmp_path: Path) -> None:
    starred = b"from torch.nn.functional import *\n" + WEIGHTS

    assert b"ex01_softmax" not in from_folder(tmp_path, {"homework.py": starred}).files[EX02]


def test_one_exercise_may_come_in_several_files(tmp_path: Path) -> None:
    for at, names in enumerate((("masks.py", "more.py"), ("ex05_a.py", "ex05_b.py"))):
        submission = from_folder(tmp_path / str(at), dict(zip(names, (MASK, PADDING), strict=True)))

        text = submission.files[EX05].decode()
        assert "def causal_mask(size):\n    return torch.ones" in text
        assert "def padding_mask(lengths, size):\n    return lengths > size" in text
        assert submission.notes[0] == f"ex05 was put together from {', '.join(names)}"
        line = 1 + text.split("\n").index("def padding_mask(lengths, size):")
        assert submission.notebooks[EX05].modules[line] == (names[1], 3)


def test_a_part_of_a_file_has_what_it_needs_and_its_lines_are_known(tmp_path: Path) -> None:
    submission = from_folder(tmp_path, {"homework.py": HOMEWORK})

    softmax, own = submission.files[EX01].decode(), HOMEWORK.decode().splitlines()
    assert "def helper" in softmax
    assert not [part for part in ("open(", "print(", "causal_mask") if part in softmax]
    written = functions(parse(Path(F05), submission.files[EX05].decode()).tree)
    asked = functions(parse(Path(F05), STUB.decode()).tree)
    assert {name for name, _ in written} == {name for name, _ in asked}
    for slug in (EX01, EX05):
        origin, lines = submission.notebooks[slug], submission.files[slug].decode().splitlines()
        assert (origin.name, origin.script) == ("homework.py", True)
        assert len(origin.places) >= 3
        assert {at: lines[at - 1] for at in origin.places} == {
            at: own[line - 1] for at, (_, line) in origin.places.items()
        }


def test_a_clone_with_stubs_and_one_file_with_everything(tmp_path: Path) -> None:
    clone(tmp_path, "alice", STUB)
    write(tmp_path / "alice", {"homework.py": HOMEWORK, "tests/accepted/x.py": OTHER,
                               "kata/softmax.py": SOFTMAX})  # fmt: skip

    check(only_student(tmp_path / "alice"), {EX01: b"", EX05: b""},
          "homework.py counts for ex01, ex05")  # fmt: skip


@pytest.mark.parametrize("content", [
    b"", b"x = 1\n", b"\0" * 5000, b"def softmax(", b"(" * 100_000, b"softmax = 3\n",
    b"from scipy.special import softmax\n", b"def softmax(x):\n    raise NotImplementedError\n",
], ids=range(8))  # fmt: skip
def test_other_files_hold_nothing(tmp_path: Path, content: bytes) -> None:
    submission = from_folder(tmp_path, {"homework.py": content, F05: MASK})

    assert [*submission.files] in ([EX05], [EX01, EX05])
    assert submission.files[EX05] == MASK


def test_only_so_many_files_are_looked_into(tmp_path: Path) -> None:
    files = {F05: MASK, **{f"{n:03}/x.py": SOFTMAX for n in range(60)}}
    submission = from_archive(tmp_path, zipped(files))

    assert submission.files[EX05] == MASK
    assert "more than 50 Python files that may hold exercises" in submission.notes[-1]


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


@pytest.mark.parametrize(("name", "student"), [
    ("doejane_101_9001_ex05.py", "doejane"), ("doejane_LATE_101_9001_ex05-1.py", "doejane"),
    ("Jane Doe_101_assignsubmission_file_ex05.py", "Jane Doe"),
    ("hw_jane_attempt_2026-03-01-10-00-00_homework.py", "jane"),
    ("submission_1/ex05.py", "submission_1"), ("jane.py", "jane"),
])  # fmt: skip
def test_short_names_in_every_export(tmp_path: Path, name: str, student: str) -> None:
    other = name.replace("jane", "roe").replace("Jane", "Roe").replace("submission_1", "s")
    files = {name: MASK, other.replace("101_9001", "102_9002"): OTHER}

    assert [*by_student(write(tmp_path, files))[student].files] == [EX05]


def test_which_exercise_a_file_is() -> None:
    right = (*(F05, "EX05_Causal_Masks.PY", f"{EX05} (1).py", f"{EX05}(12).py", f"{EX05}_1_.py"),
             *(f"{EX05}-1.py", f"{EX05} 2.py", f"{EX05} - Copy.py", f"{EX05} - Copy (2).py"),
             *(f"{EX05} copy.py", f"Copy of {EX05}.py", f"{F05}.txt"))  # fmt: skip
    others = (*(f"test_{F05}", f"{F05}c", f"{F05}.bak", f"{EX05}_old.py", "ex05_causal_mask.py"),
              *("ex05.py", "", "ex05_causal_masks" + "_1" * 40_000 + ".py"))  # fmt: skip

    assert {name: slug for name in right if (slug := slug_of(name)) != EX05} == {}
    assert {name[:60]: slug for name in others if (slug := slug_of(name)) != ""} == {}


def test_the_number_of_an_archive() -> None:
    names = "submission.zip", "submission.1.zip", "submission-2.zip", "submission (3).tar.gz"

    assert [number(name) for name in names] == [0, 1, 2, 3]
