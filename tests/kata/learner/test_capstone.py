"""`kata run`: models made of a learner's own parts, and of the reference where one is not done."""

import math
import re
from collections.abc import Iterator
from functools import partial
from itertools import count
from types import SimpleNamespace

import pytest

from kata.course.curriculum import exercises
from kata.verdict import State
from tests.helpers.later import Later, torch
from tests.helpers.learner_folder import Kata, Learner

capstone = Later("kata.learner.capstone")

JUDGED = {"ex05_causal_masks": State.PASSED, "ex07_heads": State.FAILED,
          "ex09_multi_head_attention": State.PASSED}  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """The fastest for models this small."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def begun(learner: Learner) -> None:
    """Two parts that pass, one that does not, and the rest as stubs."""
    learner.take(*(each.short for each in exercises().values()))
    learner.solve("ex05", "ex09")
    wrong = exercises()["ex07_heads"].solution.read_text(encoding="utf-8")
    learner.write("ex07_heads", wrong.replace(".transpose(-3, -2)", "", 1).replace("1, 2", "1, -1"))
    learner.note(JUDGED)


def test_sequences_are_reversed_by_parts_of_which_some_are_the_learners(
    learner: Learner, kata: Kata
) -> None:
    begun(learner)

    done = kata("run", "sequences")

    told = " ".join(done.out.split())
    assert done.status == 0
    assert "Made of your own ex05, ex09. The reference stands in for ex07, ex12, ex13" in told
    assert re.findall(r"right: +(\d+)%", done.out)[-1] == "100"
    given, made = re.search(r"It makes ([\d ]+) into ([\d ]+)\.", told).groups()
    assert made.split() == given.split()[::-1]
    rows = [line.split() for line in done.out.splitlines() if re.match(r"^[░▒▓█ ]+$", line)]
    assert [row.index("█") for row in rows] == [*range(capstone.LENGTH)][::-1]


def test_whoever_has_nothing_is_told_so(learner: Learner, kata: Kata) -> None:
    learner.take("ex15")

    told = kata("run", "sequences").out

    assert "No part of it is yours yet: the reference stands in for ex05, ex07, ex09" in told


def test_a_model_is_made_of_the_learners_own_file(learner: Learner, kata: Kata) -> None:
    learner.take("ex15")
    own = exercises()["ex13_feed_forward"].solution.read_text(encoding="utf-8")
    learner.write("ex13_feed_forward", own + "\nMINE = True\n")
    kata("verdict", "ex13")

    found = capstone.parts(learner.folder, capstone.REVERSER_NEEDS)
    layer = capstone.Reverser(found).encoder.layers[0]

    assert found.module("ex13").MINE
    assert type(layer.feed_forward) is found.module("ex13").FeedForward
    assert not hasattr(found.module("ex12"), "MINE")
    assert [each.short for each in found.own] == ["ex13"]


def test_the_book_is_whole_and_its_letters_can_be_told_apart() -> None:
    book = capstone.letters()
    trained, held_out = book.split

    assert book.text.startswith("CHAPTER I. Down the Rabbit-Hole\n\nAlice was beginning to get")
    assert book.text.rstrip().endswith("THE END")
    assert book.spelled(book.numbers("Alice ☃ was")) == "Alice  was"
    assert len(trained) + len(held_out) == len(book.text)
    assert torch.cat((trained, held_out)).max() == len(book.alphabet) - 1


def test_a_model_learns_to_write_with_parts_of_which_some_are_the_learners(
    learner: Learner, kata: Kata, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A smaller one than that of the program, in thirty steps: its clock is read twice in each."""
    begun(learner)
    for name, small in {"LAYERS": 2, "WRITER_BATCH": 4, "SPAN": 48, "WRITER_TRIALS": 16}.items():
        monkeypatch.setattr(f"kata.learner.capstone.{name}", small)
    monkeypatch.setattr(capstone.Writing.continued.__wrapped__, "__defaults__", (40,))  # letters
    ticks = count(0, 0.05)
    monkeypatch.setattr(
        "kata.learner.capstone.time", SimpleNamespace(monotonic=lambda: next(ticks))
    )

    done = kata("run", "text", "--seconds", "3", "--begin", "Down")

    told = " ".join(done.out.split())
    assert done.status == 0
    assert "Made of your own ex05. The reference stands in for ex07, ex19, ex20" in told
    assert re.search(r"s: Down.{20}", told)
    loss = float(re.search(r"has not seen is (\d\.\d+)", told)[1])
    assert loss < math.log(len(capstone.letters().alphabet))
    assert told.count("of the last block") == 4


def test_bad_input_is_one_line(learner: Learner, kata: Kata) -> None:
    learner.take("ex15")

    done = kata("run", "text", "--seconds", "never")

    assert done.status == 2
    assert "not a number of seconds up to an hour: never" in done.err


def test_a_sequence_is_right_only_if_all_of_it_is() -> None:
    def reversed_but_for(wrong: int, tokens: torch.Tensor) -> torch.Tensor:
        """Logits of a model that gets the first symbols wrong."""
        said = tokens.flip(1).clone()
        said[:, :wrong] = (said[:, :wrong] + 1) % capstone.SYMBOLS
        return torch.nn.functional.one_hot(said, capstone.SYMBOLS).float()

    assert capstone.share_right(partial(reversed_but_for, 0)) == 1.0
    assert capstone.share_right(partial(reversed_but_for, 1)) == 0.0
