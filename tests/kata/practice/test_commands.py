"""`kata hunt` and `kata practice`, run as a learner runs them: in a process, through a pipe."""

import json
import re

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.course.source import read
from kata.practice.line import changed_tokens, waiting
from kata.practice.memory import Memory
from kata.practice.questions import some_which
from tests.helpers.learner_folder import Kata, Learner

EX01 = exercises()["ex01_softmax"]


def test_a_hunt_is_answered_through_a_pipe(learner: Learner, kata: Kata) -> None:
    learner.take("ex01")
    hunt = some_which(EX01, 7)
    other = "a" if hunt.right != "a" else "b"

    right = kata("hunt", "ex01", "--seed", "7", keys=f"x\n{hunt.right}\n")
    wrong = kata("hunt", "ex01", "--seed", "7", "--answer", other)

    assert (right.status, wrong.status) == (0, 1)
    assert "an answer is one of a, b, c, d" in right.out
    assert "\nRight.\n" in right.out
    assert f"No: it is {hunt.right}, {hunt.bug.title}." in wrong.out
    assert "this hunt again: kata hunt ex01 --form which --seed 7" in wrong.out
    assert Memory(learner.folder).hunt(EX01.slug, hunt.bug.slug).box == 0


@pytest.mark.parametrize("keys", ["", "q\n"], ids=["end of input", "q"])
def test_a_hunt_can_be_left(learner: Learner, kata: Kata, keys: str) -> None:
    learner.take("ex01")

    left = kata("hunt", "ex01", "--seed", "7", keys=keys)

    assert left.status == 0
    assert "Right" not in left.out
    assert some_which(EX01, 7).bug.title in left.out
    assert not Memory(learner.folder).path.exists()


def test_bad_input_gets_one_line(learner: Learner, kata: Kata) -> None:
    learner.take("ex01", "ex09")
    for words, told in {
        ("hunt", "ex01", "--answer", "e"): "an answer is one of a, b, c, d",
        ("hunt", "ex01", "--form", "line"): "ex01_softmax is not passed yet: the file would show",
        ("hunt", "ex09", "--form", "loss"): "is not passed yet: the code would show lines",
        ("hunt", "--form", "loss"): "hunts by loss come from ex06, ex09 and ex14",
        ("hunt", "--check"): "no file waits to be mended",
    }.items():
        done = kata(*words)
        assert (done.status, done.out) == (2, ""), words
        assert told in done.err
        assert done.err.count("\n") == 1


def test_a_file_is_written_judged_and_mended(learner: Learner, kata: Kata) -> None:
    learner.solve("ex01")
    kata("verdict", "ex01")
    offered = kata("hunt", "ex01", "--form", "line")
    path = learner.home / "hunts" / EX01.filename
    text, opened = path.read_text(encoding="utf-8"), Memory(learner.folder).open(EX01.slug)
    assert "wrong in one place" in offered.out
    assert next(each.title for each in bugs(EX01) if each.slug == opened.bug) not in offered.out

    hunt = waiting(Memory(learner.folder), EX01, read(EX01.solution).text)
    count = changed_tokens(hunt.wrong, hunt.base)

    untouched = kata("hunt", "--check")
    path.write_text(text.replace("return ", "return 2 * "), encoding="utf-8")
    worse = kata("hunt", "ex01", "--check")
    path.write_text(text + "def (", encoding="utf-8")
    broken = kata("hunt", "ex01", "--check")
    path.write_text(read(EX01.solution).text, encoding="utf-8")
    mended = kata("hunt", "--check")

    assert (untouched.status, worse.status, mended.status) == (1, 1, 0)
    assert "nothing is changed yet" in untouched.out
    assert re.search(r"not yet\. Changed tokens so far: \d+\.\n", worse.out)
    assert "expected" in worse.out
    assert "[cpu]" not in worse.out
    assert "hunts/ex01_softmax.py: not yet.\n  ex01_softmax.py:" in broken.out
    assert "Changed tokens" not in broken.out
    assert f"Changed tokens: {count}; the fewest known: {count}." in " ".join(mended.out.split())
    assert Memory(learner.folder).solved(EX01.slug) == {opened.bug}
    assert kata("hunt", "--check").status == 2


def test_no_code_is_run_that_was_put_beside_the_exercises(learner: Learner, kata: Kata) -> None:
    """The file in `hunts/` looks clean; what it was made in came from a note of anybody's."""
    learner.solve("ex01")
    kata("verdict", "ex01")
    kata("hunt", "ex01", "--form", "line")
    memory, ran = Memory(learner.folder).path, learner.home / "ran"
    planted = json.loads(memory.read_text(encoding="utf-8"))
    code = f"open({str(ran)!r}, 'w')\n{read(EX01.solution).text}"
    planted["open"][EX01.slug] |= {"base": code, "wrong": code + "#"}
    memory.write_text(json.dumps(planted), encoding="utf-8")
    path = learner.home / "hunts" / EX01.filename
    path.write_text(read(EX01.solution).text, encoding="utf-8")

    kata("hunt", "--check")

    assert not ran.exists()


def test_the_file_that_waits_is_not_overwritten(learner: Learner, kata: Kata) -> None:
    learner.solve("ex01")
    kata("verdict", "ex01")
    kata("hunt", "ex01", "--form", "line")
    path = learner.home / "hunts" / EX01.filename
    path.write_text("my work", encoding="utf-8")

    assert "waits for you already" in kata("hunt", "ex01", "--form", "line").out
    assert path.read_text(encoding="utf-8") == "my work"
    assert "your version is kept as" in kata("hunt", "ex01", "--form", "line", "--seed", "5").out
    assert path.with_name("ex01_softmax.1.py").read_text(encoding="utf-8") == "my work"


def test_practice_remembers_each_answer_though_it_is_left(learner: Learner, kata: Kata) -> None:
    learner.solve("ex01")
    kata("verdict", "ex01")

    done = kata("practice", keys="a\nb\nq\n")

    told = json.loads(Memory(learner.folder).path.read_text(encoding="utf-8"))
    assert done.status == 0
    assert done.out.startswith("About 10 minutes; q leaves at any time, and nothing is lost.")
    assert len(told["hunts"]) == 2
    assert "of 2 right." in done.out
    assert "kata prove" not in done.out  # who leaves is not asked for more


def test_practice_with_nothing_begun_says_so(learner: Learner, kata: Kata) -> None:
    learner.take("ex01")

    done = kata("practice", "--minutes", "1")

    assert done.status == 0
    assert "Practice draws on the exercises that you have begun" in done.out
    assert kata("practice", "--minutes", "0").status == 2
