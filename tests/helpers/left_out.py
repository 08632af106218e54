"""What the gates of a run did not judge again, told at its end."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import SystemRandom

SEED = "KATA_SAMPLE"  # an environment variable: the same number gives the same sample again
PROPERTY = "not judged again"


@dataclass(frozen=True)
class LeftOut:
    """How many wrong answers of an exercise, and whether because only a sample was drawn."""

    entries: int
    sampled: bool

    @property
    def as_property(self) -> tuple[str, list[int]]:
        """What a report carries, from whichever process."""
        return PROPERTY, [self.entries, int(self.sampled)]


def draw_seed() -> None:
    """Choose a sample for this run and all of its workers, if none was asked for."""
    os.environ.setdefault(SEED, str(SystemRandom().randrange(1000)))


def seed() -> str:
    """The number that gives this run's sample again."""
    return os.environ.get(SEED, "0")


def told(properties: Iterable[tuple[str, object]]) -> Iterator[str]:
    """A paragraph about what was left out, if anything was."""
    found = [LeftOut(*each) for name, each in properties if name == PROPERTY]  # type: ignore[misc]  # JSON
    count = sum(each.entries for each in found)
    if not count:
        return
    yield f"{count} wrong answers of {len(found)} exercises were not judged again:"
    if any(each.sampled for each in found):
        yield "the machinery has changed since all gates held, so a sample of the rest was judged."
        yield f"{SEED}={seed()} judges the same sample, `kata check` and tests/long everything."
    else:
        yield "nothing that they depend on has changed since all gates held for them."
