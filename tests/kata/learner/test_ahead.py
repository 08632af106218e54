"""When a claim fails, the rest of its file is judged at once; the run goes on as if it were not."""

import re

import pytest

from kata.course.curriculum import exercises
from kata.judging.judge import suite
from tests.helpers.answers import WRONG, claims
from tests.helpers.learner_folder import FOLDER, Learner
from tests.kata.learner.test_bad_input import forward
from tests.kata.learner.test_learner_runs import MISTAKE

FIRST, SECOND, THIRD = suite(exercises()["ex01_softmax"])[:3]
CLAIMS = claims()
IN_THE_SECOND = "if (scores == [1, -1, 2]).all():\n    "  # claim, and in no other


OPTIONS = (
    "-x --ff -rA --durations=2",
    "--maxfail=2 --lf --tb=short -p no:logging",
    "--sw --capture=no -p no:timeout",
)


@pytest.mark.parametrize("options", OPTIONS)
def test_the_mistake_is_named_from_all_claims_with_any_option(
    learner: Learner, options: str
) -> None:
    learner.softmax(WRONG)

    run = learner.run(FOLDER, *options.split())

    told = f"known mistake, with the same result in all {CLAIMS} claims: {MISTAKE}"
    assert " ".join(run.failures.split()).count(told) == 1


def test_it_is_named_from_the_claims_that_were_chosen(learner: Learner) -> None:
    learner.softmax(WRONG)

    run = learner.run(FOLDER, "-k", "float32 or one_row")

    count = run.count("failed") + run.count("more failed")
    assert f"all {run.count('more failed') + 1} claims: {MISTAKE}" in run.failures
    assert 1 < count < CLAIMS


def test_each_claim_is_called_once(learner: Learner) -> None:
    learner.softmax(f"print('called with', scores.shape)\n{WRONG}")

    alone, stopped = learner.run(FOLDER, "-s"), learner.run(FOLDER, "-s", "-x")

    assert alone.out.count("called with") == stopped.out.count("called with") >= CLAIMS


def test_what_a_claim_prints_and_logs_and_its_time_are_its_own(learner: Learner) -> None:
    slow = f"{IN_THE_SECOND}logging.warning('logged'); time.sleep(0.2)"
    learner.softmax(
        f"print('seen', scores.shape)\n{slow}\n{WRONG}",
        "import logging\nimport time\nimport numpy as np",
    )

    run = learner.run(FOLDER, "-v", "--durations=1")

    second = run.failures.split(f" {SECOND.name} ")[1].split(f" {THIRD.name} ")[0]
    assert re.findall("seen|logged", second) == ["seen", "logged"]
    assert "Captured stdout call" in second
    assert run.out.count("logged") == 1
    assert re.findall(r"s (call|setup|teardown) +.*::(\w+)", run.out) == [("call", SECOND.name)]


def test_a_claim_that_does_not_end_is_stopped_by_itself(learner: Learner) -> None:
    endless = f"{forward(0.9)}\n    while True: pass"
    learner.softmax(f"{IN_THE_SECOND}{endless}\n{WRONG}", "import signal\nimport numpy as np")

    run = learner.run(FOLDER, "--timeout=1", "-v")

    assert f"{FIRST.name} FAILED" in run.out
    assert MISTAKE in run.failures.split(f" {SECOND.name} ")[0]
    assert "is there a loop that does not end?" in run.failures.split(f" {SECOND.name} ")[1]
    assert run.count("blocked") == CLAIMS - 2


def test_ctrl_c_meanwhile_ends_the_run_with_what_is_known(learner: Learner) -> None:
    learner.softmax(
        f"{IN_THE_SECOND}os.kill(os.getpid(), signal.SIGINT)\n{WRONG}",
        "import os\nimport signal\nimport numpy as np",
    )

    run = learner.run()

    assert run.status == pytest.ExitCode.INTERRUPTED
    assert FIRST.sentence in run.failures
    assert "! KeyboardInterrupt !" in run.out
    assert run.count("failed") == 1


def test_a_debugger_stops_at_each_claim_before_the_next_is_judged(learner: Learner) -> None:
    learner.softmax(f"print('called')\n{WRONG}")

    run = learner.run(FOLDER, "--pdb", "-x", "-s", keys="q\n")

    assert f"with the same result in this claim: {MISTAKE}" in run.out
    assert run.out.count("called") == 1


def test_the_variables_of_the_function_that_raised_are_shown(learner: Learner) -> None:
    top = "import numpy as np\n\n\nclass Odd:\n    def __repr__(self):\n        return 1 / 0"
    body = "width, odd, text = scores.shape[-1], Odd(), 'a' * 300\nreturn scores.exp()"
    learner.softmax(body, top)

    run = learner.run(FOLDER, "-l")

    variables = run.failures.split("- variables of softmax -")[1]
    assert "\nscores [0, 0.693147, 1.60944]\n" in variables
    assert "\nwidth=3\n" in variables
    assert "\nodd: ZeroDivisionError\n" in variables
    assert max(map(len, variables.splitlines()[1:-1])) <= 200
