"""How much a room keeps and takes, whatever is sent to it."""

import time
from collections.abc import Callable

MOST_PEOPLE = 300
MOST_MISTAKES = 64  # of one learner, within RECENT
RECENT = 600.0  # seconds in which a mistake counts as one of now
STUCK = 300.0  # seconds with one and the same claim
MOST_SHOWN = 30  # files whose authors show them to the leader
MOST_VIEWERS = 12  # browsers with the leader's page; and as many with the projector's
MOST_PENDING = 128  # connections that have not been answered yet
LONGEST_REQUEST = 5.0  # seconds; then its connection is closed
MOST_ADDRESSES = 2048  # that are remembered
RATE, BURST = 30.0, 200.0  # requests a second from one address, and at once: a class may share one
OWN_RATE, OWN_BURST = 5.0, 30.0  # messages of one learner
JOINING, ODD, FAILING = 2.0, 5.0, 20.0  # requests that joining counts for, an odd one, a wrong one


class Allowances:
    """What each sender may still send: so much at once, and so much a second.

    Of too many senders, those that were not heard of for longest are forgotten.
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, sender: str, cost: float = 1.0) -> bool:
        """Take so much if it is left, and return whether it was."""
        left = self._now(sender)
        enough = left >= cost
        self._note(sender, left - cost if enough else left)
        return enough

    def fine(self, sender: str, cost: float) -> None:
        """Take so much, and more than is left: the sender waits until it is made up for."""
        self._note(sender, max(self._now(sender) - cost, -self._burst))

    def __len__(self) -> int:
        return len(self._left)

    def _now(self, sender: str) -> float:
        left, since = self._left.get(sender, (self._burst, self._clock()))
        return min(self._burst, left + (self._clock() - since) * self._rate)

    def _note(self, sender: str, left: float) -> None:
        self._left.pop(sender, None)
        self._left[sender] = left, self._clock()
        while len(self._left) > MOST_ADDRESSES:
            del self._left[next(iter(self._left))]
