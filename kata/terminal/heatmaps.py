"""The three maps of a picture, whoever draws them: expected, got, and how far they are apart."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kata.verdict import Picture
from kata.words import say

Values = Sequence[Sequence[float]]
EXPECTED, GOT, GAP = "expected", "got", "gap"


@dataclass(frozen=True)
class Layer:
    """One map: its kind, its title, its numbers, which of them are wrong, and the largest."""

    kind: str
    title: str
    values: Values
    wrong: Sequence[Sequence[bool]]
    most: float


def layers(picture: Picture) -> Iterator[Layer]:
    """Expected and got are as dark as each other for the same number."""
    place = say("terminal.got-at", where=picture.where) if picture.where else say("terminal.got")
    right = [[False] * len(row) for row in picture.expected]
    most = max(_most(picture.expected), _most(picture.got))
    yield Layer(EXPECTED, say("terminal.expected"), picture.expected, right, most)
    yield Layer(GOT, place, picture.got, picture.wrong, most)
    gap = _gap(picture)
    yield Layer(GAP, say("terminal.difference"), gap, picture.wrong, _most(gap))


def _gap(picture: Picture) -> Values:
    pairs = zip(picture.expected, picture.got, strict=True)
    return [[abs(a - b) for a, b in zip(*rows, strict=True)] for rows in pairs]


def _most(values: Values) -> float:
    return max((abs(each) for row in values for each in row if math.isfinite(each)), default=0.0)
