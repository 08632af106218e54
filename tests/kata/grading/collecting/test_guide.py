"""Each row of "What is recognised" in docs/grading/hand-ins.md, with a hand-in that it is about."""

import re
import zipfile
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT
from kata.grading.collecting.submissions import Submission
from tests.helpers.handed_work import EX01, EX05, F01, F05, Files
from tests.helpers.handing_in import by_student, write, zipped

PAGE = (ROOT / "docs" / "grading" / "hand-ins.md").read_text(encoding="utf-8")
TABLE = PAGE.split("## What is recognised")[1].split("## ")[0]
ROWS = re.findall(r"^\| (?!handed in|---)(.*?) \| (.*) \|$", TABLE, re.MULTILINE)
MASK = b"def causal_mask(size):\n    return size\n"
OTHER = b"def causal_mask(size):\n    return 1 + size\n"
SOFTMAX = b"def softmax(scores):\n    return scores\n"
SOFTMAX_OF_EXP = b"def softmax(scores):\n    return exp(scores)\n"
ATTENTION = b"class MultiHeadAttention:\n    mask = causal_mask(3)\n"
EX09 = "ex09_multi_head_attention"
ODD = "größe = 1\n".encode("latin-1")

# For each row: what is handed in, which exercises count for whom, and what the notes say.
EXAMPLES: list[tuple[str, Files, dict[str, set[str]], str]] = [
    ("`ex05.py`, `Exercise 5.py`", {"a/Exercise 5.py": MASK}, {"a": {EX05}},
     "count for the exercises in their names"),
    ("`ex05.py` and `ex05 (1).py`", {"a/ex05.py": MASK, "a/ex05 (1).py": OTHER}, {"a": {EX05}},
     "ex05.py counts, not ex05 (1).py"),
    ("`ex05.py` and `ex05_final.py`",
     {"a/ex05.py": MASK, "a/ex05_final.py": OTHER, f"a/{F01}": SOFTMAX}, {"a": {EX01}},
     "none counts"),
    ("`hw_v1.zip` and",
     {"a/hw_v1.zip": zipped({F05: OTHER}), "a/hw_v2.zip": zipped({F05: MASK})}, {"a": {EX05}},
     "hw_v2.zip/ex05_causal_masks.py counts"),
    ("`masks.py`, and",
     {"a/masks.py": MASK, "a/mha.py": b"from masks import causal_mask\n" + ATTENTION},
     {"a": {EX05, EX09}}, "mha.py is judged with what it imports from masks.py"),
    ("`utils.py` with", {f"a/{F01}": b"from utils import exp\n" + SOFTMAX_OF_EXP,
                         "a/utils.py": b"def exp(x):\n    return x\n"}, {"a": {EX01}},
     "ex01_softmax.py is judged with what it imports from utils.py"),
    ("`masks.py` and `attention.py`",
     {"a/masks.py": MASK, "a/attention.py": MASK.replace(b"causal", b"padding")}, {"a": {EX05}},
     "ex05 was put together from attention.py, masks.py"),
    ("`ex04_scaled_attention.py` with", {"a/ex04_scaled_attention.py": MASK}, {"a": {EX05}},
     "counts for ex05, not for ex04"),
    ("`test_ex05.py`", {"a/test_ex05.py": MASK, f"a/{F01}": SOFTMAX}, {"a": {EX01}},
     "test_ex05.py does not count for ex05"),
    ("`homework.py`", {"a/homework.py": SOFTMAX + MASK}, {"a": {EX01, EX05}},
     "homework.py counts for ex01, ex05"),
    ("a zip or tar in", {"a.zip": zipped({"b.zip": zipped({F05: MASK})})}, {"a": {EX05}}, ""),
    ("a zip with LZMA", {"a.zip": zipped({F05: MASK}, zipfile.ZIP_LZMA)}, {"a": {EX05}}, ""),
    ("UTF-16", {f"a/{F05}": MASK.decode().encode("utf-16-le")}, {"a": {EX05}}, "save it as UTF-8"),
    ("Latin-1", {f"a/{F05}": MASK + b"# " + ODD, f"b/{F05}": MASK + ODD}, {"a": {EX05}, "b": set()},
     "save it as UTF-8"),
    ("folders `Wei", {f"wei/{F05}": MASK, f"wei (2)/{F05}": OTHER},
     {"wei": {EX05}, "wei (2)": {EX05}}, ""),
    ("`wei.zip` and", {"wei.zip": zipped({F05: MASK}), "wei (2).zip": zipped({F05: OTHER})},
     {"wei": {EX05}}, "wei (2).zip is later"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "example"), [*zip(ROWS, EXAMPLES, strict=True)])
def test_every_row_of_the_guide_is_true(
    tmp_path: Path, row: tuple[str, str], example: tuple[str, Files, dict[str, set[str]], str]
) -> None:
    begins, files, counts, told = example

    students = by_student(write(tmp_path / "class", {**files, f"zoe/{F01}": SOFTMAX}))

    assert row[0].startswith(begins)
    assert students.pop("zoe") == Submission("zoe", {EX01: SOFTMAX})
    assert {name: {*work.files} for name, work in students.items()} == counts
    notes = [note for work in students.values() for note in (*work.notes, work.problem)]
    assert told in " ".join(notes)
    assert told or not any(notes)
