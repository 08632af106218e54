"""Who is in the room, and what is known of each of them: all of it in memory, and bounded."""

import hmac
import secrets
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_hex

from kata.course.curriculum import exercises
from kata.live.protocol import LETTERS, LONGEST_NAME, plain_code
from kata.live.reports import Report
from kata.text import cut, line
from kata.verdict import State

SHOWN = "shown"  # counts beside the exercises: the number of the message that showed code
ANY = ""  # the number of the latest message about whatever
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
CODE_LENGTH = 10  # 50 bits: at the rate at which a room answers, centuries of guessing


@dataclass
class Standing:
    """How an exercise of somebody stands, and since when the same claim has been failing."""

    report: Report
    since: float


@dataclass
class SharedFile:
    """A file that its author shows to the leader."""

    exercise: str
    text: str
    since: float


@dataclass
class Person:
    """Somebody who has joined.

    Attributes:
        at: the exercise that was worked on last.
        met: when each mistake was named last, by exercise and slug.
        counts: the number of the last message about each exercise: two messages can overtake each
            other on their way, and neither is lost for it.
    """

    id: str
    token: str
    name: str
    address: str
    joined: float
    heard: float
    at: str = ""
    standings: dict[str, Standing] = field(default_factory=dict)
    met: dict[tuple[str, str], float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    shared_file: SharedFile | None = None

    def expects(self, count: int) -> bool:
        """Whether a message is newer than all before it."""
        return count > self.counts.get(ANY, 0)

    def is_new(self, about: str, count: int) -> bool:
        """Whether a message is newer than all before it about the same; if so it is noted."""
        if count <= self.counts.get(about, 0):
            return False
        self.counts[about] = count
        return True


class People:
    """Those who have joined, by what the room knows them; `changed` is called after each change."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.all: dict[str, Person] = {}
        self.version = 0
        self.changed: Callable[[], None] = lambda: None
        self._guests = 0

    def join(self, name: str, address: str = "") -> Person:
        """Let somebody in; where too many are there, somebody of the same crowd makes room."""
        while len(self.all) >= MOST_PEOPLE:
            del self.all[self._least()]
        now = self.clock()
        person = Person(token_hex(8), token(), self._unused(name), address, now, now)
        self.all[person.id] = person
        self._note()
        return person

    def lives_at(self, address: str) -> bool:
        """Whether anybody has joined from there."""
        return any(person.address == address for person in self.all.values())

    def leave(self, who: str) -> None:
        """Forget somebody."""
        if self.all.pop(who, None):
            self._note()

    def forget(self) -> None:
        """Forget everybody."""
        self.all.clear()
        self._note()

    def note(self, person: Person, reports: list[Report], count: int) -> bool:
        """Note what is new in a message; False if it is old, as one that comes again."""
        new = [report for report in reports if person.is_new(report.exercise, count)]
        if not new:
            return not reports
        now = person.heard = self.clock()
        moved = [
            report for report in new if _differs(person.standings.get(report.exercise), report)
        ]
        for report in new:
            self._stand(person, report, now)
        if person.is_new(ANY, count):
            person.at = _place(person.at, new, moved)
        person.met = _recent(person.met, now)
        self._note()
        return True

    def show(self, person: Person, exercise: str, text: str, count: int) -> bool:
        """Keep a file that its author shows, or forget it; False if the message is an old one."""
        if exercise not in exercises() or not person.is_new(SHOWN, count):
            return False
        person.shared_file = SharedFile(exercise, text, self.clock()) if text else None
        showing = [author for author in self.all.values() if author.shared_file]
        for author in sorted(showing, key=_shared_since)[:-MOST_SHOWN]:
            author.shared_file = None
        self._note()
        return True

    def _stand(self, person: Person, report: Report, now: float) -> None:
        if report.state is State.NOT_STARTED:
            person.standings.pop(report.exercise, None)
            return
        before = person.standings.get(report.exercise)
        since = before.since if before and _is_stuck(before.report, report) else now
        person.standings[report.exercise] = Standing(report, since)
        person.met |= {(report.exercise, slug): now for slug in report.mistakes}

    def _note(self) -> None:
        self.version += 1
        self.changed()

    def _unused(self, name: str) -> str:
        """The name in printable letters; with a number if somebody else has it."""
        wanted = cut(line(name), LONGEST_NAME, "…").strip()
        if not wanted:
            self._guests += 1
            wanted = f"guest {self._guests}"
        taken = {person.name for person in self.all.values()}
        numbered = (f"{wanted} ({n})" for n in range(2, MOST_PEOPLE + 2))
        return next(candidate for candidate in (wanted, *numbered) if candidate not in taken)

    def _least(self) -> str:
        """Whoever has been silent for longest, at one of the addresses from which most have joined.

        Those who have worked stay before those who have not, wherever they are.
        """
        crowds = Counter(person.address for person in self.all.values())
        most = max(crowds.values())
        there = [person for person in self.all.values() if crowds[person.address] == most]
        return min(there, key=lambda person: (bool(person.standings), person.heard)).id


def _is_stuck(before: Report, report: Report) -> bool:
    return (before.claim, before.state) == (report.claim, report.state)


def _differs(before: Standing | None, report: Report) -> bool:
    if before is None:
        return report.state is not State.NOT_STARTED
    return before.report != report


def _place(before: str, new: list[Report], moved: list[Report]) -> str:
    """Where somebody works: what a run of one exercise was about, or else what has changed."""
    begun = [report for report in new if report.state is not State.NOT_STARTED]
    if len(new) == 1:
        return new[0].exercise if begun else before
    candidates = moved or ([] if before else begun)
    unfinished = [candidate for candidate in candidates if candidate.state is not State.PASSED]
    last = [*candidates, *unfinished][-1:]
    return last[0].exercise if last else before


def _recent(met: dict[tuple[str, str], float], now: float) -> dict[tuple[str, str], float]:
    """The latest mistakes that are not long ago."""
    recent = sorted(((when, key) for key, when in met.items() if when > now - RECENT))
    return {key: when for when, key in recent[-MOST_MISTAKES:]}


def _shared_since(person: Person) -> float:
    return person.shared_file.since if person.shared_file else 0.0


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


@dataclass(frozen=True)
class Keys:
    """What opens a room: the code for learners and projectors, the key for its leader."""

    code: str
    leader: str

    def lets_in(self, code: str) -> bool:
        """Whether this is the room's code."""
        return _same(plain_code(code), self.code)

    def is_leader(self, key: str) -> bool:
        """Whether this is the leader's key."""
        return _same(key, self.leader)


def new_keys() -> Keys:
    """New keys, for a room that opens."""
    return Keys("".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH)), token())


def token() -> str:
    """A token for one learner, or for the leader."""
    return secrets.token_urlsafe(24)


def _same(one: str, other: str) -> bool:
    """Compare in a time that does not tell how much is right."""
    return hmac.compare_digest(one.encode(), other.encode())
