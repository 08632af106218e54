"""Notebooks among what was handed in: what they count for, and that odd ones cost nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from kata.course.contract import AS_A_PROGRAM
from kata.course.curriculum import exercises
from kata.course.notebook_file import LARGEST_NOTEBOOK
from kata.course.source import LARGEST, functions, not_started, parse
from kata.grading.collecting.submissions import Submission
from tests.helpers.handed_work import EX01, EX05, EX07, F01, F05, METADATA, OTHER, STUB, WORK, Files
from tests.helpers.handing_in import (
    by_student,
    check,
    clone,
    from_archive,
    only_student,
    read_all,
    tarred,
    write,
    zipped,
)

EX16 = "ex16_numpy_multi_head"
SOFTMAX = "import numpy as np\n\ndef softmax(scores, axis=-1):\n    return np.exp(scores)\n"
MASK = "import torch\n\ndef causal_mask(size):\n    return torch.ones(size, size).tril().bool()\n"
SPLIT = "def split_heads(x, num_heads):\n    return x\n"
TORCH = f"import torch\n{SPLIT}"
NUMPY = "import numpy as np\n" + SPLIT.replace("return x", "return np.asarray(x)")
HEADS = "def multi_head_attention(x, *weights):\n    return split_heads(x, 2)\n"


def code(text: str, **metadata: object) -> dict[str, Any]:
    return {"cell_type": "code", "source": text, "metadata": metadata, "outputs": []}


def notebook(*cells: str | dict[str, Any], **metadata: object) -> bytes:
    entries = [code(cell) if isinstance(cell, str) else cell for cell in cells]
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": entries}
    ).encode()


def texts(submission: Submission) -> dict[str, str]:
    return {slug: content.decode() for slug, content in submission.files.items()}


def from_one(tmp_path: Path, content: bytes, name: str = "homework.ipynb") -> Submission:
    return only_student(write(tmp_path, {f"alice/{name}": content}))


def in_every_pack(tmp_path: Path, files: Files) -> list[Submission]:
    """A folder, a zip and a tar with the same files."""
    return [
        only_student(write(tmp_path / "folder", {f"alice/{k}": v for k, v in files.items()})),
        from_archive(tmp_path / "zip", zipped(files)),
        from_archive(tmp_path / "tar", tarred(files), "alice.tgz"),
    ]


# What a notebook counts for

NAMES = f"{EX05}.ipynb", f"{EX05} (1).ipynb", f"Copy of {EX05}.ipynb", "ex05.ipynb", "EX05_x.ipynb"
HELPER = "def split_heads(x):\n    return x\n"
STUB_OF_EX05 = exercises()[EX05].stub.read_text().replace(AS_A_PROGRAM, "")
LABELLED = {"kata": {"exercise": EX01}}


@pytest.mark.parametrize(("name", "cells", "metadata", "slugs", "said"), [
    *((name, [MASK, HELPER], {}, [EX05], "") for name in NAMES),
    (f"{EX05}.ipynb", [SOFTMAX, MASK], {}, [EX01, EX05], f"{EX05}.ipynb counts for ex01"),
    ("ex01-ex05.ipynb", [SOFTMAX, MASK], {}, [EX01, EX05], "ex01-ex05.ipynb counts for ex01, ex05"),
    ("hw.ipynb", ["print(1)", SOFTMAX, "%matplotlib inline", MASK, "softmax(3)"], {}, [EX01, EX05],
     "hw.ipynb counts for ex01, ex05"),
    *(("hw.ipynb", [SOFTMAX, f"from {place}{EX01} import softmax\n", MASK], {}, [EX01, EX05],
       "hw.ipynb counts for ex01, ex05") for place in (".", "kata.earlier.")),
    ("hw.ipynb", [SOFTMAX, MASK], LABELLED, [EX01, EX05], "hw.ipynb counts for ex05"),
    ("hw.ipynb", ["from scipy.special import softmax", MASK, "train = 3"], {}, [EX05],
     "hw.ipynb counts for ex05"),
    ("hw.ipynb", ["softmax = lambda scores, axis=-1: scores"], {}, [EX01],
     "hw.ipynb counts for ex01"),
    ("hw.ipynb", [STUB_OF_EX05], {}, [], "it contains no exercise, only hw.ipynb"),
])  # fmt: skip
def test_what_a_notebook_counts_for(
    tmp_path: Path, name: str, cells: list[str], metadata: dict[str, Any], slugs: list[str],
    said: str,
) -> None:  # fmt: skip
    submission = from_one(tmp_path, notebook(*cells, **metadata), name)

    assert [*submission.files] == slugs
    assert (submission.problem or "; ".join(submission.notes)) == said
    if SOFTMAX in cells:
        assert texts(submission)[EX01].split() == SOFTMAX.split()


def test_what_no_cell_defines_is_not_written(tmp_path: Path) -> None:
    submission = from_one(tmp_path, notebook(MASK))

    source = parse(Path(F05), texts(submission)[EX05])
    stubs = functions(parse(Path(F05), STUB.decode()).tree)
    assert not not_started(source, exercises()[EX05])
    assert {name for name, _ in functions(source.tree)} == {name for name, _ in stubs}
    assert "mask_scores: not written yet" in source.text
    assert "causal_mask: not written yet" not in source.text


@pytest.mark.parametrize(("name", "cell", "metadata", "note"), [
    (f"{EX01}.ipynb", "print(1)", {}, ""), ("hw.ipynb", "1", LABELLED, ""),
    ("hw.ipynb", SOFTMAX.replace("):", ")"), {}, "code cell 1 of hw.ipynb was not read, or"),
])  # fmt: skip
def test_one_that_is_of_an_exercise_and_not_begun_is_its_stub(
    tmp_path: Path, name: str, cell: str, metadata: dict[str, Any], note: str
) -> None:
    submission = from_one(tmp_path, notebook(cell, **metadata), name)

    assert not_started(parse(Path(F01), texts(submission)[EX01]), exercises()[EX01])
    assert " ".join(submission.notes[1:]).startswith(note)


# Names that two exercises ask for


@pytest.mark.parametrize(("name", "cells", "metadata", "taken"), [
    ("hw.ipynb", [TORCH], {}, [EX07]), ("hw.ipynb", [NUMPY], {}, [EX16]),
    ("hw.ipynb", [SPLIT], {}, [EX07]), ("hw.ipynb", [SPLIT, HEADS], {}, [EX07, EX16]),
    ("hw.ipynb", [TORCH, NUMPY, HEADS], {}, [EX07, EX16]),
    ("hw.ipynb", [code(NUMPY, tags=["ex07"])], {}, [EX07]),
    ("hw.ipynb", [code(SPLIT, kata=EX16)], {}, [EX16]),
    ("hw.ipynb", [code(SPLIT, kata={"exercise": "ex16"})], {}, [EX16]),
    ("hw.ipynb", [code(SPLIT, tags=["ex05", "x"])], {}, [EX07]),
    ("hw.ipynb", [NUMPY], {"kata": "ex07"}, [EX07]),
    ("ex07.ipynb", [code(NUMPY, tags=["ex16"])], {}, [EX07]),
    ("ex16.ipynb", [TORCH], {"kata": "ex07"}, [EX16]),
], ids=range(12))  # fmt: skip
def test_whose_a_cell_is(
    tmp_path: Path, name: str, cells: list[Any], metadata: dict[str, Any], taken: list[str]
) -> None:
    assert [*from_one(tmp_path, notebook(*cells, **metadata), name).files] == taken


def test_each_exercise_gets_the_cells_of_its_own_library(tmp_path: Path) -> None:
    heads = "class MultiHeadAttention:\n    def forward(self, x):\n        return split_heads(x)\n"
    submission = from_one(tmp_path, notebook(TORCH, heads, NUMPY, HEADS))

    assert {slug: "asarray" in text for slug, text in texts(submission).items()} == {
        EX07: False, "ex09_multi_head_attention": False, EX16: True,
    }  # fmt: skip
    assert submission.notes[1] == (
        "several exercises ask for split_heads: which cells of homework.ipynb are for which was "
        "told by names, tags or libraries"
    )


# A file and a notebook, and several notebooks


@pytest.mark.parametrize(("files", "taken", "note"), [
    ({"hw.ipynb": notebook(SOFTMAX), F01: WORK}, WORK,
     f"ex01 was found more than once: {F01} counts, not hw.ipynb"),
    ({"hw.ipynb": notebook(SOFTMAX), f"{EX01}.ipynb": notebook(SOFTMAX + "\n\n# more\n")},
     SOFTMAX.encode(), ""),
    ({"hw.ipynb": notebook(MASK), f"a/{EX01}.ipynb": notebook(SOFTMAX)}, SOFTMAX.encode(),
     "hw.ipynb counts for ex05"),
    ({"hw.ipynb": notebook(SOFTMAX.replace("exp", "log")), "ex01.ipynb": notebook(SOFTMAX)},
     SOFTMAX.encode(), "ex01 was found more than once: ex01.ipynb counts, not hw.ipynb"),
    ({F01: exercises()[EX01].stub.read_bytes(), "hw.ipynb": notebook(SOFTMAX)}, SOFTMAX.encode(),
     "hw.ipynb counts for ex01"),
    ({F01: exercises()[EX01].stub.read_bytes() + b"# later\n", "hw.ipynb": notebook(SOFTMAX)},
     SOFTMAX.encode(), "hw.ipynb counts for ex01"),
    ({F01: exercises()[EX01].stub.read_bytes(), f"{EX01}.ipynb": notebook("print()")},
     exercises()[EX01].stub.read_bytes(), ""),
], ids=range(7))  # fmt: skip
def test_which_counts(tmp_path: Path, files: Files, taken: bytes, note: str) -> None:
    for submission in in_every_pack(tmp_path, files):
        assert submission.files[EX01].split() == taken.split()
        assert submission.notes == ((note,) if note else ())


def test_neither_of_two_notebooks_counts_if_nothing_ranks_them(tmp_path: Path) -> None:
    other = notebook(SOFTMAX.replace("exp", "log"), MASK)

    for work in in_every_pack(tmp_path, {"a.ipynb": notebook(SOFTMAX), "b.ipynb": other}):
        check(work, {EX05: b"causal_mask"}, "ex01 was found more than once with different content, "
              "so none counts: a.ipynb, b.ipynb", "b.ipynb counts for ex05")  # fmt: skip


@pytest.mark.parametrize(("files", "counts", "notes"), [
    ({"alice.ipynb": notebook(SOFTMAX, MASK), "alice.zip": zipped({F01: WORK})},
     {EX01: WORK, EX05: b"causal_mask"},
     ["ex01 handed in more than once: alice.zip counts, not alice.ipynb",
      "alice.ipynb counts for ex01, ex05"]),
    ({f"doe_1_500_{F01}": WORK, "doe_1_501_hw.ipynb": notebook(SOFTMAX)}, {EX01: b"np.exp"},
     [f"ex01 handed in more than once: hw.ipynb is later, and counts, not {F01}",
      "hw.ipynb counts for ex01"]),
    ({f"doe_1_502_{F01}": WORK, "doe_1_501_hw.ipynb": notebook(SOFTMAX)}, {EX01: WORK},
     [f"ex01 handed in more than once: {F01} is later, and counts, not hw.ipynb",
      "hw.ipynb counts for ex01"]),
], ids=["a file counts before a notebook", "a later notebook", "a later file"])  # fmt: skip
def test_which_of_several_places_counts(
    tmp_path: Path, files: Files, counts: Files, notes: list[str]
) -> None:
    check(only_student(write(tmp_path, files)), counts, *notes)


# In every export


@pytest.mark.parametrize(
    "names",
    [
        {"doejane_101_9001_hw.ipynb": "doejane", "roe_LATE_102_9002_ex01_softmax.ipynb": "roe"},
        {"Jane Doe_101_assignsubmission_file_hw.ipynb": "Jane Doe",
         "Roe_102_assignsubmission_file_/a/hw.ipynb": "Roe"},
        {"Jane Doe_101_assignsubmission_file_/hw.ipynb": "Jane Doe"},
        {"submission_101/hw.ipynb": "Solo Student (100)",
         "submission_103/a/b.ipynb": "Solo Student (300)"},
        {"masks-submissions/masks-janedoe/notebooks/ex01_softmax.ipynb": "janedoe",
         "masks-submissions/masks-roe/hw.ipynb": "roe"},
        {"masks_jane_attempt_2026-03-01-10-00-00_hw.ipynb": "jane",
         "masks_roe_attempt_2026-03-01-10-00-00_ex01_softmax.ipynb": "roe"},
        {"jane.ipynb": "jane", "roe/hw.ipynb": "roe", "ann_ex01_softmax.ipynb": "ann"},
        {"jane/ps1/ps1.ipynb": "jane", "roe/ps1/ps1.ipynb": "roe"},  # nbgrader's
    ],
    ids=["canvas", "moodle", "moodle-folders", "gradescope", "classroom", "blackboard", "none",
         "nbgrader"],
)  # fmt: skip
def test_notebooks_are_found_in_every_export(tmp_path: Path, names: dict[str, str]) -> None:
    write(tmp_path, dict.fromkeys(names, notebook(SOFTMAX)))
    if any(name.startswith("submission_") for name in names):
        write(tmp_path, {"submission_metadata.yml": METADATA.encode()})

    students = by_student(tmp_path)

    assert {submission.student for submission in students.values() if EX01 in submission.files} == {
        *names.values()
    }


def test_notebooks_in_a_clone_of_the_kata_count_unless_they_are_its_own(tmp_path: Path) -> None:
    clone(tmp_path, "alice", STUB)
    write(tmp_path / "alice", {
        "notebooks/ex01_softmax.ipynb": notebook(SOFTMAX), "docs/hw.ipynb": notebook(SPLIT),
        ".ipynb_checkpoints/hw-checkpoint.ipynb": notebook(TORCH),
    })  # fmt: skip

    check(only_student(tmp_path / "alice"), {EX01: b"np.exp", EX05: STUB})


# Odd and hostile ones


BAD = {
    "broken": notebook(SOFTMAX)[:-9], "nested": b"[" * 200_000,
    "three": b'{"nbformat": 3, "worksheets": []}', "cells": b'{"cells": 3}',
    "language": notebook(SOFTMAX, language_info={"name": "R"}),
    "twice": b'{"nbformat": 4, "cells": [], "cells": []}',
    "outputs": notebook(code("x") | {"outputs": ["a" * 9_000_000]}), "empty": b"",
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_notebook_is_one_line_and_nothing_else_is_lost(tmp_path: Path, name: str) -> None:
    files = {f"{name}.ipynb": BAD[name], "hw.ipynb": notebook(MASK), F01: WORK}

    for submission in in_every_pack(tmp_path, files):
        assert [*submission.files] == [EX01, EX05]
        (line,) = (note for note in submission.notes if name in note)
        assert line.startswith(f"not read: {name}.ipynb: ")
        assert "notebook" in line


def test_a_bad_notebook_alone_is_a_problem_of_its_author(tmp_path: Path) -> None:
    files = {f"{name}.ipynb": content for name, content in BAD.items()}
    students = read_all(write(tmp_path, files | {"zoe.ipynb": notebook(MASK)}))

    assert [*students.pop("zoe").files] == [EX05]
    assert sorted(students) == sorted(BAD)
    for name, work in students.items():
        assert work.problem.startswith(f"it contains no exercise; not read: {name}.ipynb: ")


def test_cells_that_are_none_or_not_python_are_said(tmp_path: Path) -> None:
    cells = [3, code("%%bash\nls"), code("def mask_scores(:\n"), code("!ls\n1 +")]
    cells += [code("[" * 200_000), code("x = '\ud800'"), code(MASK), code("x = 1\0")]
    content = json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}).encode()

    submission = from_one(tmp_path, content)

    assert [*submission.files] == [EX05]
    assert submission.notes == (
        "homework.ipynb counts for ex05",
        "homework.ipynb lists things that are not cells, which were left out: 1",
        "code cell 2 of homework.ipynb was not read, or not all of it, as it is not Python or too "
        "long; it seems to define something of ex05",
    )


def test_code_that_is_too_long_for_a_file_is_too_long_for_a_notebook(tmp_path: Path) -> None:
    half = "x" * (LARGEST // 2)
    cells = [f"A = '{half}'", f"B = '{half}'", SOFTMAX.replace("np.exp(scores)", "A + B")]
    single = from_one(tmp_path / "1", notebook(f"{SOFTMAX}    # {'x' * LARGEST}\n    return 3\n"))

    assert len(from_one(tmp_path / "2", notebook(*cells)).files[EX01]) == LARGEST + 1
    assert single.notes[1].startswith(
        "code cell 1 of homework.ipynb was not read, or not all of it"
    )


@pytest.mark.parametrize(("files", "note"), [
    ({"bomb.ipynb": bytes(LARGEST_NOTEBOOK + 1)},
     "not read: bomb.ipynb: a notebook of more than 8 MiB…"),
    ({f"{number:03}.ipynb": notebook("x = 1") for number in range(60)},
     "not read: 050.ipynb, 051.ipynb, 052.ipynb and 7 more: more than 50 notebooks"),
])  # fmt: skip
def test_only_so_much_is_read(tmp_path: Path, files: Files, note: str) -> None:
    check(from_archive(tmp_path, zipped({F05: OTHER, **files})), {EX05: OTHER}, note)


def test_the_cells_are_known_by_their_numbers(tmp_path: Path) -> None:
    submission = from_one(tmp_path, notebook("print(1)", SOFTMAX))

    known = submission.notebooks[EX01]
    lines = texts(submission)[EX01].splitlines()
    assert known.name == "homework.ipynb"
    cell = dict(enumerate(SOFTMAX.splitlines(), 1))
    assert {number: lines[number - 1] for number in known.places} == {
        number: cell[line] for number, (_, line) in known.places.items()
    }
    assert {number for number, _ in known.places.values()} == {2}
