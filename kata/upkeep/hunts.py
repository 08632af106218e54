"""Gates about hunts, and the training of wrong answers for hunts by loss.

`python -m kata.upkeep.hunts --record` trains them all again and writes down their losses.
"""

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from kata.course.catalogue import Bug, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.source import read
from kata.judging.judge import import_torch
from kata.practice.evidence import in_all_forms
from kata.practice.loss import FILE, STEPS, VOCABULARY, digest, losses, losses_of
from kata.practice.questions import LETTERS, Which, question, reply, which
from kata.terminal.style import Style
from kata.upkeep.faces import accepted
from kata.upkeep.wrong_answers import Selection

SAMPLED = 3  # hunts of an exercise, in every run of pytest
A_LINE = 16  # characters; a shorter line of code may stand in any sentence
WIDE = Style(width=1000)
TOKENS, WIDTH, SAMPLES = 10, 24, 16
POINTS = 12  # of a curve: means of the steps before them
RATE = 1e-2
DATA_SEED = 99
NOT_FINITE = "not finite"  # stands for a curve that ends so
Answer = Callable[[nn.Module, Tensor, Tensor], Tensor]
SEEDS = 20  # runs of the right answer
SAMPLED_ONE_IN = 40
NEAR = 0.02  # the share by which another processor may differ in the same run


def hunts_have_one_answer(exercise: Exercise) -> Iterator[str]:
    """There are hunts; one mistake alone has the evidence, and no line of the solution appears."""
    catalogue = bugs(exercise)
    sampled = catalogue[:: max(1, len(catalogue) // SAMPLED)]
    hunts = list(_hunts(exercise, sampled))
    if len(hunts) < min(len(sampled), 2):
        yield f"of {len(sampled)} mistakes only {len(hunts)} can be hunted for"
    yield from _complaints(exercise, hunts)


def all_hunts_have_one_answer(exercise: Exercise, selection: Selection = None) -> Iterator[str]:
    """The same holds for the hunts of all mistakes."""
    chosen = bugs(exercise) if selection is None else selection
    yield from _complaints(exercise, _hunts(exercise, chosen))


def _hunts(exercise: Exercise, chosen: tuple[Bug, ...]) -> Iterator[Which]:
    hunts = {bug.slug: which(exercise, bug, seed=0) for bug in chosen}
    return filter(None, hunts.values())


def _complaints(exercise: Exercise, hunts: Iterable[Which]) -> Iterator[str]:
    code = solution_lines(exercise)
    for hunt in hunts:
        yield from (f"{hunt.bug.slug}: {complaint}" for complaint in complaints(hunt, code))


def complaints(hunt: Which, code: set[str]) -> Iterator[str]:
    """Complain about one hunt; `code` is the lines that it must not show."""
    chosen = [option.bug for option in hunt.options]
    if len({bug.title for bug in chosen}) != len(LETTERS) or chosen.count(hunt.bug) != 1:
        yield "not four different mistakes, one of which is right"
    for bug in chosen:
        if bug is not hunt.bug and _shows_the_same(hunt, bug):
            yield f"{bug.slug} is a wrong answer, and would show the same"
    text = "\n".join(
        line
        for answer in hunt.lettered
        for line in [*question(hunt, WIDE), *reply(hunt, answer, WIDE)]
    )
    yield from (f"shows a line of the solution: {line}" for line in code if line in text)


def _shows_the_same(hunt: Which, bug: Bug) -> bool:
    evidence = hunt.message.evidence
    alike = any(form.text == evidence for form in in_all_forms(hunt.exercise, bug, hunt.claim))
    return alike or bug.slug in hunt.bug.twins


def solution_lines(exercise: Exercise) -> set[str]:
    """Return the lines of code that a learner has to find: the stub does not have them."""
    codes = {_code(line) for line in read(exercise.stub).text.splitlines()}
    lines = {_code(line) for line in read(exercise.solution).text.splitlines()}
    return {line for line in lines - codes if len(line) >= A_LINE}


def _code(line: str) -> str:
    return line.partition("  #")[0].strip()


def _causal(model: nn.Module, x: Tensor, _: Tensor) -> Tensor:
    out: Tensor = x + model(x)
    return out


def _multi_head(model: nn.Module, x: Tensor, mask: Tensor) -> Tensor:
    out: Tensor = x + model(x, x, x, mask)[0]
    return out


def _encoder_layer(model: nn.Module, x: Tensor, mask: Tensor) -> Tensor:
    out: Tensor = model(x, mask)
    return out


# The class of every exercise that can be trained, its arguments, and how it is called.
TRAINED: Mapping[str, tuple[str, tuple[int, ...], Answer]] = {
    "ex06_causal_attention": ("CausalAttention", (WIDTH, WIDTH, TOKENS), _causal),
    "ex09_multi_head_attention": ("MultiHeadAttention", (WIDTH, 4), _multi_head),
    "ex14_encoder_layer": ("EncoderLayer", (WIDTH, 4, 2 * WIDTH), _encoder_layer),
}


class Model(nn.Module):
    """The answer between an embedding and a linear layer."""

    def __init__(self, make: Callable[[], nn.Module], call: Answer) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(TOKENS, WIDTH)
        self.out = nn.Linear(WIDTH, VOCABULARY)
        self.answer = make()  # last, so that all answers begin between the same layers
        self._call = call
        self.mask = torch.ones(TOKENS, TOKENS).tril().bool()

    def forward(self, x: Tensor) -> Tensor:
        """The logits of the token before every token."""
        features = self.tokens(x) + self.positions(torch.arange(TOKENS))
        logits: Tensor = self.out(self._call(self.answer, features, self.mask))
        return logits


def curve(exercise: Exercise, text: str, seed: int = 0) -> list[float] | str:
    """Return the loss on the way, or the name of the error that training ends with."""
    threads = torch.get_num_threads()
    # One thread is the fastest for numbers this few, and gives the same sums everywhere.
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings(action="ignore"):
            values = _losses(exercise, text, seed)
    except Exception as error:  # any: it is the result of a wrong answer
        return type(error).__name__
    finally:
        torch.set_num_threads(threads)
    return _thinned(values) if all(map(math.isfinite, values)) else NOT_FINITE


def _losses(exercise: Exercise, text: str, seed: int) -> list[float]:
    name, sizes, call = TRAINED[exercise.slug]
    kind: Any = getattr(target_of(exercise, text).module(exercise.slug), name)
    torch.manual_seed(seed)
    data = torch.Generator().manual_seed(DATA_SEED)
    model = Model(lambda: kind(*sizes), call)
    optimizer = torch.optim.Adam(model.parameters(), RATE)
    return [_step(model, optimizer, data) for _ in range(STEPS)]


def _step(model: Model, optimizer: torch.optim.Optimizer, data: torch.Generator) -> float:
    x = torch.randint(VOCABULARY, (SAMPLES, TOKENS), generator=data)
    # The first token has none before it.
    logits = model(x)[:, 1:].reshape(-1, VOCABULARY)
    loss = nn.functional.cross_entropy(logits, x[:, :-1].reshape(-1))
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return loss.item()


def _thinned(values: list[float]) -> list[float]:
    size = STEPS // POINTS
    return [round(sum(values[at : at + size]) / size, 4) for at in range(0, STEPS, size)]


def record() -> None:
    """Train everything, and write down the curves."""
    entries = (f"{json.dumps(slug)}: {_entry(exercises()[slug])}" for slug in TRAINED)
    FILE.write_text("{" + ",\n".join(entries) + "}\n", encoding="utf-8", newline="\n")


def _entry(exercise: Exercise) -> str:
    """One exercise, with a line for every curve."""
    right = [curve(exercise, read(exercise.solution).text, seed) for seed in range(SEEDS)]
    styles = {path.stem: curve(exercise, read(path).text) for path in accepted(exercise)}
    wrong = {bug.slug: curve(exercise, wrong_answer(exercise, bug)) for bug in bugs(exercise)}
    rows = ",\n".join(f"  {json.dumps(points)}" for points in right)
    fields = [
        f'"of": "{digest(exercise)}"',
        f'"right": [\n{rows}\n]',
        f'"accepted": {_lines(styles)}',
        f'"wrong": {_lines(wrong)}',
    ]
    return "{" + ",\n".join(fields) + "}"


def _lines(curves: dict[str, list[float] | str]) -> str:
    lines = (f"  {json.dumps(name)}: {json.dumps(points)}" for name, points in curves.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def losses_are_true(exercise: Exercise, one_in: int = SAMPLED_ONE_IN) -> Iterator[str]:
    """Training gives what is recorded of it, for a sample of the wrong answers."""
    if exercise.slug not in TRAINED:
        return
    recorded = losses_of(exercise)
    if recorded is None:
        yield f"{FILE.name} is of another catalogue: `python -m kata.upkeep.hunts --record`"
        return
    for name, points in recorded.accepted.items():
        if not recorded.ends_there(points):
            end, highest = points[-1], recorded.highest[-1]
            yield f"the right answer {name} ends at {end}, higher than {highest}"
    for bug in bugs(exercise)[::one_in]:
        actual = curve(exercise, wrong_answer(exercise, bug))
        wanted = recorded.wrong.get(bug.slug) or recorded.stopped.get(bug.slug, "")
        if not near(actual, wanted):
            yield f"{bug.slug} gives {actual}, and {FILE.name} says {wanted}"


def near(points: Sequence[float] | str, other: Sequence[float] | str) -> bool:
    """Return whether both ended alike: in the same error, or at nearly the same loss."""
    if isinstance(points, str) or isinstance(other, str):
        return points == other
    return abs(points[-1] - other[-1]) <= NEAR * max(1.0, other[-1])


def summary() -> Iterator[str]:
    """Yield a line for every exercise that was trained."""
    for slug, recorded in losses().items():
        ends, hidden = len(recorded.there), len(recorded.hidden)
        yield (
            f"{slug}: of {recorded.trained} wrong answers trained, {ends} end at the right one's"
            f" loss ({hidden} never leave it), {len(recorded.wrong) - ends} end higher, and"
            f" {len(recorded.stopped)} raise an error or end in NaN"
        )


if __name__ == "__main__":
    import_torch()
    if "--record" in sys.argv:
        record()
    losses.cache_clear()
    print(*summary(), sep="\n")
