"""Train a model made of your own parts: one that reverses sequences, or one that writes.

`kata run sequences` takes seconds, `kata run text` two minutes. Where a part is not done, or does
not pass, the reference stands in, and it is said which parts are yours.
"""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

import torch

from kata.commands.common import add_folder, folder_of
from kata.course.curriculum import Exercise
from kata.learner import capstone
from kata.learner.capstone import Parts, letters, parts
from kata.pictures.drawing import draw
from kata.terminal.style import Style

WHAT = ("sequences", "text")
SECONDS = 100.0  # of training
SAMPLES, REPORTS = 6, 24  # in the course of a training
SEEN = "Alice was not a bit hurt"  # whose letters the heads are drawn for
CELLS = 12  # of a bar


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", choices=WHAT, help="what the model learns")
    parser.add_argument("--seconds", type=_seconds, default=SECONDS, help="of training, for text")
    parser.add_argument("--begin", default="Alice ", metavar="TEXT", help="how its texts begin")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    add_folder(parser)


def _seconds(text: str) -> float:
    try:
        if 0 < (seconds := float(text)) <= 3600:
            return seconds
    except ValueError:
        pass
    raise ArgumentTypeError(f"not a number of seconds up to an hour: {text}")


def run(options: Namespace) -> int:
    """Train it, and show what it can do."""
    import torch

    from kata.terminal.style import style_of

    torch.manual_seed(options.seed)
    folder, style = folder_of(options), style_of(sys.stdout)
    if options.what == "sequences":
        lines = show_sequences(folder, style)
    else:
        lines = show_text(folder, style, options.seconds, options.begin)
    for line in lines:
        print(line, flush=True)
    return 0


def show_sequences(folder: Path, style: Style) -> Iterator[str]:
    """Train a model that reverses, and show where it looks."""
    own_parts = parts(folder, capstone.NEEDS)
    head = f"An encoder of your parts learns to reverse sequences of {capstone.LENGTH} symbols."
    yield style.paint(head, "bold")
    yield from _origins(own_parts, style)
    model = capstone.Reverser(own_parts)
    for reached in capstone.learned(model):
        loss = f"loss {reached.loss:5.3f}"
        yield f"  step {reached.step:>3}   {loss}   whole sequences right: {reached.right:.0%}"
    symbols, output = (" ".join(map(str, some)) for some in capstone.example(model))
    yield from style.wrap(f"It makes {symbols} into {output}.")
    yield ""
    title = "where each place of the output looks, on average"
    yield repr(draw({title: capstone.attention_map(model)}))
    yield from style.wrap(
        "Place 0 looks at the last place, and so on: an anti-diagonal. "
        "Nobody told it; only right and wrong answers did."
    )


def show_text(folder: Path, style: Style, seconds: float, begin: str) -> Iterator[str]:
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
    yield from _learning(writing, style, seconds, begin)
    count, loss = len(writing.letters.alphabet), writing.held_out()
    end = (
        f"The loss on text that it has not seen is {loss:.2f}; "
        f"a guess among {count} letters costs {writing.guess:.2f}."
    )
    yield from ("", *style.wrap(end), "")
    heads = enumerate(writing.heads(SEEN), start=1)
    yield repr(draw({f"head {n} of the last block": weights for n, weights in heads}))
    yield from style.wrap(f"Rows and columns are the letters of: {SEEN}")


def _learning(writing: capstone.Writing, style: Style, seconds: float, begin: str) -> Iterator[str]:
    reports, samples = _times(seconds, REPORTS), _times(seconds, SAMPLES)
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


def _times(seconds: float, count: int) -> Iterator[float]:
    """So many moments, the last one at the end, and then never again."""
    yield from (seconds * number / count for number in range(1, count))
    yield from iter(lambda: float("inf"), 0)


def _bar(share: float, style: Style) -> str:
    full = min(CELLS, round(share * CELLS))
    done, left = ("█", "░") if style.unicode else ("#", ".")
    return done * full + left * (CELLS - full)


def _origins(own_parts: Parts, style: Style) -> Iterator[str]:
    """Which parts are the learner's."""
    own, borrowed = _listed(own_parts.own), _listed(own_parts.borrowed)
    if not own_parts.borrowed:
        yield from style.wrap(f"Every part of it is yours: {own}.")
    elif not own_parts.own:
        text = f"No part of it is yours yet: the reference stands in for {borrowed}."
        yield from style.wrap(text)
    else:
        yield from style.wrap(f"Made of your own {own}.")
        yield from style.wrap(f"The reference stands in for {borrowed}.")


def _listed(parts: Iterable[Exercise]) -> str:
    return ", ".join(exercise.short for exercise in parts)
