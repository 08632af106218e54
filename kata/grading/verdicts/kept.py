"""Verdicts that need not be found again: on equal files, and on equal answers to equal questions.

Of answers only verdicts that hold are kept: what is said of a failure depends on the text of the
submission, too. None can be forged, because its key is a hash of all that it depends on.
"""

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from typing import Generic, TypeVar

from kata.verdict import ClaimVerdict

# A class of 1,000 brings about as many new answers; some 300 bytes each.
MOST_CLAIMS = 1 << 16
MOST_EXERCISES = 1024  # a failing one with its messages takes some ten thousand bytes
Value = TypeVar("Value")


@dataclass(frozen=True)
class Kept:
    """A verdict, what its claim called, and the bytes that its answers take."""

    verdict: ClaimVerdict
    called: frozenset[str]
    size: int


class Latest(Generic[Value]):
    """What was used last, up to a number of entries."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[bytes, Value] = OrderedDict()

    def get(self, key: bytes) -> Value | None:
        """What is kept under this key."""
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def keep(self, key: bytes, value: Value) -> None:
        """Keep it in the place of what was not used for the longest time."""
        self._known[key] = value
        while len(self._known) > self._most:
            self._known.popitem(last=False)


def key_of_answers(slug: str, claim: str, frame: bytes) -> bytes:
    """Of these answers to this claim."""
    return sha256(f"{slug} {claim} ".encode() + frame).digest()


def key_of_files(slug: str, texts: tuple[str, ...], stand_ins: tuple[str, ...]) -> bytes:
    """Of an exercise and all that is executed for it."""
    return sha256(repr((slug, texts, stand_ins)).encode()).digest()
