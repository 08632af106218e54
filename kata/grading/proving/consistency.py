"""Whether tests depend on nothing but the answers that they get.

To tell implementations apart by anything else, such as the time that they take, a test has to do
different things although all answers were the same so far. Among the runs of a proof with one seed,
the first such difference is found here: what a run does next is compared with what other runs did
after the same answers, byte by byte. All right answers are among these runs. So a test that fails
for a wrong answer which answers like a right one is found, whatever it knows it by; and so is one
that throws dice.

A run is compared from its beginning on, over all its tests: what one of them has learnt could be
told to the next one by either of the two processes.
"""

from hashlib import sha256


class InconsistentError(Exception):
    """All answers were the same, and yet something else was done."""


class Consistency:
    """What was done in all runs, by the answers that had been given before."""

    def __init__(self) -> None:
        self._next: dict[bytes, bytes] = {}

    def trail(self, seed: int) -> "Trail":
        """A run begins."""
        return Trail(self._next, seed)


class Trail:
    """One run."""

    def __init__(self, known: dict[bytes, bytes], seed: int) -> None:
        self._known = known
        self._done = sha256()
        self._given = sha256(str(seed).encode())

    def does(self, frame: bytes) -> None:
        """It asks or answers something, or tells how a test has ended.

        Raises InconsistentError if another run has done something else here.
        """
        does = sha256(frame).digest()
        self._done.update(does)
        if self._known.setdefault(self._given.digest(), does) != does:
            raise InconsistentError

    @property
    def done(self) -> bytes:
        """A digest of all that was done, which says nothing of what was given."""
        return self._done.digest()

    def gets(self, frame: bytes) -> None:
        """It is given something."""
        self._given.update(sha256(frame).digest())
