"""`check` on given cells: what it judges, what it says, and what it leaves alone."""

import ast
import gc
import json
import random
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from kata.course.cells import Cell
from kata.course.curriculum import exercises
from kata.course.source import read
from kata.errors import UserError
from kata.notebook.check import checked, judge
from kata.notebook.isolation import isolation
from kata.notebook.kernel import History, WorkInCells
from kata.notebook.results import Request, Result, Results
from kata.verdict import State
from tests.helpers.answers import claims
from tests.helpers.later import torch

SOFTMAX = "import numpy as np\ndef softmax(scores, axis=-1):\n    "
RIGHT = SOFTMAX + (
    "e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))\n"
    "    return e / e.sum(axis=axis, keepdims=True)"
)
WRONG = SOFTMAX + "return scores / np.sum(scores, axis=axis, keepdims=True)"
INVERTED = ("masked_fill(~mask, torch.finfo", "masked_fill(mask, torch.finfo")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "exercises"


def cells_of(slug: str, *change: tuple[str, str]) -> list[Cell]:
    """The solution, a cell for each statement, numbered 1, 2, …"""
    text = read(exercises()[slug].solution).text
    for find, replace in change:
        assert find in text
        text = text.replace(find, replace)
    lines = text.splitlines()
    parts = [lines[n.lineno - 1 : n.end_lineno] for n in ast.parse(text).body]
    return [Cell(number, "\n".join(part)) for number, part in enumerate(parts, start=1)]


def one(cells: list[Cell], folder: Path, what: object) -> Result:
    found = checked(WorkInCells(cells, folder), what)
    assert isinstance(found, Result)
    return found


@pytest.fixture(scope="module")
def inverted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """What is found of a mask that is the wrong way round: alone, and in the whole exercise."""
    cells, home = cells_of("ex05_causal_masks", INVERTED), tmp_path_factory.mktemp("inverted")
    return {what: one(cells, home / "exercises", what) for what in ("mask_scores", "ex05")}


def test_a_right_answer_is_true_and_says_so(folder: Path) -> None:
    found = one([Cell(4, RIGHT)], folder, "softmax")
    assert found
    assert repr(found) == f"✓ softmax (ex01_softmax): {claims()} of {claims()} claims hold"


def test_a_wrong_answer_is_named_with_its_cell(folder: Path) -> None:
    found = one([Cell(4, WRONG)], folder, "ex01")
    assert not found
    told = repr(found).splitlines()
    assert told[0] == f"✗ ex01_softmax: 0 of {claims()} claims hold"
    named = f"with the same result in all {claims()} claims: scores divided by their sum"
    assert f"known mistake, {named}" in " ".join(" ".join(told).split())
    assert told[-1] == "look at cell [4], line 2"


def test_no_command_is_told_that_knows_nothing_of_cells(inverted: dict[str, Result]) -> None:
    assert "kata call" not in repr(inverted["mask_scores"])
    assert "ex05_causal_masks.py" not in repr(inverted["mask_scores"])


def test_an_error_is_shown_at_its_cell_and_line(folder: Path) -> None:
    found = one([Cell(1, "import numpy as np"), Cell(7, SOFTMAX[19:] + "y = 1\n    return q")],
                folder, "softmax")  # fmt: skip
    assert "NameError: name 'q' is not defined" in repr(found)
    assert "    cell [7], line 3 in softmax\n        return q" in repr(found)


def test_only_claims_about_what_was_asked_for_count(
    folder: Path, inverted: dict[str, Result]
) -> None:
    assert one(cells_of("ex05_causal_masks", INVERTED), folder, "causal_mask")
    wrong = inverted["mask_scores"]
    assert not wrong
    assert len(wrong.verdict.judged) < len(inverted["ex05"].verdict.judged)
    assert wrong.verdict.diagnosis
    assert wrong.verdict.diagnosis.claims == len(wrong.verdict.judged)


def test_what_no_cell_defines_is_not_written_yet(folder: Path, inverted: dict[str, Result]) -> None:
    cells = cells_of("ex05_causal_masks", INVERTED)
    others = [cell for cell in cells if "def causal_mask" not in cell.text]
    found = one(others, folder, "ex05")
    assert found.verdict.count(State.NOT_STARTED)
    assert found.verdict.mistakes[0].slug == inverted["ex05"].verdict.mistakes[0].slug
    missing = one(others, folder, "causal_mask")
    assert repr(missing).endswith("`causal_mask` is not written yet: no cell defines it")


MASK = "import torch\ndef causal_mask(size):\n    return torch.ones(size, size).tril().bool()"


@pytest.mark.parametrize(("change", "note"), [
    (("(size, size)", "(size, size"),
     "cell [2] defines `causal_mask`, but is not Python as it stands: mend it, and run it again"),
    (("causal_mask", "casual_mask"),
     "no cell defines `causal_mask`; did you mean `causal_mask` where it says `casual_mask`?"),
])  # fmt: skip
def test_why_no_cell_defines_it_is_told(folder: Path, change: tuple[str, str], note: str) -> None:
    cells = [Cell(1, "import torch"), Cell(2, MASK.replace(*change))]
    assert one(cells, folder, "causal_mask").notes == (note,)


def test_a_stub_in_a_cell_is_not_written_yet(folder: Path) -> None:
    stub = "def causal_mask(size):\n    raise NotImplementedError('not written yet')"
    cells = [*cells_of("ex05_causal_masks"), Cell(31, stub)]
    found = one(cells, folder, "causal_mask")
    assert "`causal_mask` is not written yet: cell [31], line 2 still raises" in repr(found)
    assert not found


def test_nothing_is_written_yet_without_an_error(folder: Path) -> None:
    assert repr(one([], folder, "ex05")) == "– ex05_causal_masks: not started"
    found = checked(WorkInCells([], folder), None)
    assert repr(found) == "no cell defines anything of an exercise yet"
    assert not found


def test_cells_that_raise_are_no_file_that_raises(folder: Path) -> None:
    found = one([Cell(2, RIGHT), Cell(3, "softmax.axis = 1 / 0")], folder, "softmax")
    assert "your cells raise an error when they are run in a fresh process" in repr(found)
    assert "cell [3], line 1" in repr(found)


def test_everything_that_is_begun(folder: Path) -> None:
    found = checked(WorkInCells([Cell(1, RIGHT), *cells_of("ex13_feed_forward")], folder), None)
    assert isinstance(found, Results)
    assert [result.request.exercise.short for result in found.results] == ["ex01", "ex13"]
    assert found


@pytest.mark.parametrize("package", ["kata.earlier.", "."])
def test_what_a_later_exercise_imports_is_no_answer_to_the_earlier_one(
    folder: Path, package: str
) -> None:
    imported = Cell(9, f"from {package}ex01_softmax import softmax")
    later = [
        cell for cell in cells_of("ex02_attention_scores") if "import softmax" not in cell.text
    ]
    both = checked(WorkInCells([Cell(8, WRONG), imported, *later], folder), None)
    assert isinstance(both, Results)
    first, second = both.results
    assert "scores divided by their sum" in repr(first)
    assert first.notes == ()  # about the cell that is not taken
    assert second


@pytest.mark.parametrize(("what", "said"), [
    (3, "`check` takes a function, a class, or the name of an exercise"),
    (print, "no exercise asks for `print`"),
    (lambda size: size, "a lambda does not know its name: write it with `def`"),
    ("ex99", "no exercise is called ex99"),
])  # fmt: skip
def test_what_cannot_be_checked(folder: Path, what: object, said: str) -> None:
    with pytest.raises(UserError, match=said):
        checked(WorkInCells([], folder), what)


def test_a_name_of_two_exercises_is_that_of_which_more_is_there(folder: Path) -> None:
    for slug in ("ex07_heads", "ex16_numpy_multi_head"):
        work = WorkInCells(cells_of(slug), folder)
        assert one(work.cells, folder, "split_heads").request.exercise.slug == slug  # type: ignore[arg-type]
        assert [each.slug for each in work.begun()] == [slug]


def test_earlier_work_in_another_notebook_serves_once_it_has_passed(folder: Path) -> None:
    first, second = cells_of("ex01_softmax"), cells_of("ex02_attention_scores")
    save(folder / "ex01_softmax.ipynb", first)
    note = "ex02_attention_scores was judged with the reference of ex01_softmax"
    assert note in one(second, folder, "ex02").notes
    assert one(first, folder, "ex01")
    assert one(second, folder, "ex02").notes == ()


def test_that_nothing_can_be_remembered_is_said(folder: Path) -> None:
    folder.mkdir()
    for place in (folder, folder.parent):
        (place / ".kata").write_text("no folder", encoding="utf-8")
    (note,) = one([Cell(1, RIGHT)], folder, "softmax").notes
    assert note.startswith("this result is not remembered")


def save(path: Path, cells: list[Cell]) -> None:
    path.parent.mkdir(exist_ok=True)
    found = [{"cell_type": "code", "source": each.text} for each in cells]
    path.write_text(json.dumps({"cells": found, "nbformat": 4}), encoding="utf-8")


def test_what_the_code_prints_is_shown_where_it_fails_and_nowhere_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loud = WRONG.replace("return", "print('here', scores.shape)\n    return")
    found = one([Cell(1, loud)], folder, "softmax")
    assert repr(found).endswith("printed by this call:\nhere (3,)")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("body", ["while True:\n        pass", "import time; time.sleep(10**6)"])
def test_what_does_not_end_is_stopped(folder: Path, body: str) -> None:
    work = WorkInCells([Cell(9, SOFTMAX + body)], folder)
    with isolation():
        found = judge(work, Request(exercises()["ex01_softmax"]), 0.1)
    assert found.verdict.claims[0].state is State.TIMED_OUT
    assert {each.state for each in found.verdict.claims[1:]} == {State.BLOCKED}


def test_without_the_main_thread_it_says_what_it_cannot_do(folder: Path) -> None:
    found: list[Result] = []
    work = threading.Thread(target=lambda: found.append(one([Cell(1, RIGHT)], folder, "ex01")))
    work.start()
    work.join()
    assert found[0]
    assert "a loop that does not end is not stopped here" in repr(found[0])


def test_an_interrupt_passes_through(folder: Path) -> None:
    stopped = SOFTMAX + "raise KeyboardInterrupt"
    before = state()
    with pytest.raises(KeyboardInterrupt):
        one([Cell(1, stopped)], folder, "ex01")
    assert state() == before


MEDDLES = """\
import random, warnings
import numpy as np
import torch
torch.manual_seed(5); np.random.seed(5); random.seed(5)
from torch import nn
class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, dropout=0.0):
        super().__init__()
        torch.manual_seed(1); np.random.seed(1); random.seed(1)
        torch.set_default_dtype(torch.float64); torch.set_num_threads(1)
        torch.set_grad_enabled(False); warnings.simplefilter("error")
        np.seterr(all="raise"); torch.autograd.set_detect_anomaly(True)
    def forward(self, x):
        return x
"""


@pytest.fixture
def odd_kernel() -> Iterator[None]:
    """A kernel that is set up in no usual way."""
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)


def state() -> tuple[object, ...]:
    return (
        *(torch.get_num_threads(), torch.is_grad_enabled(), torch.get_default_dtype()),
        *(torch.get_rng_state().tolist(), random.getstate(), str(np.random.get_state())),
        *(list(warnings.filters), np.geterr(), torch.is_anomaly_enabled()),
        *(signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGPROF), sys.stdout),
        *(gc.isenabled(), gc.get_freeze_count() > 0),  # what is frozen may still die
        *(sys.stdin, threading.active_count()),
    )


@pytest.mark.usefixtures("odd_kernel")
def test_it_changes_nothing_of_the_process(folder: Path) -> None:
    one(cells_of("ex13_feed_forward"), folder, "ex13")  # what is imported once
    modules, before = set(sys.modules), state()
    assert not one([Cell(1, MEDDLES)], folder, "FeedForward")
    assert one(cells_of("ex13_feed_forward"), folder, "FeedForward")
    assert state() == before
    assert set(sys.modules) == modules


def test_checks_leave_nothing_behind(folder: Path) -> None:
    """Not one object for each check; tests/long/test_notebook_leaks.py does hundreds."""

    def objects() -> int:
        gc.collect()
        return len(gc.get_objects())

    for _ in range(2):
        one([Cell(1, WRONG)], folder, "softmax")
    modules, threads, before = len(sys.modules), threading.active_count(), objects()
    for _ in range(4):
        one([Cell(1, WRONG)], folder, "softmax")
    assert (len(sys.modules), threading.active_count()) == (modules, threads)
    assert objects() < before + 4


def test_a_cell_that_was_edited_leaves_nothing_of_its_old_text() -> None:
    history = History([(1, "a = 1")])
    history.note(2, "def f(): ...", "id-2")
    history.note(3, "def g(): ...", "id-3")
    history.note(4, "def h(): ...", "id-2")
    assert history.cells() == [Cell(1, "a = 1"), Cell(3, "def g(): ..."), Cell(4, "def h(): ...")]


def test_names_that_several_cells_define_are_told(folder: Path) -> None:
    found = one([Cell(4, WRONG), Cell(9, RIGHT)], folder, "softmax")
    assert found
    assert found.notes == ("`softmax` is defined in cells [4] and [9]; [9] counts, as it ran last",)


class Page(HTMLParser):
    """Whether every element is closed, and what there is."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_whole_safe_and_told_to_a_screen_reader(
    folder: Path, inverted: dict[str, Result]
) -> None:
    odd = WRONG.replace("return", "print('<script>alert(1)</script>')\n    return")
    found = inverted["mask_scores"]
    for each in (
        found,
        one([Cell(1, odd)], folder, "softmax"),
        one([Cell(1, RIGHT)], folder, "ex01"),
    ):
        page = Page()
        page.feed(each._repr_html_())
        assert not page.open
        assert not {"script", "style", "link"} & {tag for tag, _ in page.seen}
        assert not [a for _, a in page.seen if {"class", "id", "onclick"} & set(a)]
        assert all(a.get("aria-label") for _, a in page.seen if "role" in a)
        assert each.head in page.text
    page = Page()
    page.feed(found._repr_html_())
    assert {"svg", "pre"} <= {tag for tag, _ in page.seen}
    assert "known mistake, with the same result in all 14 claims" in page.text
    assert "background:#f" not in found._repr_html_()
