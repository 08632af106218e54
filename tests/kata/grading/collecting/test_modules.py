"""Files that an answer imports by their own names, and names that are another exercise's."""

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kata.grading.collecting.modules import renamed
from kata.grading.collecting.submissions import Submission
from tests.helpers.handed_work import EX01, EX05, F01, F05, Files
from tests.helpers.handing_in import by_student, check, from_folder, only_student, write, zipped

EX02, EX04 = "ex02_attention_scores", "ex04_scaled_attention"
UTILS = b"""import numpy as np

LARGEST = 700


def stable_exp(x):
    return np.exp(np.minimum(x, LARGEST))


def unused():
    return 1
"""
USES = b"""%s

def softmax(scores, axis=-1):
    weights = %s(scores)
    return weights / weights.sum(axis=axis, keepdims=True)
"""
SOFTMAX = b"import numpy as np\n\ndef softmax(scores, axis=-1):\n    return np.exp(scores)\n"
MASK = b"import torch\n\ndef causal_mask(size):\n    return torch.ones(size, size).tril().bool()\n"
MASKS = MASK + b"".join(
    f"\n\ndef {name}(*some):\n    return some\n".encode()
    for name in ("padding_mask", "mask_scores", "mask_weights", "masked_attention")
)
WAYS = {
    "from utils import stable_exp": "stable_exp",
    "from .utils import stable_exp": "stable_exp",
    "from exercises.utils import stable_exp": "stable_exp",
    "from utils import stable_exp as exp": "exp",
    "from utils import *": "stable_exp",
    "from utils import (  # mine\n    stable_exp,\n)": "stable_exp",
    "import utils": "utils.stable_exp",
    "import math, utils as mine, os": "mine.stable_exp",
    "from . import utils": "utils.stable_exp",
    "import lib.utils": "lib.utils.stable_exp",
    "import lib.utils as u": "u.stable_exp",
}


def uses(way: str) -> bytes:
    return USES % (way.encode(), WAYS[way].encode())


def run(submission: Submission) -> Callable[..., object]:
    """The answer to ex01."""
    scope: dict[str, Callable[..., object]] = {}
    exec(submission.files[EX01], scope)
    return scope["softmax"]


def book(*cells: str) -> bytes:
    made = [{"cell_type": "code", "metadata": {}, "source": cell, "outputs": [],
             "execution_count": None} for cell in cells]  # fmt: skip
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made}).encode()


USED = uses("from utils import stable_exp")
SMALLER = UTILS.replace(b"700", b"500")
PACKAGE = {"lib/utils.py": UTILS, "other/utils.py": SMALLER,
           "lib/__init__.py": b"from .utils import stable_exp\n"}  # fmt: skip
PACKAGES = {
    "from lib import utils": "utils.stable_exp", "from .lib import utils": "utils.stable_exp",
    "from lib.utils import stable_exp": "stable_exp", "import lib.utils": "lib.utils.stable_exp",
    "from lib import stable_exp": "stable_exp", "from lib import *": "stable_exp",
}  # fmt: skip
COPIES = [("utils (1).py",), ("utils-1.py",), ("Utils.py",), ("utils.py", "utils (1).py"),
          ("utils.py", "utils-2.py")]  # fmt: skip
# What a student hands in, all of which is judged with a helper whose LARGEST is 700.
HELPED: dict[str, Files] = {
    **{way: {F01: uses(way), "utils.py": UTILS} for way in WAYS},
    **{f"{way} of a package": {F01: USES % (way.encode(), name.encode()), **PACKAGE}
       for way, name in PACKAGES.items()},
    **{f"a copy: {', '.join(names)}":
       {F01: USED, **dict.fromkeys(names, SMALLER), names[-1]: UTILS} for names in COPIES},
    "the nearest of a name": {f"a/{F01}": USED, "a/utils.py": UTILS, "b/utils.py": SMALLER},
    "the last of a name": {F01: USED, "a/utils.py": SMALLER, "b/utils.py": UTILS},
    "a notebook runs a file": {"ex01.ipynb": book("%run utils.py", USED.decode()[29:]),
                               "utils.py": UTILS},
    "a notebook runs another": {"ex01.ipynb": book("%run -i 'utils.ipynb'", USED.decode()[29:]),
                                "utils.ipynb": book(UTILS.decode())},
    "a notebook imports": {"ex01.ipynb": book("from utils import *", USED.decode()[29:]),
                           "utils.py": UTILS},
}  # fmt: skip


@pytest.mark.parametrize("case", HELPED)
def test_a_helper_is_judged_with_the_answer_that_imports_it(tmp_path: Path, case: str) -> None:
    submission = from_folder(tmp_path, HELPED[case])

    text = submission.files[EX01].decode()
    assert "def stable_exp" in text
    assert "LARGEST = 700" in text
    assert "import utils" not in text
    assert callable(run(submission))
    assert "is judged with what it imports from " in submission.notes[-1]


@pytest.mark.parametrize("name", ["numpy", "random", "torch"])
def test_no_file_takes_the_place_of_a_library(tmp_path: Path, name: str) -> None:
    way = USES % (f"import {name}".encode(), b"abs")

    check(from_folder(tmp_path, {F01: way, f"{name}.py": UTILS}), {EX01: way})


def test_only_what_is_needed_of_a_helper_is_taken_and_each_line_is_known(tmp_path: Path) -> None:
    work = from_folder(tmp_path, {F01: uses("from utils import stable_exp"), "utils.py": UTILS})
    text, origin = work.files[EX01].decode(), work.notebooks[EX01]

    assert [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)] == [
        "stable_exp",
        "softmax",
    ]
    lines = text.split("\n")
    assert origin.modules[1 + lines.index("def stable_exp(x):")] == ("utils.py", 6)
    assert origin.places[1 + lines.index("def softmax(scores, axis=-1):")] == (1, 3)
    assert (origin.name, origin.script) == (F01, True)


@pytest.mark.parametrize("back", ["import numpy as np", "from one import a\nimport numpy as np"])
def test_a_helper_may_use_another_one_and_that_the_first(tmp_path: Path, back: str) -> None:
    one = b"from two import b\n\ndef a(x):\n    return b(x)\n"
    two = f"{back}\n\ndef b(x):\n    return np.exp(x)\n".encode()
    files = {F01: USES % (b"from one import a", b"a"), "one.py": one, "two.py": two}

    text = from_folder(tmp_path, files).files[EX01]
    assert b"def a" in text
    assert b"def b" in text


def test_what_is_not_written_has_no_place(tmp_path: Path) -> None:
    text = b"from utils import ZERO\n\n\ndef causal_mask(size):\n    return ZERO\n"

    submission = from_folder(tmp_path, {"homework.py": text + SOFTMAX, "utils.py": b"ZERO = 0\n"})

    lines = submission.files[EX05].decode().split("\n")
    assert {*submission.files} == {EX01, EX05}
    assert "def padding_mask(" in submission.files[EX05].decode()
    assert 1 + lines.index("def causal_mask(size):") in submission.notebooks[EX05].places


def test_files_that_a_platform_has_named_are_known_by_the_students_names(tmp_path: Path) -> None:
    files = {f"doejane_101_9001_{F01}": USED, "doejane_101_9002_utils.py": UTILS}

    check(only_student(write(tmp_path / "class", files)), {EX01: b"def stable_exp"},
          "ex01_softmax.py is judged with what it imports from utils.py")  # fmt: skip


def test_what_an_exercise_asks_for_is_imported_from_it_whatever_its_file_is_called(
    tmp_path: Path,
) -> None:
    """So the reference takes its place if it is wrong, as between files with the usual names."""
    way = b"import numpy as np\nfrom mine import softmax"
    scores = way + b"\n\ndef attention_weights(scores):\n    return softmax(scores, axis=-1)\n"

    submission = from_folder(tmp_path, {f"{EX02}.py": scores, "mine.py": SOFTMAX})

    assert b"from .ex01_softmax import softmax" in submission.files[EX02]
    assert submission.files[EX01] == SOFTMAX.replace(b"\n\n", b"\n") + b"\n\n"


def test_names_that_two_files_give_to_different_things_are_told_apart(tmp_path: Path) -> None:
    utils = b"""
from math import sqrt
EPS = 2
def scale(x, EPS=EPS):
    return x * EPS * sqrt(4)
def softmax(x):
    return scale(x) + EPS
class Part:
    EPS = 7
try:
    from math import cbrt as fast
except ImportError:
    fast = None
for at, part in enumerate([10]):
    total: int = part
def more():
    return at + part + total + (fast is None)
"""
    own = b"""
from utils import more, scale, softmax as inner, Part
import utils as u
EPS = 100
sqrt = fast = at = part = total = 3
def softmax(scores, axis=-1):
    own = scores + EPS + sqrt + more()
    return own + scale(scores, EPS=5) + inner(scores) + u.softmax(0) + Part.EPS
"""
    submission = from_folder(tmp_path, {F01: own, "utils.py": utils})

    assert run(submission)(1) == 1 + 100 + 10 + (4 + 2) + 2 + 3 + 7 + (10 + 10)
    origin, lines = submission.notebooks[EX01], submission.files[EX01].decode().split("\n")
    assert origin.modules[1 + lines.index("def softmax_of_utils(x):")] == ("utils.py", 6)


def test_a_function_may_import_what_it_is_called_after(tmp_path: Path) -> None:
    own = b"""
def softmax(scores, axis=-1):
    from utils import softmax
    return softmax(scores) + 1
"""
    utils = b"def softmax(x):\n    return 2 * x\n"

    assert run(from_folder(tmp_path, {F01: own, "utils.py": utils}))(3) == 7


# Names that are another exercise's, a helper's, or an older version's

LATER = SOFTMAX.replace(b"exp", b"log")
VERSIONS = [("hw_v1.zip", "hw_v2.zip"), ("hw_v2", "hw_v10"), ("old", "new"), ("v1", "v2"),
            ("Homework version 1", "Homework version 2"), ("hw", "hw_v2")]  # fmt: skip
OTHER_NAMES: dict[str, tuple[Files, Files, list[str]]] = {
    **{f"{kind} of another exercise counts for that": (
        {F01: masks, F05: SOFTMAX}, {EX01: b"softmax", EX05: b"causal_mask"},
        ["ex01_softmax.py counts for ex05, not for ex01: it defines what ex05 asks for, and "
         "nothing of ex01",
         "ex05_causal_masks.py counts for ex01, not for ex05: it defines what ex01 asks for, and "
         "nothing of ex05"]) for kind, masks in (("part", MASK), ("all", MASKS))},
    "both in one file": ({F01: SOFTMAX + MASKS}, {EX01: SOFTMAX + MASKS, EX05: b"causal_mask"},
                         ["ex01_softmax.py counts for ex05"]),
    "both beside one of them": ({F01: SOFTMAX + MASKS, F05: MASK},
                                {EX01: SOFTMAX + MASKS, EX05: MASK}, []),
    **{f"{name} alone": ({name: SOFTMAX}, {EX01: b"np.exp"}, [f"{name} counts for ex01"])
       for name in ("utils.py", "helpers.py", "homework_template.py")},
    **{f"{name} is not needed": ({name: SOFTMAX, F01: MASK + SOFTMAX}, {EX01: MASK + SOFTMAX}, [])
       for name in ("utils.py", "helpers.py", "homework_template.py")},
    **{f"{name} holds nothing": ({name: SOFTMAX}, {}, [f"it contains no exercise, only {name}…"])
       for name in ("tests.py", "conftest.py", "grader.py")},
    **{f"{later} after {earlier}": (
        {name: zipped({F01: text}) for name, text in ((earlier, LATER), (later, SOFTMAX))}
        if later.endswith(".zip") else {f"{earlier}/{F01}": LATER, f"{later}/{F01}": SOFTMAX},
        {EX01: SOFTMAX}, [f"ex01_softmax.py was found more than once: {later}/ex01_softmax.py…"])
       for earlier, later in VERSIONS},
}  # fmt: skip


@pytest.mark.parametrize("case", OTHER_NAMES)
def test_what_counts_under_another_name(tmp_path: Path, case: str) -> None:
    files, counts, notes = OTHER_NAMES[case]

    check(from_folder(tmp_path, files), counts, *notes)


@pytest.mark.parametrize("text", [
    pytest.param(SOFTMAX + b"\n\ndef scaled_atention(q, k, v):\n    return q\n", id="misspelled"),
    pytest.param(MASK + b"\n\ndef attend(q, k, v):\n    return q\n", id="and a part of another"),
    pytest.param(SOFTMAX + b"\n(", id="not Python"),
])  # fmt: skip
def test_a_file_that_may_be_of_its_own_exercise_counts_for_it(tmp_path: Path, text: bytes) -> None:
    submission = from_folder(tmp_path, {f"{EX04}.py": text})

    assert submission.files[EX04] == text
    assert not any("nothing of" in note for note in submission.notes)


def test_versions_of_a_whole_hand_in_are_compared_and_of_different_things_not(
    tmp_path: Path,
) -> None:
    later = SOFTMAX + b"x = 1\n"
    students = by_student(write(tmp_path / "class", {
        "ada_v1.zip": zipped({F01: SOFTMAX}), "ada_v2.zip": zipped({F01: later}),
        "unit_v7.zip": zipped({F01: SOFTMAX}),
        f"eve/lab_v2/{F01}": SOFTMAX, f"eve/hw_v1/{F01}": later,
    }))  # fmt: skip

    assert {*students} == {"ada", "unit_v7", "eve"}
    check(students["ada"], {EX01: later}, "ex01 handed in more than once: ada_v2.zip is later…")
    assert "with different content" in students["eve"].problem


# Names of the top level, told apart from those that functions and classes have themselves

RENAMED = {"EPS": "EPS_of_utils", "f": "f_of_utils", "sqrt": "sqrt_of_utils"}


@pytest.mark.parametrize(("text", "expected"), [
    ("EPS = 1", "EPS_of_utils = 1"),
    ("x.EPS = f(EPS=EPS)", "x.EPS = f_of_utils(EPS=EPS_of_utils)"),
    ("def f(x, EPS=EPS): return EPS + sqrt(x)",
     "def f_of_utils(x, EPS=EPS_of_utils): return EPS + sqrt_of_utils(x)"),
    ("def g():\n    EPS = 3\n    return EPS", "def g():\n    EPS = 3\n    return EPS"),
    ("def g():\n    global EPS\n    EPS = 3",
     "def g():\n    global EPS_of_utils\n    EPS_of_utils = 3"),
    ("g = lambda f: f + EPS", "g = lambda f: f + EPS_of_utils"),
    ("[EPS for EPS in f]", "[EPS for EPS in f_of_utils]"),
    ("from math import sqrt, pi", "from math import sqrt as sqrt_of_utils, pi"),
    ("class A(f):\n    EPS = 1\n    def m(self): return EPS",
     "class A(f_of_utils):\n    EPS = 1\n    def m(self): return EPS_of_utils"),
    ("@f\nclass f: pass", "@f_of_utils\nclass f_of_utils: pass"),
    ("größe = EPS", "größe = EPS_of_utils"),
    ("'EPS'  # EPS", "'EPS'  # EPS"),
])  # fmt: skip
def test_a_name_of_the_top_level_is_another_one(text: str, expected: str) -> None:
    assert renamed(text, RENAMED) == expected
