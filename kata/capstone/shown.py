"""What is said while a model learns, and when it has learned: lines of a terminal."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import torch

from kata.capstone import sequences, text
from kata.capstone.letters import letters
from kata.capstone.parts import Parts, parts
from kata.course.curriculum import Exercise
from kata.terminal.drawing import draw
from kata.terminal.style import Style
from kata.words import say

SAMPLES, REPORTS = 6, 24  # in the course of a training
SEEN = "Alice was not a bit hurt"  # whose letters the heads are drawn for
CELLS = 12  # of a bar


def sequences_shown(folder: Path, style: Style) -> Iterator[str]:
    """Train a model that reverses, and show where it looks."""
    found = parts(folder, sequences.NEEDS)
    yield style.paint(say("capstone.sequences.head", length=sequences.LENGTH), "bold")
    yield from _whose(found, style)
    model = sequences.Reverser(found)
    for each in sequences.learned(model):
        yield say("capstone.sequences.reached", **vars(each))
    given, made = (" ".join(map(str, some)) for some in sequences.example(model))
    yield from style.wrap(say("capstone.sequences.example", given=given, made=made))
    yield ""
    yield repr(draw({say("capstone.sequences.map"): sequences.attention_map(model)}))
    yield from style.wrap(say("capstone.sequences.told"))


def text_shown(folder: Path, style: Style, seconds: float, begin: str) -> Iterator[str]:
    """Train a model that writes; now and then a sample, and at the end where its heads look."""
    found, device = parts(folder, text.NEEDS), "cuda" if torch.cuda.is_available() else "cpu"
    head = say("capstone.text.head", device=device, seconds=seconds)
    yield from (style.paint(line, "bold") for line in style.wrap(head))
    yield from _whose(found, style)
    writing = text.Writing(found, letters(), device)
    yield from _learning(writing, style, seconds, begin)
    count, loss = len(writing.letters.alphabet), writing.held_out()
    told = say("capstone.text.end", loss=loss, count=count, guess=writing.guess)
    yield from ("", *style.wrap(told), "")
    heads = enumerate(writing.heads(SEEN), start=1)
    yield repr(draw({say("capstone.text.map", number=n): weights for n, weights in heads}))
    yield from style.wrap(say("capstone.text.places", text=SEEN))


def _learning(writing: text.Writing, style: Style, seconds: float, begin: str) -> Iterator[str]:
    reports, samples = _times(seconds, REPORTS), _times(seconds, SAMPLES)
    report, sample = next(reports), next(samples)
    for each in writing.learned(seconds):
        if each.seconds >= report:
            report = next(reports)
            bar = _bar(each.seconds / seconds, style)
            yield say("capstone.text.reached", bar=bar, **vars(each))
        if each.seconds >= sample:
            sample = next(samples)
            told = " ".join(writing.written(begin).split())
            yield from style.wrap(say("capstone.text.sample", seconds=each.seconds, text=told), 2)


def _times(seconds: float, count: int) -> Iterator[float]:
    """So many moments, the last one at the end, and then never again."""
    yield from (seconds * number / count for number in range(1, count))
    yield from iter(lambda: float("inf"), 0)


def _bar(share: float, style: Style) -> str:
    full = min(CELLS, round(share * CELLS))
    done, left = ("█", "░") if style.unicode else ("#", ".")
    return done * full + left * (CELLS - full)


def _whose(found: Parts, style: Style) -> Iterator[str]:
    """Which parts are the learner's."""
    own, borrowed = _listed(found.own), _listed(found.borrowed)
    if not found.borrowed:
        told = [say("capstone.parts.all-own", names=own)]
    elif not found.own:
        told = [say("capstone.parts.none-own", names=borrowed)]
    else:
        told = [
            say("capstone.parts.own", names=own),
            say("capstone.parts.borrowed", names=borrowed),
        ]
    yield from (line for each in told for line in style.wrap(each))


def _listed(some: Iterable[Exercise]) -> str:
    return ", ".join(each.short for each in some)
