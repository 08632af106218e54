"""What proves the hunts: their gates, and the losses of wrong answers that were trained."""

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
from kata.upkeep.observing import Some

SAMPLED = 3  # hunts of an exercise, in every run of pytest
A_LINE = 16  # characters; a shorter line of code may stand in any sentence
WIDE = Style(width=1000)
TOKENS, WIDTH, SAMPLES = 10, 24, 16
POINTS = 12  # of a curve; each is a mean of the steps up to it
RATE = 1e-2
DATA_SEED = 99
NOT_FINITE = "not finite"  # what is kept of a curve that ends so
Answer = Callable[[nn.Module, Tensor, Tensor], Tensor]
SEEDS = 20  # runs of the right answer
SAMPLED_ONE_IN = 40
NEAR = 0.02  # what another processor may make of the same run


def hunts_have_one_answer(exercise: Exercise) -> Iterator[str]:
    """There are hunts; in each one mistake shows this evidence, and no solution is shown."""
    some = _sample(bugs(exercise), SAMPLED)
    made = list(_made(exercise, some))
    if len(made) < min(len(some), 2):
        yield f"of {len(some)} mistakes only {len(made)} can be hunted for"
    yield from _complaints(exercise, made)


def all_hunts_have_one_answer(exercise: Exercise, some: Some = None) -> Iterator[str]:
    """The same of every mistake; whoever may stand in its hunt is compared when that is made."""
    yield from _complaints(exercise, _made(exercise, bugs(exercise) if some is None else some))


def _sample(some: tuple[Bug, ...], count: int) -> tuple[Bug, ...]:
    return some[:: max(1, len(some) // count)]


def _made(exercise: Exercise, some: tuple[Bug, ...]) -> Iterator[Which]:
    hunts = {bug.slug: which(exercise, bug, seed=0) for bug in some}
    return filter(None, hunts.values())


def _complaints(exercise: Exercise, made: Iterable[Which]) -> Iterator[str]:
    code = solution_lines(exercise)
    for hunt in made:
        yield from (f"{hunt.bug.slug}: {complaint}" for complaint in complaints(hunt, code))


def complaints(hunt: Which, code: set[str]) -> Iterator[str]:
    """What is wrong with one hunt."""
    chosen = [option.bug for option in hunt.options]
    if len({bug.title for bug in chosen}) != len(LETTERS) or chosen.count(hunt.bug) != 1:
        yield "not four different mistakes, one of which is right"
    for bug in chosen:
        if bug is not hunt.bug and _shows_the_same(hunt, bug):
            yield f"{bug.slug} is a wrong answer, and would show the same"
    shown = "\n".join(
        line
        for answer in hunt.lettered
        for line in [*question(hunt, WIDE), *reply(hunt, answer, WIDE)]
    )
    yield from (f"shows a line of the solution: {line}" for line in code if line in shown)


def _shows_the_same(hunt: Which, bug: Bug) -> bool:
    evidence = hunt.message.evidence
    alike = any(form.text == evidence for form in in_all_forms(hunt.exercise, bug, hunt.claim))
    return alike or bug.slug in hunt.bug.twins


def solution_lines(exercise: Exercise) -> set[str]:
    """The lines of code that a learner has to find: those that the stub does not have."""
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


# The class of each exercise that can be trained so, its arguments, and how it is called.
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
        """The logits of the token before each token."""
        seen = self.tokens(x) + self.positions(torch.arange(TOKENS))
        logits: Tensor = self.out(self._call(self.answer, seen, self.mask))
        return logits


def curve(exercise: Exercise, text: str, seed: int = 0) -> list[float] | str:
    """The loss on the way; or the name of the error that training ends with."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the fastest for numbers this few, and the same sums everywhere
    try:
        with warnings.catch_warnings(action="ignore"):
            losses = _losses(exercise, text, seed)
    except Exception as error:  # whatever a wrong answer raises is its result
        return type(error).__name__
    finally:
        torch.set_num_threads(threads)
    return _thinned(losses) if all(map(math.isfinite, losses)) else NOT_FINITE


def _losses(exercise: Exercise, text: str, seed: int) -> list[float]:
    name, sizes, call = TRAINED[exercise.slug]
    kind: Any = getattr(target_of(exercise, text).module(exercise.slug), name)
    torch.manual_seed(seed)
    data = torch.Generator().manual_seed(DATA_SEED)
    model = Model(lambda: kind(*sizes), call)
    optimizer = torch.optim.Adam(model.parameters(), RATE)
    return [_step(model, optimizer, data) for _ in range(STEPS)]


def _step(model: Model, optimizer: torch.optim.Optimizer, data: torch.Generator) -> float:
    """One step on samples of its own; the first token has none before it."""
    x = torch.randint(VOCABULARY, (SAMPLES, TOKENS), generator=data)
    logits = model(x)[:, 1:].reshape(-1, VOCABULARY)
    loss = nn.functional.cross_entropy(logits, x[:, :-1].reshape(-1))
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return loss.item()


def _thinned(losses: list[float]) -> list[float]:
    size = STEPS // POINTS
    return [round(sum(losses[at : at + size]) / size, 4) for at in range(0, STEPS, size)]


def record() -> None:
    """Train everything, and write down the curves."""
    entries = (f"{json.dumps(slug)}: {_entry(exercises()[slug])}" for slug in TRAINED)
    FILE.write_text("{" + ",\n".join(entries) + "}\n", encoding="utf-8", newline="\n")


def _entry(exercise: Exercise) -> str:
    """One exercise, with a line for each curve."""
    right = [curve(exercise, read(exercise.solution).text, seed) for seed in range(SEEDS)]
    paths = sorted(exercise.accepted.glob("*.py"))
    accepted = {path.stem: curve(exercise, read(path).text) for path in paths}
    wrong = {bug.slug: curve(exercise, wrong_answer(exercise, bug)) for bug in bugs(exercise)}
    rows = ",\n".join(f"  {json.dumps(each)}" for each in right)
    parts = [f'"right": [\n{rows}\n]', f'"accepted": {_lines(accepted)}']
    return (
        "{" + ",\n".join([f'"of": "{digest(exercise)}"', *parts, f'"wrong": {_lines(wrong)}']) + "}"
    )


def _lines(curves: dict[str, list[float] | str]) -> str:
    lines = (f"  {json.dumps(name)}: {json.dumps(each)}" for name, each in curves.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def losses_are_true(exercise: Exercise, one_in: int = SAMPLED_ONE_IN) -> Iterator[str]:
    """What is recorded of training is what it gives, for some of the wrong answers."""
    if exercise.slug not in TRAINED:
        return
    known = losses_of(exercise)
    if known is None:
        yield f"{FILE.name} is of another catalogue: `python -m kata.upkeep.hunts --record`"
        return
    for name, each in known.accepted.items():
        if not known.ends_there(each):
            yield f"the right answer {name} ends at {each[-1]}, higher than {known.highest[-1]}"
    for bug in bugs(exercise)[::one_in]:
        got, wanted = curve(exercise, wrong_answer(exercise, bug)), _known(exercise, bug)
        if not near(got, wanted):
            yield f"{bug.slug} gives {got}, and {FILE.name} says {wanted}"


def _known(exercise: Exercise, bug: Bug) -> Sequence[float] | str:
    known = losses()[exercise.slug]
    return known.wrong.get(bug.slug) or known.stopped.get(bug.slug, "")


def near(one: Sequence[float] | str, other: Sequence[float] | str) -> bool:
    """Whether both ended alike: the same end, or the same last loss as nearly as it repeats."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return abs(one[-1] - other[-1]) <= NEAR * max(1.0, other[-1])


def told() -> Iterator[str]:
    """A line for each exercise."""
    for slug, known in losses().items():
        ends, hidden = len(known.there), len(known.hidden)
        yield (
            f"{slug}: of {known.trained} wrong answers trained, {ends} end at the right one's loss"
            f" ({hidden} never leave it), {len(known.wrong) - ends} end higher, and"
            f" {len(known.stopped)} raise an error or end in NaN"
        )


if __name__ == "__main__":
    import_torch()
    if "--record" in sys.argv:
        record()
    losses.cache_clear()
    print(*told(), sep="\n")
