"""A learner's tests, judged in two locked workers: model proofs, and proofs of ill will."""

import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.class_verdict import submission_from_dict
from kata.course.curriculum import ROOT, exercises
from kata.grading import sandbox
from kata.grading.proof_judge import ProofJudge, answers
from kata.grading.workers import Launcher, WarmProcess
from kata.marks import Outcome, Proved
from kata.verdict import State
from tests.helpers.processes import children
from tests.helpers.sampling import sample

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")

ATTACKS = ROOT / "tests" / "specimens" / "attacks_on_proofs"
MODELS = ROOT / "tests" / "proofs"
EX05 = exercises()["ex05_causal_masks"]
EVERY = sorted(each.stem for each in ATTACKS.glob("*.py"))
NAMES = sample(EVERY, ["a_name_that_is_cut"], one_in=10)
HONEST = "causal-leaks-one"  # what the honest test of every attack catches
MEMORY, SECONDS, LIMIT = 1 << 30, 60, 20.0
NEIGHBOURS = ("alice", "zoe")
BODY = EX05.solution.read_text().split('"""')[4::2]  # of its functions
LINES = [each.strip() for part in BODY for each in part.splitlines() if len(each.strip()) > 20]
SAID = "AssertionError: assert mask_scores(one, causal_mask(2))[0, 1] == -torch.inf"


@pytest.fixture(scope="module")
def judge() -> Iterator[ProofJudge]:
    warm = WarmProcess(MEMORY, SECONDS, ["torch._dynamo"])
    tests, answers = Launcher(warm), Launcher(warm)
    yield ProofJudge(tests, answers, LIMIT, 7)
    tests.end()
    answers.end_all()


def proved(judge: ProofJudge, text: str, slug: str = EX05.slug) -> Proved:
    found = judge.judge(slug, f"import torch\nfrom exercises.{slug} import *\n{text}".encode())
    assert found.problem == ""
    return found


def test_all_right_and_all_chosen_wrong_answers_are_tried() -> None:
    assert len(answers(EX05)[0]) == 1 + len([*EX05.accepted.glob("*.py")])
    assert all(len(answers(exercise)[1]) >= 8 for exercise in exercises().values())


def test_what_each_test_is_worth(judge: ProofJudge) -> None:
    found = proved(judge, """
import os, time

def test_right():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]

def test_too_strict():
    one = torch.zeros(2, 2)
    assert mask_scores(one, causal_mask(2))[0, 1] == -torch.inf

def test_random():
    assert __import__("os").urandom(1)[0] > 128

def test_random_by_its_text():
    assert os.urandom(1)[0] > 128

def test_mistyped():
    causal_masc(2)

def test_stub():
    raise NotImplementedError("not written yet")

def test_with_an_argument(size):
    pass

def test_that_ends_python():
    os._exit(1)
""")  # fmt: skip

    outcomes = {each.name: each.outcome for each in found.tests}
    assert outcomes == {
        "test_right": Outcome.COUNTS,
        "test_too_strict": Outcome.REFUSES,
        "test_random": Outcome.RANDOM,
        "test_random_by_its_text": Outcome.BROKEN,
        "test_mistyped": Outcome.BROKEN,
        "test_stub": Outcome.NOT_WRITTEN,
        "test_with_an_argument": Outcome.BROKEN,
        "test_that_ends_python": Outcome.BROKEN,
    }
    strict = next(each for each in found.tests if each.outcome is Outcome.REFUSES)
    assert (strict.answer, strict.at, strict.error) == ("the reference", 11, SAID)
    assert found.tests[0].catches == (HONEST,)
    assert found.share == 0  # for the one that refuses a right answer


# The numbers that it draws depend on the text of the proof, so they are the same in each run.
def test_what_depends_on_its_random_numbers_costs_itself_alone(judge: ProofJudge) -> None:
    """As at home: each right answer is tried with three sets of them."""
    found = proved(judge, """
def test_right():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]

def test_by_chance():
    assert mask_scores(torch.rand(2, 2), causal_mask(2))[0, 0] > 0.6
""")  # fmt: skip

    right, by_chance = found.tests
    assert (right.outcome, right.catches) == (Outcome.COUNTS, (HONEST,))
    assert (by_chance.outcome, by_chance.catches) == (Outcome.RANDOM, ())
    assert "with some of the random numbers that it draws" in by_chance.error
    assert found.share > 0


def test_tests_that_sleep_cost_no_exercise_its_mark(tmp_path: Path) -> None:
    """All proofs of a submission share a time; they used to share that of its exercises."""
    slow = "def test_slow():\n    __import__('time').sleep(0.9)\n"
    slugs = (EX05.slug, "ex06_causal_attention")
    for student in NEIGHBOURS:
        (tmp_path / "class" / student / "proofs").mkdir(parents=True)
        for slug in slugs:
            folder, text = tmp_path / "class" / student, exercises()[slug].solution.read_text()
            (folder / f"{slug}.py").write_text(text)
            (folder / "proofs" / f"{slug}.py").write_text(f"from exercises.{slug} import *\n{slow}")
    begun = time.monotonic()

    said = grade(tmp_path / "class", tmp_path / "grades", "--only", "ex06", "--timeout", "1")

    assert time.monotonic() - begun < 40
    assert "crashed" not in said
    results = json.loads((tmp_path / "grades" / "results.json").read_text())["submissions"]
    for verdict in map(submission_from_dict, results):
        assert [each.state for each in verdict.exercises] == [State.PASSED] * 2
        assert {each.problem for each in verdict.proofs} == {"the proof as a whole takes too long"}


def test_a_hook_on_a_part_is_refused_alike_by_all(judge: ProofJudge) -> None:
    found = proved(judge, """
def test_hook():
    getattr(MultiHeadAttention(8, 2).w_query, "register_forward_" + "hook")(print)
""", "ex09_multi_head_attention")  # fmt: skip

    assert found.tests[0].outcome is Outcome.BROKEN
    assert "can set no hooks on the parts of a module" in found.tests[0].error


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, list[int]]:
    """A class of attacks with two honest neighbours: its grades, what was said, who is left."""
    place = tmp_path_factory.mktemp("attacked")
    for name in NAMES:
        text = (ATTACKS / f"{name}.py").read_text()
        for word, folder in {"/REPOSITORY": ROOT, "/CLASS": place / "class"}.items():
            text = text.replace(word, str(folder))
        hand_in(place / "class" / name, text)
    for name in NEIGHBOURS:
        hand_in(place / "class" / name, (MODELS / EX05.filename).read_text())
    before = {*children(os.getpid())}
    said = grade(place / "class", place / "grades")
    return place / "grades", said, [each for each in children(os.getpid()) if each not in before]


def hand_in(folder: Path, text: str) -> None:
    (folder / "proofs").mkdir(parents=True)
    (folder / "proofs" / EX05.filename).write_text(text)


def grade(submissions: Path, grades: Path, *more: str) -> str:
    command = [sys.executable, str(ROOT / "grader.py"), str(submissions), "--grades", str(grades),
               "--only", "ex05", "--proofs", "12", "--timeout", "2", "--seed", "5",
               "--report", "feedback", *more]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=submissions.parent,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def points(grades: Path) -> dict[str, float]:
    with (grades / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: float(row["score"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_gains_no_mark(graded: tuple[Path, str, list[int]], name: str) -> None:
    """Its honest test catches one of twelve."""
    assert points(graded[0])[name] in (0.0, 1.0)


def test_there_are_attacks_of_many_kinds() -> None:
    assert len(EVERY) >= 50


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours_have_full_marks(graded: tuple[Path, str, list[int]], name: str) -> None:
    assert points(graded[0])[name] == 12


def test_nothing_was_read_left_or_written(graded: tuple[Path, str, list[int]]) -> None:
    grades, said, left = graded
    texts = [each.read_text() for each in grades.rglob("*.*") if each.is_file()]

    assert left == []
    assert [each for each in (said, *texts) if "SECRET-FOUND" in each] == []
    places = ["/", "/tmp", "/var/tmp", "/dev/shm", str(grades.parent)]
    assert [each for folder in places for each in Path(folder).glob("kata-was-here*")] == []


def test_no_report_has_the_text_of_an_answer(graded: tuple[Path, str, list[int]]) -> None:
    pages = "".join(each.read_text() for each in graded[0].rglob("*.*") if each.is_file())

    assert len(LINES) > 10
    assert [each for each in LINES if each in pages] == []
