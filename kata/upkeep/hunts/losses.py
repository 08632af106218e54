"""Record how wrong answers fare in training: `python -m kata.upkeep.hunts.losses --record`.

It takes some minutes. Without `--record` it says what is recorded.
"""

import json
import sys
from collections.abc import Iterator, Sequence

from kata.course.catalogue import Bug, bugs, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.source import read
from kata.hunts.losses import FILE, digest, losses, losses_of
from kata.judging.judge import import_torch
from kata.upkeep.hunts.training import TRAINED, curve

SEEDS = 20  # runs of the right answer
SAMPLED_ONE_IN = 40
NEAR = 0.02  # what another processor may make of the same run


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
        yield f"{FILE.name} is of another catalogue: `python -m kata.upkeep.hunts.losses --record`"
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
