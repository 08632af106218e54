"""Verdicts that need not be found again: equal answers to equal questions mean an equal verdict.

Only verdicts that hold are kept: what is said of a failure depends on the text of the submission,
too. A kept verdict cannot be forged, because its key is a hash of every byte that was answered.
"""

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256

from kata.verdict import ClaimVerdict

MOST = 1 << 16  # a class of 1,000 brings about as many new ones; some 300 bytes each


@dataclass(frozen=True)
class Kept:
    """A verdict, what its claim called, and the bytes that its answers take."""

    verdict: ClaimVerdict
    called: frozenset[str]
    size: int


class KeptVerdicts:
    """The latest of them, by the claim and the bytes of its answers."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[bytes, Kept] = OrderedDict()

    def get(self, key: bytes) -> Kept | None:
        """What is known of these answers."""
        if found := self._known.get(key):
            self._known.move_to_end(key)
        return found

    def keep(self, key: bytes, kept: Kept) -> None:
        """Remember a claim that holds."""
        self._known[key] = kept
        while len(self._known) > self._most:
            self._known.popitem(last=False)


def key_of(slug: str, claim: str, frame: bytes) -> bytes:
    """The key of these answers to this claim."""
    return sha256(f"{slug} {claim} ".encode() + frame).digest()
