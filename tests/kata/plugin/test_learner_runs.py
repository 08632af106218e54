"""`pytest exercises` in all the ways in which it is called."""

import re
from xml.etree import ElementTree

import pytest

from kata.course.curriculum import EXERCISES, ROOT, exercises
from kata.judging.judge import suite
from tests.helpers.later import torch
from tests.helpers.learner_folder import FOLDER, Learner

CLAIMS = len(suite(exercises()["ex01_softmax"]))
RIGHT = (
    "e = np.exp(scores - scores.max(axis, keepdims=True))\nreturn e / e.sum(axis, keepdims=True)"
)
FIRST_CLAIM = suite(exercises()["ex01_softmax"])[0]
WRONG = "return scores / scores.sum(axis, keepdims=True)"


def test_a_fresh_clone_ends_with_the_board_and_the_next_step(learner: Learner) -> None:
    run = learner.run("exercises", "-p", "no:cacheprovider", cwd=ROOT, anew=True)

    assert run.status == 1
    assert "· ex01_softmax" in run.board
    assert run.board.count("not started") == len(exercises()) + 1  # the last line counts them
    assert "next: ex01_softmax  exercises/ex01_softmax.py" in run.board
    assert "FAILURES" not in run.out


def test_nothing_started_imports_neither_torch_nor_numpy(learner: Learner) -> None:
    learner.take(*(each.short for each in exercises().values()))

    run = learner.run(FOLDER, "-s", PYTHONPROFILEIMPORTTIME="1")

    imported = {line.split("|")[-1].strip() for line in run.err.splitlines()}
    assert "kata.plugin.run_record" in imported
    assert not imported & {"torch", "numpy"}


def test_a_numpy_exercise_does_not_import_torch(learner: Learner) -> None:
    learner.take(*(each.short for each in exercises().values()))
    learner.softmax(RIGHT)

    run = learner.run(FOLDER, "-s", PYTHONPROFILEIMPORTTIME="1")

    imported = {line.split("|")[-1].strip() for line in run.err.splitlines()}
    assert "numpy" in imported
    assert "torch" not in imported


def test_solutions_behind_the_flag(learner: Learner) -> None:
    learner.take("ex01", "ex02")

    run = learner.run(FOLDER, "--solutions")

    assert run.status == 0
    assert "every claim that was run holds" in run.board


def test_a_right_answer_passes(learner: Learner) -> None:
    learner.softmax(RIGHT)

    run = learner.run()

    assert run.status == 0
    assert "✓ ex01_softmax" in run.board


def test_a_wrong_answer_reads_claim_inputs_evidence_and_cause(learner: Learner) -> None:
    learner.softmax(WRONG)

    run = learner.run()

    assert run.status == 1
    assert run.failures.splitlines()[2:8] == [
        "The scores log 1, log 2 and log 5 become the weights 1/8, 2/8 and 5/8.",
        "  softmax(scores [0, 0.693147, 1.60944])",
        "  3 of 3 values differ; worst at [0]: expected 0.125, got 0",
        "    expected = [0.125,  0.25, 0.625]",
        "    got      = [    0, 0.301, 0.699]",
        "  known mistake, with the same result in all 23 claims: scores divided by their sum",
    ]


def test_only_the_first_failing_claim_is_shown_in_full(learner: Learner) -> None:
    learner.softmax(WRONG)

    short, long = learner.run(), learner.run(FOLDER, "-v")

    assert short.failures.count("worst at") == 1
    assert long.failures.count("worst at") > 1


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="older ones show the name alone")
@pytest.mark.parametrize("ci", ["", "true"])
def test_the_summary_shows_one_line_of_evidence_also_in_ci(learner: Learner, ci: str) -> None:
    learner.softmax(WRONG)

    run = learner.run(CI=ci)

    evidence = "3 of 3 values differ; worst at [0]: expected 0.125, got 0"
    assert [line for line in run.out.splitlines() if line.startswith("FAILED")] == [
        f"FAILED mine/ex01_softmax.py::{FIRST_CLAIM.name} - {evidence}"
    ]


def test_a_claim_is_printed_once(learner: Learner) -> None:
    learner.softmax(WRONG)

    assert learner.run().out.count(FIRST_CLAIM.sentence) == 1
    assert learner.run(FOLDER, "--tb=no").out.count(FIRST_CLAIM.sentence) == 1  # by the board


def test_an_error_leads_everywhere(learner: Learner) -> None:
    learner.softmax("return numpy.exp(scores)")

    run = learner.run(FOLDER, "--junitxml=found.xml")

    error = "NameError: name 'numpy' is not defined"
    assert run.failures.splitlines()[2] == error
    assert f"  while checking: {FIRST_CLAIM.sentence}" in run.failures.splitlines()
    failures = list(ElementTree.parse(learner.home / "found.xml").iter("failure"))
    assert (failures[0].text or "").splitlines()[0] == error
    line = learner.run(FOLDER, "--tb=line").failures.splitlines()[1]
    assert line == f"{FOLDER}/ex01_softmax.py:5: {error}"
    assert error in learner.run(FOLDER, "--tb=no").board


def test_the_debugger_stops_in_the_function_that_raised(learner: Learner) -> None:
    learner.softmax("shifted = scores - scores.max()\nreturn np.concatenate(len(shifted))")

    run = learner.run(FOLDER, "--pdb", "-x", keys="p shifted.shape\nq\n")

    assert "ex01_softmax.py(6)softmax()" in run.out
    assert "(3,)" in run.out


def test_the_debugger_stops_in_the_claim_where_nothing_was_raised(learner: Learner) -> None:
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "--pdb", "-x", keys="p scores.shape\nq\n")

    assert f"test_ex01_softmax.py({FIRST_CLAIM.line + 3}){FIRST_CLAIM.name}()" in run.out
    assert "(3,)" in run.out


def test_the_next_step_is_in_the_file_that_raised(learner: Learner) -> None:
    """Softmax passes its own suite, and raises only where exercise 02 calls it."""
    caller = "sys._getframe(1).f_code.co_name"
    raising = f"if {caller} == 'attention_weights':\n    raise KeyError('mine')\n{RIGHT}"
    learner.softmax(raising, "import sys\nimport numpy as np")
    assert learner.run().status == 0
    learner.solve("ex02")

    run = learner.run(f"{FOLDER}/ex02_attention_scores.py")

    assert "KeyError: 'mine'" in run.failures
    assert f"next: ex02_attention_scores  {FOLDER}/ex01_softmax.py:7" in run.board


def test_a_missing_gpu_is_no_news(learner: Learner) -> None:
    if torch.cuda.is_available():
        pytest.skip("a GPU is present, so nothing is skipped here")
    learner.solve("ex04")

    assert "GPU" not in learner.run().out
    assert "claims need a GPU and were skipped" in learner.run(FOLDER, "-v").out


def test_one_line_for_each_failure(learner: Learner) -> None:
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "--tb=line", "--color=yes")

    assert run.failures.splitlines()[1] == f"{FOLDER}/ex01_softmax.py:4: {FIRST_CLAIM.sentence}"
    assert run.failures.count(FIRST_CLAIM.sentence) == 1
    assert "worst at" not in run.failures
    assert "\033[1mThe scores" not in run.out  # a line is cut, and what ends the colour with it


def test_other_programs_read_the_whole_message_without_colours(learner: Learner) -> None:
    learner.softmax(WRONG)

    learner.run(FOLDER, "--junitxml=found.xml", "--color=yes")

    failures = list(ElementTree.parse(learner.home / "found.xml").iter("failure"))
    lines = (failures[0].text or "").splitlines()
    assert lines[0] == FIRST_CLAIM.sentence
    assert lines[2].startswith("  3 of 3 values differ; worst at [0]")
    assert not [each for each in failures if "#x1B" in ElementTree.tostring(each, "unicode")]


def test_without_a_terminal_the_status_tells(learner: Learner) -> None:
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "-p", "no:terminal")

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


def test_some_claims_by_keyword(learner: Learner) -> None:
    learner.softmax(RIGHT)

    run = learner.run(FOLDER, "-k", "axis")

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


def test_quiet_keeps_the_board(learner: Learner) -> None:
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "-q")

    assert f"of {CLAIMS} claims hold" in run.board


def test_with_xdist(learner: Learner) -> None:
    learner.take("ex02")
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "-n", "2")

    assert run.status == 1
    assert f"of {CLAIMS} claims hold" in run.board
    assert "· ex02_attention_scores" in run.board
    assert "scores divided by their sum" in run.out


def test_from_inside_the_folder(learner: Learner) -> None:
    learner.softmax(RIGHT)

    run = learner.run(".", cwd=learner.folder)

    assert run.status == 0
    assert "✓ ex01_softmax" in run.board


@pytest.mark.parametrize(
    "ini",
    [
        "python_files = check_*.py\npython_functions = check_*",
        "filterwarnings = error",
        "addopts = --strict-markers --import-mode=importlib --doctest-modules",
    ],
)
def test_no_ini_file_of_another_project_matters(learner: Learner, ini: str) -> None:
    (learner.folder / "pytest.ini").write_text(f"[pytest]\n{ini}\n")
    learner.softmax("import warnings\nwarnings.warn('mine')\n" + RIGHT)

    run = learner.run()

    assert run.status == 0
    assert run.count("passed") == CLAIMS


def test_another_projects_tests_are_left_alone(learner: Learner) -> None:
    (learner.folder / "test_theirs.py").write_text("def test_one(): assert True\n")
    (learner.folder / "exporter.py").write_text("raise SystemExit\n")

    run = learner.run()

    assert run.status == 0
    assert "attention kata" not in run.out.replace("attention-kata", "")


def test_naming_the_plugin_does_not_register_it_twice(learner: Learner) -> None:
    learner.softmax(RIGHT)

    assert learner.run(FOLDER, "-p", "kata.plugin").status == 0


def test_without_a_cache(learner: Learner) -> None:
    learner.softmax(RIGHT)

    assert learner.run(FOLDER, "-p", "no:cacheprovider").status == 0


def test_the_reference_stands_in_for_what_is_not_done(learner: Learner) -> None:
    learner.take("ex01")
    learner.solve("ex02")

    run = learner.run()

    assert "✓ ex02_attention_scores" in run.board
    assert "ex02_attention_scores was judged with the reference of ex01_softmax" in run.board


def test_ones_own_work_serves_later_exercises_once_it_passes(learner: Learner) -> None:
    learner.solve("ex02")
    marked = "print('mine was called')\n"
    learner.softmax(marked + RIGHT)

    together = learner.run(FOLDER, "-s")
    alone = learner.run(f"{FOLDER}/ex02_attention_scores.py", "-s")

    assert "was judged with the reference" not in together.out
    assert "mine was called" in alone.out
    assert "was judged with the reference" not in alone.out


def test_a_change_takes_the_trust_away(learner: Learner) -> None:
    learner.solve("ex02")
    learner.softmax(RIGHT)
    learner.run()
    learner.softmax(WRONG)

    run = learner.run(f"{FOLDER}/ex02_attention_scores.py")

    assert "was judged with the reference of ex01_softmax" in run.board


def test_claims_on_a_gpu_skip_with_their_reason(learner: Learner) -> None:
    if torch.cuda.is_available():
        pytest.skip("a GPU is present, so nothing is skipped here")
    learner.solve("ex04")

    run = learner.run(FOLDER, "-rs")

    assert run.status == 0
    assert run.count("skipped") > 0
    assert "no GPU is present" in run.out


def test_plain_characters_where_the_terminal_knows_no_others(learner: Learner) -> None:
    learner.softmax("return np.exp(scores) / np.exp(scores).sum()")

    ascii_run = learner.run(PYTHONIOENCODING="ascii:backslashreplace", PYTHONUTF8="0")
    dumb = learner.run(TERM="dumb")

    assert "  x ex01_softmax *" in ascii_run.out
    assert "  x ex01_softmax *" in dumb.out
    assert re.search(r"\[[:+*#]\]", dumb.out)


def test_nothing_is_written_into_the_folder(learner: Learner) -> None:
    learner.take("ex02")
    learner.softmax(WRONG)
    before = {path: path.read_bytes() for path in learner.folder.iterdir()}

    learner.run()

    assert {path: path.read_bytes() for path in learner.folder.iterdir()} == before


def test_every_exercise_has_its_stub_in_the_repository() -> None:
    assert sorted(path.stem for path in EXERCISES.glob("ex*.py")) == sorted(exercises())
