"""`kata call`: a failing claim in Python, in a pipe, and as a script of its own."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from kata.learner.script import literal
from tests.helpers import warm
from tests.helpers.later import torch
from tests.helpers.learner_folder import FOLDER, PATIENCE, Learner, Run, run_python

LAST_ONLY = """\
    scores = np.zeros(len(keys))
    for i, key in enumerate(keys):
        for j, entry in enumerate(key):
            scores[i] = query[j] * entry
    return scores
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}


def call(learner: Learner, *words: str, program: str = "") -> Run:
    """`kata call` with a program on its standard input."""
    command = ["call", *words, "--folder", FOLDER]
    settings = {"COLUMNS": "80", "PYTHONPATH": str(ROOT)}
    return run_python("kata", command, learner.home, keys=program, **settings)


def mistaken(learner: Learner, slug: str, bug: str) -> None:
    """A known mistake as the learner's work."""
    exercise = exercises()[slug]
    made = next(each for each in bugs(exercise) if each.slug == bug)
    learner.write(slug, wrong_answer(exercise, made))


def loops(learner: Learner) -> Path:
    """Exercise 02, whose loops keep the last product only."""
    learner.solve("ex02")
    text = (learner.folder / "ex02_attention_scores.py").read_text()
    start = text.index("    scores =") if "    scores =" in text else text.index("    return")
    return learner.write("ex02_attention_scores", text[:start] + LAST_ONLY + after(text, start))


def after(text: str, start: int) -> str:
    """Everything from the next function on."""
    return "\n\n" + text[text.index("def attention_scores", start) :]


def without_the_kata(script: Path) -> str:
    """What a script prints where nothing of the kata can be imported."""
    start = f"import sys, runpy; sys.modules['kata'] = None; runpy.run_path({str(script)!r})"
    (script.parent / "start.py").write_text(start)
    program = warm.Program("start", [], script.parent, {})
    done = warm.run(program, PATIENCE)
    assert (done.status, done.err) == (0, "")
    return done.out


def test_a_program_on_standard_input_runs_with_everything_bound(learner: Learner) -> None:
    loops(learner)

    run = call(learner, "ex02", program="keys.shape\nabs(call() - expected).max().round(4)\nquery")

    assert (run.status, run.err) == (0, "")
    assert run.out.splitlines() == [
        "(6, 3)",
        "np.float64(1.0594)" if np.__version__ >= "2" else "1.0594",
        "array([0.55, 0.87, 0.66])",
    ]


def test_claims_are_chosen_by_the_numbers_that_are_listed(learner: Learner) -> None:
    loops(learner)

    listed = call(learner, "ex02", "--list").out.splitlines()
    third = call(learner, "ex02", "3", program="query.tolist()").out
    none = call(learner, "ex02", "99")

    assert listed[0].startswith("  1  The score of a key is its dot product with the query")
    assert third != call(learner, "ex02", program="query.tolist()").out
    assert (none.status, none.out) == (2, "")
    assert "ex02 has no claim 99; its claims are numbered from 1 to 39" in none.err


def test_an_error_of_the_program_is_shown(learner: Learner) -> None:
    loops(learner)

    run = call(learner, "ex02", program="nothing_of_this_name")

    assert run.status == 1
    assert "NameError" in run.err


def test_where_all_claims_hold_there_is_none_to_open(learner: Learner) -> None:
    learner.solve("ex01")

    run = call(learner, "ex01")

    assert run.status == 2
    assert "all claims of ex01_softmax hold" in run.err
    assert call(learner, "ex01", "1", program="call().round(3)").out == (
        "array([0.05, 0.1 , 0.15, 0.25, 0.45])\n"
    )


def test_the_failure_names_the_command_that_opens_it(learner: Learner) -> None:
    mistaken(learner, "ex05_causal_masks", "scores-fill-dropped")

    failures = learner.run(f"{FOLDER}/ex05_causal_masks.py").failures
    shape = call(learner, "ex05", "7", program="scores.shape").out

    assert "  `kata call ex05 7` opens it in Python\n" in failures
    assert "seed" not in failures
    assert f"scores {tuple(eval(shape.strip(), {'torch': torch}))} float32" in failures


def test_in_a_terminal_python_opens(learner: Learner) -> None:
    """The real program, as it starts."""
    loops(learner)
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "kata", "call", "ex02", "--folder", FOLDER]
    process = subprocess.Popen(
        words, cwd=learner.home, env=ENVIRONMENT, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(ours, b"score_query(query, keys)[1]\nquit()\n")
    shown = everything(ours)

    assert process.wait(60) == 0
    assert "6 of 6 values differ; worst at [1]: expected 1.495, got 0.4356" in shown
    assert "query, keys: what it was given. `call()` makes the call again:" in shown
    assert "    score_query(query, keys)" in shown
    assert "also failing: 2, 3, 4" in shown
    assert "0.4356" in shown.split(">>>", 1)[1]


def everything(descriptor: int) -> str:
    """What is written until the other side closes."""
    shown = b""
    while True:
        try:
            found = os.read(descriptor, 4096)
        except OSError:
            return shown.decode()
        if not found:
            return shown.decode()
        shown += found


@pytest.mark.parametrize(
    ("slug", "number"),
    [("ex09_multi_head_attention", 12), ("ex17_builtin_attention", 7)],
)
def test_a_script_computes_the_same_without_the_kata(
    learner: Learner, slug: str, number: int
) -> None:
    """tests/system/test_started.py does so in a Python of its own, with a run of training, too."""
    short = exercises()[slug].short
    learner.solve("ex05", "ex07", short)

    written = call(learner, short, str(number), "--repro", "again.py")
    here = call(learner, short, str(number), program="print(call())").out

    assert written.status == 0, written.err
    assert len(here) > 20
    assert without_the_kata(learner.home / "again.py").startswith(here)


def test_a_file_of_the_learners_is_not_overwritten(learner: Learner) -> None:
    path = loops(learner)
    before = path.read_text()

    assert call(learner, "ex02", "--repro", str(path)).status == 2
    assert path.read_text() == before
    assert call(learner, "ex02", "--repro", "again.py").status == 0
    assert call(learner, "ex02", "--repro", "again.py").status == 0


def test_a_literal_is_exact() -> None:
    arrays = (
        np.array([0.1, -np.inf, np.nan, 1e-300]),
        np.array([[0.1, 3e38], [1e-45, -0.0]], dtype="float32").T,
        np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1),
        np.zeros((0, 3)),
        np.array([True, False]),
    )
    tensors = (
        torch.tensor([[1 / 3, 2 / 3], [0.1, -1e-8]]).mT,
        torch.tensor([1 / 3], dtype=torch.bfloat16),
        torch.tensor([1 / 3], dtype=torch.float64, requires_grad=True),
        torch.randn(3, 40, generator=torch.Generator().manual_seed(0)),
        torch.tensor(7),
    )
    for value in (*arrays, *tensors):
        again = eval(literal(value), {"np": np, "torch": torch, "inf": np.inf, "nan": np.nan})
        assert (again.dtype, again.shape) == (value.dtype, value.shape)
        if isinstance(value, np.ndarray):
            assert again.tobytes() == value.tobytes()
            assert value.size == 0 or again.strides == value.strides
        else:
            assert torch.equal(again, value)
            assert (again.stride(), again.requires_grad) == (value.stride(), value.requires_grad)


def test_what_is_not_started_has_no_call(learner: Learner) -> None:
    learner.take("ex02")

    done = call(learner, "ex02")

    assert (done.status, done.out) == (2, "")
    assert done.err == "ex02_attention_scores is not started: there is no call to look at yet\n"


def test_an_error_shows_the_learners_lines_alone(learner: Learner) -> None:
    path = learner.softmax("return scores @ scores.nothing")

    done = call(learner, "ex01", program="call()\n")

    assert done.status == 1
    assert [line for line in done.err.splitlines() if line.startswith("  File")] == [
        '  File "<stdin>", line 1, in <module>',
        f'  File "{path}", line 5, in softmax',
    ]
