"""What editors and CI make of a run: the line of every claim, and the mistake in its message."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from kata.course.source import contract
from kata.course.suite_code import compiled, imported, listed, reached
from kata.judging.judge import suite
from tests.helpers.editor import NOTES
from tests.helpers.learner_folder import FOLDER, Learner, Run
from tests.helpers.sampling import sample

FIRST = suite(exercises()["ex01_softmax"])[0].name
EDITOR = "-p", "tests.helpers.editor"
WRONG = {  # a mistake of the catalogue for each of ten exercises
    "ex01_softmax": "no-exp",
    "ex02_attention_scores": "summed-over-the-keys",
    "ex03_self_attention": "softmax-over-queries",
    "ex04_scaled_attention": "keys-in-place-of-values",
    "ex05_causal_masks": "causal-leaks-one",
    "ex07_heads": "split-interleaved",
    "ex09_multi_head_attention": "no-value-projection",
    "ex12_layer_norm": "one-scale-for-all",
    "ex14_encoder_layer": "one-norm-twice",
    "ex16_numpy_multi_head": "split-same-block",
}


@dataclass(frozen=True)
class Notes:
    """What an editor knows after a run: by id, the line from 0 on, and what is shown there."""

    run: Run
    lines: dict[str, int]
    shown: dict[str, str]

    def failing(self, slug: str) -> dict[str, str]:
        mine = {id_: text for id_, text in self.shown.items() if f"/{slug}.py::" in id_}
        return {id_: " ".join(text.split()) for id_, text in mine.items() if text}


def notes(learner: Learner, *arguments: str) -> Notes:
    path = learner.home / "notes.json"
    run = learner.run(*EDITOR, *arguments, **{NOTES: str(path), "PYTHONPATH": str(ROOT)})
    return Notes(run, **json.loads(path.read_text(encoding="utf-8")))


def test_line_and_mistake_of_each_failing_claim_of_wrong_answers(learner: Learner) -> None:
    slugs = sample([*WRONG])
    titles = {slug: write_mistake(learner, slug, WRONG[slug]) for slug in slugs}

    found = notes(learner, FOLDER, "--junitxml=found.xml")

    of_ci = _failures(learner.home / "found.xml")
    about = []
    for slug, title in titles.items():
        failing = found.failing(slug)
        assert failing
        for id_, shown in failing.items():
            assert re.search(f"known mistake, [^:]*: {re.escape(title)}", shown), shown
            assert of_ci[id_] == shown
            name = _begins_at(learner, slug, found.lines[id_])
            assert name in contract(exercises()[slug]).names
            about.append(name in shown)
    assert sum(about) > 0.95 * len(about)  # the others fail at another function than their last


def write_mistake(learner: Learner, slug: str, mistake: str) -> str:
    """Save a wrong answer; its title."""
    exercise = exercises()[slug]
    bug = next(each for each in bugs(exercise) if each.slug == mistake)
    learner.write(slug, wrong_answer(exercise, bug))
    return bug.title


def _failures(path: Path) -> dict[str, str]:
    """What JUnit XML says of each claim that failed, by its id."""
    cases = ElementTree.parse(path).iter("testcase")
    found = ((each, each.find("failure")) for each in cases)
    return {
        _id(case): " ".join((each.text or "").split()) for case, each in found if each is not None
    }


def _id(case: ElementTree.Element) -> str:
    path = case.get("classname", "").replace(".", "/")
    return f"{path}.py::{case.get('name')}"


def _begins_at(learner: Learner, slug: str, line: int) -> str:
    """The function or class that begins at this line."""
    text = (learner.folder / f"{slug}.py").read_text(encoding="utf-8").splitlines()[line]
    found = re.match(r"(def|class) (\w+)", text)
    return found[2] if found else ""


def test_the_terminal_says_the_same_words_once(learner: Learner) -> None:
    title = write_mistake(learner, "ex01_softmax", "no-exp")

    found = notes(learner, FOLDER, "-v")

    first, *others = found.failing("ex01_softmax").values()
    assert first in " ".join(found.run.failures.split())
    assert others
    assert " ".join(found.run.failures.split()).count(title) == 1


@pytest.mark.parametrize("slug", list(exercises()))
def test_the_ids_that_are_listed_are_those_of_the_suite(slug: str) -> None:
    exercise = exercises()[slug]

    assert [id_ for id_, _ in listed(exercise)] == [each.id for each in suite(exercise)]


@pytest.mark.parametrize("slug", list(exercises()))
def test_a_claim_is_about_the_same_function_before_its_suite_is_imported(slug: str) -> None:
    exercise = exercises()[slug]
    wanted = tuple(contract(exercise).names)
    claims = [each.name for each in suite(exercise)]

    before = [reached(each, compiled(exercise), wanted) for each in claims]

    assert [reached(each, imported(exercise), wanted) for each in claims] == before
    assert set(before) == set(wanted)  # every function is what some claim is about


def test_ids_and_lines_are_there_before_a_file_is_begun_and_stay(learner: Learner) -> None:
    learner.below("exercises").take("ex05")
    learner.below("solutions").solve("ex05")
    learner.below("broken").write("ex05_causal_masks", "def causal_mask(")

    lines = notes(learner, FOLDER, "--collect-only").lines

    claims = [id_.rpartition("/") for id_ in lines]
    before, after, broken = (
        [name for folder, _, name in claims if folder == f"{FOLDER}/{state}"]
        for state in ("exercises", "solutions", "broken")
    )
    assert len(before) == len(suite(exercises()["ex05_causal_masks"]))
    assert before == after == broken
    for state in ("exercises", "solutions"):
        text = (ROOT / state / "ex05_causal_masks.py").read_text(encoding="utf-8").splitlines()
        line = lines[f"{FOLDER}/{state}/ex05_causal_masks.py::test_hidden_weights_become_zero"]
        assert text[line].startswith("def mask_weights(")


def test_a_claim_can_be_asked_for_before_its_file_is_begun(learner: Learner) -> None:
    learner.take("ex05", "ex07")
    claim = f"{FOLDER}/ex05_causal_masks.py::test_hidden_weights_become_zero"

    run = learner.run(claim, f"{FOLDER}/ex07_heads.py", "-v")

    assert run.status == 1
    assert f"{claim} NOT STARTED" in run.out
    assert f"{FOLDER}/ex07_heads.py::not_started NOT STARTED" in run.out
    assert run.count("not started") == 2
    assert run.board.count("not started") == 3  # the last line counts them


def test_a_claim_can_be_asked_for_while_its_file_is_not_python(learner: Learner) -> None:
    learner.softmax("return (")

    run = learner.run(f"{FOLDER}/ex01_softmax.py::{FIRST}")

    assert "ex01_softmax.py:5 is not Python: '(' was never closed" in run.failures
    assert "cannot be judged yet" in run.board


def test_the_id_of_a_file_that_was_not_begun_says_to_list_again(learner: Learner) -> None:
    old = f"{FOLDER}/ex01_softmax.py::not_started"
    learner.take("ex01")
    before = learner.run(old)
    learner.solve("ex01")
    alone, among = learner.run(old), learner.run(old, f"{FOLDER}/ex01_softmax.py::{FIRST}")

    assert before.count("not started") == 1
    assert "ex01_softmax.py is begun, so its claims have their own names now" in alone.failures
    assert alone.count("failed") == 1
    assert among.count("passed") == 1
    assert "1 of 1 claims hold" in among.board or "✗" not in among.board
