"""`pytest exercises` in all the ways in which it is called."""

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kata.course.curriculum import EXERCISES, ROOT, exercises
from kata.judging.judge import suite
from tests.helpers.answers import RIGHT, WRONG, claims
from tests.helpers.later import torch
from tests.helpers.learner_folder import FOLDER, Learner

CLAIMS = claims()
MISTAKE = "scores divided by their sum"
FIRST_CLAIM = suite(exercises()["ex01_softmax"])[0]
ERROR = "NameError: name 'numpy' is not defined"
RAISES_FOR_OTHERS = f"""\
if sys._getframe(1).f_code.co_name == 'attention_weights':
    raise KeyError('mine')
{RIGHT}"""


def contents(folder: Path) -> dict[Path, bytes]:
    files = [path for path in folder.glob("[!.]*/*") if path.is_file()]  # but for the memory
    return {path: path.read_bytes() for path in files}


@pytest.fixture
def many(learner: Learner) -> Learner:
    """Somebody with folders in which work is in different states."""
    learner.below("right").softmax(RIGHT)
    learner.below("wrong").softmax(WRONG)
    learner.below("wrong").take("ex02")
    learner.below("error").softmax("return numpy.exp(scores)")
    learner.below("no_python").write("ex01_softmax", b"a = '\xff\xfe'\r\n")
    # It passes its own suite, and raises only where exercise 02 calls it.
    learner.below("for_others").softmax(RAISES_FOR_OTHERS, "import sys\nimport numpy as np")
    learner.below("for_others").solve("ex02")
    learner.below("reference").take("ex01")
    learner.below("reference").solve("ex02")
    return learner


def test_work_in_any_state_is_told_and_nothing_is_written_there(many: Learner) -> None:
    before = contents(many.folder)

    run = many.run()

    right, wrong, error, for_others, reference = (
        run.about(name) for name in ("right", "wrong", "error", "for_others", "reference")
    )
    assert (run.status, contents(many.folder)) == (1, before)
    assert right.letters == "." * CLAIMS
    assert "✓ ex01_softmax" in right.board
    assert wrong.failures.splitlines()[2:8] == [
        "The scores log 1, log 2 and log 5 become the weights 1/8, 2/8 and 5/8.",
        "  softmax(scores [0, 0.693147, 1.60944])",
        "  3 of 3 values differ; worst at [0]: expected 0.125, got 0",
        "    expected = [0.125,  0.25, 0.625]",
        "    got      = [    0, 0.301, 0.699]",
        f"  known mistake, with the same result in all {CLAIMS} claims: {MISTAKE}",
    ]
    assert wrong.failures.count("worst at") == 1  # the first that fails is shown, and no other
    assert error.failures.splitlines()[2] == ERROR  # which leads everywhere
    assert f"  while checking: {FIRST_CLAIM.sentence}" in error.failures.splitlines()
    assert "variables of" not in run.out  # unless somebody asks for them
    assert "✓ ex01_softmax" in for_others.board
    assert "KeyError: 'mine'" in for_others.failures
    step = f"next: ex02_attention_scores  {FOLDER}/for_others/ex01_softmax.py:7"
    assert step in for_others.board  # in the file that raised
    assert "✓ ex02_attention_scores" in reference.board
    told = "ex02_attention_scores was judged with the reference of ex01_softmax"
    assert told in reference.board


def test_solutions_behind_the_flag(learner: Learner) -> None:
    learner.take("ex01", "ex02")

    run = learner.run(FOLDER, "--solutions")

    assert run.status == 0
    assert "every claim that was run holds" in run.board
    assert "done:" not in run.board  # the reference is congratulated on nothing


def test_every_failing_claim_is_shown_in_full_if_somebody_asks(learner: Learner) -> None:
    learner.softmax(WRONG)

    assert learner.run(FOLDER, "-v").failures.count("worst at") > 1


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="older ones show the name alone")
@pytest.mark.parametrize("ci", ["", "true"])
def test_the_summary_shows_one_line_of_evidence_also_in_ci(learner: Learner, ci: str) -> None:
    """A quiet run, which keeps the board; the claim is printed once."""
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "-q", CI=ci)

    evidence = "3 of 3 values differ; worst at [0]: expected 0.125, got 0"
    assert [line for line in run.out.splitlines() if line.startswith("FAILED")] == [
        f"FAILED mine/ex01_softmax.py::{FIRST_CLAIM.name} - {evidence}"
    ]
    assert run.out.count(FIRST_CLAIM.sentence) == 1
    assert f"of {CLAIMS} claims hold" in run.board


def test_without_failures_the_board_says_what_is_wrong(learner: Learner) -> None:
    learner.below("error").softmax("return numpy.exp(scores)")
    learner.below("wrong").softmax(WRONG)

    run = learner.run(FOLDER, "--tb=no")

    assert run.out.count(FIRST_CLAIM.sentence) == 1
    assert FIRST_CLAIM.sentence in run.board
    assert ERROR in run.out.split("attention kata: mine/error")[1].split("attention kata: ")[0]


def test_one_line_for_each_failure_and_other_programs_read_it_all(learner: Learner) -> None:
    learner.below("error").softmax("return numpy.exp(scores)")
    learner.below("wrong").softmax(WRONG)

    run = learner.run(FOLDER, "--tb=line", "--color=yes", "--junitxml=found.xml")

    assert run.failures.splitlines()[1:3] == [
        f"{FOLDER}/error/ex01_softmax.py:5: {ERROR}",
        f"{FOLDER}/wrong/ex01_softmax.py:4: {FIRST_CLAIM.sentence}",
    ]
    assert run.failures.count(FIRST_CLAIM.sentence) == 1
    assert "worst at" not in run.failures
    assert "\033[1mThe scores" not in run.out  # a line is cut, and what ends the colour with it
    failures = list(ElementTree.parse(learner.home / "found.xml").iter("failure"))
    raised, wrong = ((failures[at].text or "").splitlines() for at in (0, CLAIMS))
    assert raised[0] == ERROR
    assert wrong[0] == FIRST_CLAIM.sentence
    assert wrong[2].startswith("  3 of 3 values differ; worst at [0]")
    assert not [each for each in failures if "#x1B" in ElementTree.tostring(each, "unicode")]


def test_the_debugger_stops_in_the_function_that_raised_or_else_in_the_claim(
    learner: Learner,
) -> None:
    body = "shifted = scores - scores.max()\nreturn np.concatenate(len(shifted))"
    learner.below("raises").softmax(body)
    learner.below("wrong").softmax(WRONG)

    run = learner.run(FOLDER, "--pdb", "-k", FIRST_CLAIM.name,
                      keys="p shifted.shape\nc\np scores.shape\nq\n")  # fmt: skip

    raised, wrong = run.out.split("(Pdb) ")[0:3:2]
    assert "ex01_softmax.py(6)softmax()" in raised
    assert f"test_ex01_softmax.py({FIRST_CLAIM.line + 3}){FIRST_CLAIM.name}()" in wrong
    assert run.out.count("(Pdb) (3,)") == 2


def test_a_missing_gpu_is_no_news(learner: Learner) -> None:
    if torch.cuda.is_available():
        pytest.skip("a GPU is present, so nothing is skipped here")
    learner.solve("ex04")

    usual, run = learner.run(), learner.run(FOLDER, "-v", "-rs")

    assert "s" in usual.letters
    assert "GPU" not in usual.out
    assert run.status == 0
    assert "claims are for a GPU and were skipped" in run.out
    assert run.count("skipped") > 0
    assert "no GPU is present" in run.out


def test_without_a_terminal_the_status_tells(learner: Learner) -> None:
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "-p", "no:terminal", "-k", FIRST_CLAIM.name)

    assert (run.status, run.out) == (1, "")


def test_one_file(learner: Learner) -> None:
    learner.take("ex02")
    learner.softmax(RIGHT)

    run = learner.run(f"{FOLDER}/ex01_softmax.py")

    assert run.status == 0
    assert re.findall(r"^  . (ex\d+)", run.board, re.MULTILINE) == ["ex01"]
    assert "next: ex02_attention_scores" in run.board


def test_ids_name_the_learners_file(learner: Learner) -> None:
    learner.softmax(RIGHT)

    claim = f"{FOLDER}/ex01_softmax.py::test_one_row_gets_the_weights_worked_out_by_hand"
    run = learner.run(claim, "-v")

    assert f"{claim} PASSED" in run.out
    assert run.count("passed") == 1


def test_some_claims_by_keyword_while_the_plugin_is_named_twice(learner: Learner) -> None:
    learner.softmax(RIGHT)

    run = learner.run(FOLDER, "-k", "axis", "-p", "kata.plugin")

    assert run.status == 0
    assert 1 < run.count("passed") < CLAIMS
    assert "– ex01_softmax" in run.board
    assert f"{CLAIMS - run.count('passed')} not run" in run.board


def test_stop_at_the_first_failure(learner: Learner) -> None:
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "-x")

    assert run.count("failed") == 1
    assert f"{CLAIMS - 1} not run" in run.board


def test_only_what_failed_last_time(learner: Learner) -> None:
    learner.softmax(RIGHT.replace("scores.max(axis, keepdims=True)", "scores.max()"))
    failed = learner.run().count("failed")

    run = learner.run(FOLDER, "--lf")

    assert failed > 0
    assert run.count("failed") == failed
    assert run.count("passed") == 0


def test_what_another_process_judged_is_shown_in_file_order(learner: Learner) -> None:
    """tests/system/test_xdist.py lends the claims of a file to real processes."""
    learner.take("ex02")
    learner.softmax(WRONG)

    other = ("-p", "tests.helpers.other_process") if hasattr(os, "fork") else ("-n", "1")
    run = learner.run(FOLDER, *other, PYTHONPATH=str(ROOT))

    assert run.status == 1
    assert re.findall("_ (ex01 .*) _", run.failures) == [f"ex01 {FIRST_CLAIM.name}"]
    assert FIRST_CLAIM.sentence in run.failures
    assert run.count("failed") == 1
    assert f"of {CLAIMS} claims hold" in run.board
    assert "· ex02_attention_scores" in run.board
    assert MISTAKE in run.out


def test_no_ini_file_of_another_project_matters(learner: Learner) -> None:
    """From inside the folder, and without a cache."""
    ini = [
        "python_files = check_*.py",
        "python_functions = check_*",
        "filterwarnings = error",
        "addopts = --strict-markers --import-mode=importlib --doctest-modules",
    ]
    (learner.folder / "pytest.ini").write_text("\n".join(("[pytest]", *ini)))
    learner.softmax("import warnings\nwarnings.warn('mine')\n" + RIGHT)

    run = learner.run(".", "-p", "no:cacheprovider", cwd=learner.folder)

    assert run.status == 0
    assert run.count("passed") == CLAIMS
    assert "✓ ex01_softmax" in run.board


def test_ones_own_work_serves_later_exercises_until_it_is_changed(learner: Learner) -> None:
    learner.solve("ex02")
    marked = "print('mine was called')\n"
    learner.softmax(marked + RIGHT)

    together = learner.run(FOLDER, "-s")
    alone = learner.run(f"{FOLDER}/ex02_attention_scores.py", "-s")
    learner.softmax(WRONG)
    changed = learner.run(f"{FOLDER}/ex02_attention_scores.py")

    assert "was judged with the reference" not in together.out
    assert "mine was called" in alone.out
    assert "was judged with the reference" not in alone.out
    assert "was judged with the reference of ex01_softmax" in changed.board


def test_plain_characters_where_the_terminal_knows_no_others(learner: Learner) -> None:
    """One that encodes no others: tests/kata/learner/test_bare_pytest.py."""
    learner.softmax("return np.exp(scores) / np.exp(scores).sum()")

    dumb = learner.run(TERM="dumb")

    assert "  x ex01_softmax *" in dumb.out
    assert re.search(r"\[[:+*#]\]", dumb.out)


def test_every_exercise_has_its_stub_in_the_repository() -> None:
    assert sorted(path.stem for path in EXERCISES.glob("ex*.py")) == sorted(exercises())
