"""Equal files are judged once, whoever has handed them in."""

from collections import OrderedDict
from hashlib import sha256

from kata.verdict import ExerciseVerdict

MOST = 1024  # verdicts; a failing one with its messages takes some ten thousand bytes


class KnownVerdicts:
    """The latest verdicts, by exercise and by all texts that were executed for them."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[bytes, ExerciseVerdict] = OrderedDict()

    def get(self, key: bytes) -> ExerciseVerdict | None:
        """What was found of the same texts before."""
        return self._known.get(key)

    def keep(self, key: bytes, verdict: ExerciseVerdict) -> None:
        """Remember a verdict."""
        self._known[key] = verdict
        while len(self._known) > self._most:
            self._known.popitem(last=False)


def key_of(slug: str, texts: tuple[str, ...], stand_ins: tuple[str, ...]) -> bytes:
    """The key of an exercise and all that is executed for it."""
    return sha256(repr((slug, texts, stand_ins)).encode()).digest()
