"""The commands, run as a learner runs them: each in a process, on real folders."""

import json
import os
import platform
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest

from kata import plugin
from kata.__main__ import COMMANDS
from kata.commands import doctor
from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, TRACKS, exercises
from kata.verdict import State
from tests.helpers.answers import RIGHT, claims
from tests.helpers.answers import WRONG as SIGNED
from tests.helpers.learner_folder import FOLDER, Kata, Learner, Run

EX01 = exercises()["ex01_softmax"]
CLEARS = "\x1b[2J"  # a terminal that obeys it
TORCH = """\
class cuda:
    device_count = staticmethod(lambda: 1)
    get_device_name = staticmethod(lambda number: "a card of mine")
__version__ = "9.9"
"""


def one_line(run: Run, text: str) -> None:
    """The command fails, and says why in one line."""
    assert run.status == 2
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert text in run.err


def test_every_command_explains_itself(kata: Kata) -> None:
    runs = {command: kata(command, "--help", folder="") for command in COMMANDS}

    assert [command for command, run in runs.items() if run.status or command not in run.out] == []


def test_a_mistake_is_shown_as_its_author_reads_it(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    mistake = next(each for each in bugs(EX01) if each.slug == "no-exp")

    run = kata("show", "ex01", "no-exp", folder="")

    assert run.status == 0
    assert f"ex01_softmax: {mistake.title}\n@@" in run.out
    assert all(f"\n+{line}" in run.out for line in added(wrong_answer(EX01, mistake)))
    _, message = run.out.split(f"\n{mistake.claim}\n")
    assert message in learner.run(COLUMNS="80").out


def added(wrong: str) -> list[str]:
    right = EX01.solution.read_text(encoding="utf-8").splitlines()
    return [line for line in wrong.splitlines() if line not in right]


def test_mistakes_are_listed(kata: Kata) -> None:
    run = kata("show", "1", folder="")

    assert run.status == 0
    assert [line.split()[0] for line in run.out.splitlines()] == [each.slug for each in bugs(EX01)]


def test_an_unknown_mistake_is_one_line(kata: Kata) -> None:
    one_line(kata("show", "ex01", "no-ex", folder=""), "; did you mean `no-exp`?")
    one_line(kata("show", "ex01", "fourier", folder=""), "`kata show ex01` lists them")
    one_line(kata("show", "ex01_sofmax", folder=""), "did you mean `ex01_softmax`?")


def test_what_is_not_there_is_one_line(kata: Kata) -> None:
    for command in ("hint", "solution", "reset"):
        one_line(kata(command, "ex01_sofmax"), "did you mean `ex01_softmax`?")
        one_line(kata(command, "fourier"), "there are: ex01, ex02")
    for command in ("hint", "solution"):
        one_line(kata(command, "ex01"), "`kata reset ex01` creates the stub")
    for command in ("board", "hint", "submit", "watch"):
        one_line(kata(command, folder="nowhere"), "nowhere is not a folder of exercises")


def test_an_exercise_has_many_names(kata: Kata) -> None:
    for name in ("1", "01", "ex01", "ex01_softmax", "mine/ex01_softmax.py"):
        assert kata("reset", name).status == 0, name


def test_the_board_runs_nothing(kata: Kata, learner: Learner) -> None:
    learner.take("ex02", "ex04")
    learner.softmax(f"print('it ran')\n{RIGHT}")

    run = kata("board")

    assert run.status == 1
    assert "it ran" not in run.out
    assert "– ex01_softmax          ★  changed since it was last judged" in run.out
    assert "next: ex01_softmax  mine/ex01_softmax.py:1" in run.out


def test_the_board_remembers_what_pytest_found(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    learner.run()

    (row,) = json.loads(kata("board", "--json").out)["exercises"]

    assert row == {
        "exercise": "ex01_softmax",
        "state": "failed",
        "held": row["held"],
        "claims": claims(),
        "not_written": 0,
        "blocked": 0,
        "file": "mine/ex01_softmax.py",
        "line": 4,
        "mistakes": ["no-exp"],
        "core": True,
    }


def test_the_board_takes_the_notebook_if_that_was_saved_last(kata: Kata, learner: Learner) -> None:
    learner.softmax(RIGHT)
    learner.run()
    notebook = learner.folder / "ex01_softmax.ipynb"
    cell = {"cell_type": "code", "source": "def softmax(scores, axis=-1):\n    return scores"}
    notebook.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": [cell]}))
    older, newer = (notebook.stat().st_mtime + each for each in (-10, 10))

    os.utime(notebook, (newer, newer))
    counts = "ex01_softmax.ipynb counts: it was saved after ex01_softmax.py"
    assert counts in kata("board").out
    assert "changed since it was last judged" in kata("board").out

    os.utime(notebook, (older, older))
    assert "ex01_softmax.py counts: it was saved after ex01_softmax.ipynb" in kata("board").out
    assert "✓ ex01_softmax" in kata("board").out


TESTS = """
import numpy as np
from exercises.ex01_softmax import softmax

def test_by_hand():
    assert np.allclose(softmax(np.log([1.0, 3.0])), [0.25, 0.75])
"""


def test_the_whole_course_is_worth_a_sentence(kata: Kata, learner: Learner) -> None:
    learner.solve(*(each.short for each in exercises().values()))
    learner.note(dict.fromkeys(exercises(), State.PASSED))

    board = kata("board", COLUMNS="60").out

    count = len(exercises())
    assert f"Congratulations: 7 of 7 core, {count} of {count}!" in " ".join(board.split())
    assert "next:" not in board
    assert max(map(len, board.splitlines())) <= 60


def test_the_board_remembers_what_tests_are_worth(kata: Kata, learner: Learner) -> None:
    learner.take("ex01")
    proof = learner.home / "proofs" / "ex01_softmax.py"
    proof.parent.mkdir()
    proof.write_text(TESTS)
    assert "your own tests: ex01 changed since they were judged" in kata("board").out

    caught = re.search(r"your tests catch (\d+ of the \d+) wrong answers", kata("prove").out)
    assert caught
    told = f"your own tests: ex01 catch {caught[1].replace('the ', '')} wrong answers of level 1"
    assert told in " ".join(kata("board").out.split())

    proof.write_text(TESTS.replace("0.25, 0.75", "0.75, 0.25"))
    assert "refuses a right answer" in kata("prove").out
    assert "your own tests: ex01 refuse a right answer" in kata("board").out


def test_the_board_of_a_file_that_is_not_python(kata: Kata, learner: Learner) -> None:
    learner.write("ex01_softmax", "def (")

    run = kata("board")

    assert "✗ ex01_softmax ★  cannot be judged yet" in run.out
    assert "mine/ex01_softmax.py:1" in run.out


def test_a_hint_is_about_the_mistake_and_one_more_each_time(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    mistake = next(each for each in bugs(EX01) if each.slug == "no-exp")
    hints = [*mistake.hints, *EX01.hints_about("softmax")]

    for count in range(1, len(hints) + 2):
        told = " ".join(kata("hint", "ex01").out.split())
        assert [hint for hint in hints if " ".join(hint.split()) in told] == hints[:count]
    assert "That was the last one." in told


def test_another_mistake_starts_at_the_first_hint(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    assert "hint 2 of" not in kata("hint").out
    assert "hint 2 of" in kata("hint").out

    learner.softmax("return np.exp(scores) / np.exp(scores).sum(axis, keepdims=True)")

    assert "hint 2 of" not in kata("hint").out


def test_a_hint_before_anything_is_written(kata: Kata, learner: Learner) -> None:
    learner.take("ex01", "ex02")

    run = kata("hint")

    assert run.status == 0
    assert run.out.startswith("about `softmax`\nex01_softmax, hint 1 of 3\n")


def test_no_hint_if_all_claims_hold(kata: Kata, learner: Learner) -> None:
    learner.softmax(RIGHT)

    assert "no hint is needed" in kata("hint", "ex01").out
    assert kata("hint").out == "all claims of all exercises hold\n"


def test_a_hint_about_a_file_that_is_not_python_is_one_line(kata: Kata, learner: Learner) -> None:
    learner.write("ex01_softmax", "x = = 1")

    run = kata("hint", "ex01")

    assert run.status == 2
    assert run.err.startswith("ex01_softmax.py:1 is not Python")


def test_the_solution_is_locked_until_yours_passes(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    one_line(kata("solution", "ex01"), "not all claims of ex01_softmax hold yet")
    assert "largest" in kata("solution", "ex01", "--reveal").out

    learner.softmax(f"return 1  # {CLEARS}")
    assert CLEARS not in kata("solution", "ex01", "--reveal").out

    learner.softmax(RIGHT)
    learner.run()

    assert "largest" in kata("solution", "ex01").out


def test_the_solution_is_shown_next_to_yours(kata: Kata, learner: Learner) -> None:
    learner.softmax(f"# mine\n{RIGHT}")

    beside = kata("solution", "1", "--reveal", COLUMNS="140").out.splitlines()
    below = kata("solution", "1", "--reveal", COLUMNS="80").out.splitlines()

    assert beside[0].split() == ["yours", "the", "reference"]
    assert any("# mine" in line and " | " in line for line in beside)
    assert any(line.count("import numpy as np") == 2 and "|" not in line for line in beside)
    assert max(map(len, beside)) <= 140
    assert below.index("yours") < below.index("the reference")
    assert not any("Turn scores into" in line for line in (*beside, *below))  # docstrings


def test_reset_keeps_everything_under_numbers(kata: Kata, learner: Learner) -> None:
    for text in ("first = 1\n", "second = 2\n"):
        learner.write("ex01_softmax", text)
        assert kata("reset", "ex01").status == 0

    backups = sorted(learner.folder.glob("*.bak"))
    assert [each.name for each in backups] == ["ex01_softmax.1.bak", "ex01_softmax.2.bak"]
    assert [each.read_text() for each in backups] == ["first = 1\n", "second = 2\n"]
    assert (learner.folder / EX01.filename).read_bytes() == EX01.stub.read_bytes()
    assert "is already the stub" in kata("reset", "ex01").out
    assert len(list(learner.folder.glob("*.bak"))) == 2


def test_what_cannot_be_written_is_one_line(kata: Kata, learner: Learner) -> None:
    learner.softmax(RIGHT)
    (learner.home / "file").write_text("in the way")

    one_line(kata("submit", "--out", "file/submission.zip"), "cannot write file/submission.zip")


def test_everything_works_without_stored_progress(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    for place in (learner.home, learner.folder):
        (place / ".kata").write_text("in the way")

    assert learner.run().status == 1
    run = kata("hint")

    assert run.status == 0
    assert "hint 1 of" in run.out
    assert "nothing will be remembered" in " ".join(run.out.split())


def test_broken_progress_is_empty_progress(kata: Kata, learner: Learner) -> None:
    learner.softmax(RIGHT)
    learner.run()
    assert kata("board").status == 0
    path = learner.home / ".kata" / f"{FOLDER}.json"
    told = {}
    for content in ("", "{", "[]", "\0", '{"form": 99}'):
        path.write_text(content)
        told[content] = "changed since it was last judged" in kata("board").out

    assert {*told.values()} == {True}, told
    assert learner.run().status == 0
    assert kata("board").status == 0


def test_submit_makes_one_zip_of_what_is_started(kata: Kata, learner: Learner) -> None:
    learner.take("ex04")
    learner.softmax(SIGNED)
    learner.write("ex02_attention_scores", "def (")
    learner.write("ex05_causal_mask", "mine = 1")

    run = kata("submit")

    assert run.status == 0
    with zipfile.ZipFile(learner.home / "submission.zip") as archive:
        assert archive.namelist() == ["ex01_softmax.py", "ex02_attention_scores.py"]
        assert archive.read("ex02_attention_scores.py") == b"def ("
    assert "ex02_attention_scores.py         cannot be judged yet" in run.out
    assert "not started: ex04_scaled_attention" in run.out
    assert "left out: ex05_causal_mask.py is not the name of an exercise; did you mean" in run.out
    assert kata("submit").out.endswith("written: submission.1.zip\n")


def test_the_same_files_make_the_same_zip(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    kata("submit", "--out", "one.zip")
    kata("submit", "--out", "two.zip")

    assert (learner.home / "one.zip").read_bytes() == (learner.home / "two.zip").read_bytes()


def test_nothing_started_is_nothing_to_submit(kata: Kata, learner: Learner) -> None:
    learner.take("ex01")

    one_line(kata("submit"), "no exercise in mine has been started")


def test_the_doctor_finds_everything_here(kata: Kata, learner: Learner) -> None:
    """tests/system/test_started.py lets it find the real torch."""
    (learner.home / "torch.py").write_text(TORCH)

    run = kata("doctor", folder="", cwd=ROOT, PYTHONPATH=f"{learner.home}{os.pathsep}{ROOT}")

    assert run.status == 0
    assert "✗" not in run.out
    assert "✓ torch 9.9" in run.out
    assert "a card of mine" in run.out


def test_the_doctor_says_what_is_broken(kata: Kata, learner: Learner) -> None:
    (learner.home / "torch.py").write_text("raise OSError('a library is missing')")

    run = kata("doctor", folder="nowhere", PYTHONPATH=f"{learner.home}{os.pathsep}{ROOT}")

    assert run.status == 1
    assert "✗ torch cannot be loaded: OSError: a library is missing" in run.out
    assert "✗ nowhere is not a folder of exercises" in run.out


def test_the_doctor_says_what_only_instructors_need(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [*doctor.grading()] == []

    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "rich" else name)

    assert [*doctor.grading()] == [
        (State.SKIPPED, 'rich is not installed; instructors need it: `pip install -e ".[grading]"`')
    ]


def test_the_doctor_warns_of_a_python_that_hostile_tars_keep_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Debian's 3.11.2 is repaired, too: then there is nothing to warn of."""
    repairs = {(3, 11, 0): "3.11.10", (3, 11, 9): "3.11.10", (3, 11, 10): "",
               (3, 12, 5): "3.12.6", (3, 12, 6): "", (3, 13, 0): ""}  # fmt: skip
    here = platform.python_version()
    for version, repaired in repairs.items():
        monkeypatch.setattr(sys, "version_info", version)
        monkeypatch.delattr(tarfile, doctor.PATCH, raising=False)
        found = [(text.partition(" or newer")[0], state) for state, text in doctor.slow_tars()]
        told = f"before you grade, update Python {here} to {repaired}"
        assert found == [(told, State.SKIPPED)] * bool(repaired), version
        monkeypatch.setattr(tarfile, doctor.PATCH, "", raising=False)
        assert [*doctor.slow_tars()] == []


def test_a_pipe_that_is_closed_early_is_no_error() -> None:
    command = f"{sys.executable} -m kata show ex05 | head -n 1"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, check=True)

    assert done.stdout
    assert b"Traceback" not in done.stderr


def test_core_is_the_seven(kata: Kata, learner: Learner) -> None:
    learner.take(*(each.short for each in exercises().values()))
    core = [each.slug for each in exercises().values() if each.core]

    rows = json.loads(kata("board", "--core", "--json").out)["exercises"]
    run = learner.run(FOLDER, "--core")

    assert [row["exercise"] for row in rows] == core
    assert run.count("not started") == len(core) == 7


@pytest.mark.parametrize("words", [(), ("--help",)])
@pytest.mark.parametrize("width", [60, 80])
def test_without_a_command_it_lists_them_with_the_learners_first(
    kata: Kata, words: tuple[str, ...], width: int
) -> None:
    run = kata(*words, folder="", COLUMNS=str(width))

    assert run.status == 0
    heads = ["for learners:", "to practise:", "to see what it is for:", "for workshops:",
             "for instructors:", "for maintainers of the kata:"]  # fmt: skip
    assert [line for line in run.out.splitlines() if line.startswith(("for ", "to "))] == heads
    assert re.findall(r"^  (\w+) ", run.out.split(heads[0])[1], re.MULTILINE) == list(COMMANDS)
    assert max(map(len, run.out.splitlines())) <= width
    assert run.out.index("for learners:") < 200


def test_a_command_imports_no_other(kata: Kata, learner: Learner) -> None:
    learner.take("ex01")

    run = kata("board", PYTHONPROFILEIMPORTTIME="1")

    assert "kata.learner.status" in run.err
    assert not re.search(r"kata\.(handouts|grading|upkeep)", run.err)


def work_on(learner: Learner, short: str, wrong: bool = True) -> None:
    """Save an answer, later than any other; without its last function, if it is to be wrong."""
    exercise = next(each for each in exercises().values() if each.short == short)
    text = exercise.solution.read_text(encoding="utf-8")
    path = learner.write(exercise.slug, text + ("softmax = split_heads = None\n" if wrong else ""))
    newest = max(each.stat().st_mtime for each in learner.folder.iterdir())
    os.utime(path, (newest + 1, newest + 1))


@pytest.fixture
def half_a_day(learner: Learner) -> Learner:
    """Somebody who does the core, and so skips what lies between."""
    learner.take(*(each.short for each in exercises().values()))
    for short in ("ex01", "ex02", "ex04", "ex05"):
        work_on(learner, short, wrong=False)
    return learner


def test_next_is_what_was_worked_on(kata: Kata, half_a_day: Learner) -> None:
    work_on(half_a_day, "ex07")

    run = half_a_day.run(FOLDER, "-k", "split or merge", COLUMNS="80")
    assert "next: ex07_heads  mine/ex07_heads.py:" in run.board
    assert "`kata hint ex07` gives a hint" in run.board
    assert "next: ex07_heads  mine/ex07_heads.py:" in kata("board").out
    assert "ex07_heads, hint 1 of" in kata("hint").out


def test_a_hint_is_about_what_failed_last(kata: Kata, learner: Learner) -> None:
    work_on(learner, "ex01")
    work_on(learner, "ex07")
    for when, slug in enumerate((EX01.slug, "ex07_heads"), start=1):
        os.utime(learner.folder / f"{slug}.py", (when, when))  # long ago, but in this order
    learner.note({EX01.slug: State.FAILED, "ex07_heads": State.FAILED})
    assert "ex07_heads, hint 1 of" in kata("hint").out

    learner.run(f"{FOLDER}/ex01_softmax.py")

    assert "ex01_softmax, hint 1 of" in kata("hint").out


def test_next_skips_what_the_half_day_skips(kata: Kata, half_a_day: Learner) -> None:
    run = half_a_day.run(COLUMNS="80")

    assert f"\ndone: 4 of 7 core, 4 of {len(exercises())}\nnext: ex07_heads  mine" in run.board
    assert "next: ex07_heads  mine" in kata("board").out


def test_the_sentence_also_follows_the_run_of_one_exercise(half_a_day: Learner) -> None:
    half_a_day.note({"ex01_softmax": State.PASSED, "ex02_attention_scores": State.PASSED})

    run = half_a_day.run(f"{FOLDER}/ex04_scaled_attention.py")

    assert (
        f"every claim that was run holds\ndone: 3 of 7 core, 3 of {len(exercises())}\nnext: ex05"
        in run.board
    )


def test_a_track_leaves_out_the_others(learner: Learner, kata: Kata) -> None:
    learner.take(*(each.short for each in exercises().values()))
    decoder = [slug for slug, each in exercises().items() if "decoder" in each.tracks]

    board = kata("board", "--track", "decoder").out
    rows = json.loads(kata("board", "--track", "decoder", "--json").out)["exercises"]
    run = learner.run(FOLDER, "--track", "decoder")

    assert [row["exercise"] for row in rows] == decoder
    assert decoder[0] == "ex05_causal_masks"
    assert decoder[-1] > "ex18"
    assert run.count("not started") == len(decoder)
    assert "on to a model that writes\n  · ex19_rotary_positions" in board
    assert "ex01_softmax" not in board


def test_tracks_are_known_to_the_plugin_before_the_course_is() -> None:
    assert plugin.TRACKS == TRACKS
    assert {name for each in exercises().values() for name in each.tracks} < {*TRACKS}
