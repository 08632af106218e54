"""The trainings of `kata run`: what is trained, how far it is, and what it has learned."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import torch

from kata.course.curriculum import Exercise
from kata.learner import capstone
from kata.learner.capstone import Parts, letters, parts
from kata.pictures.drawing import draw
from kata.terminal.style import Style

SAMPLES, REPORTS = 6, 24  # in the course of a training
HEADS_TEXT = "Alice was not a bit hurt"  # the heads are drawn for its letters
CELLS = 12  # of a bar


def sequences(folder: Path, style: Style) -> Iterator[str]:
    """Train a model that reverses, and show where it looks."""
    own_parts = parts(folder, capstone.NEEDS)
    head = f"An encoder of your parts learns to reverse sequences of {capstone.LENGTH} symbols."
    yield style.paint(head, "bold")
    yield from _origins(own_parts, style)
    model = capstone.Reverser(own_parts)
    for reached in capstone.learned(model):
        loss = f"loss {reached.loss:5.3f}"
        yield f"  step {reached.step:>3}   {loss}   whole sequences right: {reached.right:.0%}"
    symbols, output = (" ".join(map(str, sequence)) for sequence in capstone.example(model))
    yield from style.wrap(f"It makes {symbols} into {output}.")
    yield ""
    title = "where each place of the output looks, on average"
    yield repr(draw({title: capstone.attention_map(model)}))
    yield from style.wrap(
        "Place 0 looks at the last place, and so on: an anti-diagonal. "
        "Nobody told it; only right and wrong answers did."
    )


def text(folder: Path, style: Style, seconds: float, begin: str) -> Iterator[str]:
    """Train a model that writes; now and then a sample, and at the end where its heads look."""
    own_parts = parts(folder, capstone.NEEDS_OF_WRITER)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    head = (
        "A decoder of your parts learns to write, letter by letter, "
        f"from Alice's Adventures in Wonderland ({device}, {seconds:.0f} seconds)."
    )
    yield from (style.paint(line, "bold") for line in style.wrap(head))
    yield from _origins(own_parts, style)
    writing = capstone.Writing(own_parts, letters(), device)
    yield from _reports(writing, style, seconds, begin)
    count, loss = len(writing.letters.alphabet), writing.held_out()
    end = (
        f"The loss on text that it has not seen is {loss:.2f}; "
        f"a guess among {count} letters costs {writing.guess:.2f}."
    )
    yield from ("", *style.wrap(end), "")
    heads = enumerate(writing.heads(HEADS_TEXT), start=1)
    yield repr(draw({f"head {n} of the last block": weights for n, weights in heads}))
    yield from style.wrap(f"Rows and columns are the letters of: {HEADS_TEXT}")


def _reports(writing: capstone.Writing, style: Style, seconds: float, begin: str) -> Iterator[str]:
    reports, samples = _moments(seconds, REPORTS), _moments(seconds, SAMPLES)
    report, sample = next(reports), next(samples)
    for reached in writing.learned(seconds):
        time, loss = reached.seconds, f"loss {reached.loss:.2f}"
        if time >= report:
            report = next(reports)
            yield f"{_bar(time / seconds, style)} {time:>4.0f} s   step {reached.step:>5}   {loss}"
        if time >= sample:
            sample = next(samples)
            letters_so_far = " ".join(writing.written(begin).split())
            yield from style.wrap(f"{time:.0f} s: {letters_so_far}", 2)


def _moments(seconds: float, count: int) -> Iterator[float]:
    """Yield so many moments, the last one at the end, and then infinity."""
    yield from (seconds * number / count for number in range(1, count))
    yield from iter(lambda: float("inf"), 0)


def _bar(share: float, style: Style) -> str:
    full = min(CELLS, round(share * CELLS))
    done, left = ("█", "░") if style.unicode else ("#", ".")
    return done * full + left * (CELLS - full)


def _origins(own_parts: Parts, style: Style) -> Iterator[str]:
    """Say which parts are the learner's."""
    own, borrowed = _shorts(own_parts.own), _shorts(own_parts.borrowed)
    if not own_parts.borrowed:
        yield from style.wrap(f"Every part of it is yours: {own}.")
    elif not own_parts.own:
        sentence = f"No part of it is yours yet: the reference stands in for {borrowed}."
        yield from style.wrap(sentence)
    else:
        yield from style.wrap(f"Made of your own {own}.")
        yield from style.wrap(f"The reference stands in for {borrowed}.")


def _shorts(exercises: Iterable[Exercise]) -> str:
    return ", ".join(exercise.short for exercise in exercises)
