"""The people in a room, what they may send, and the keys: all in memory, and bounded."""

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

# Subjects of messages, beside the slugs of exercises: shared code, and all subjects together.
SHARED_CODE = "shown"
ANYTHING = ""
MOST_PEOPLE = 300
MOST_MISTAKES = 64  # of one learner, within RECENT
RECENT = 600.0  # seconds after which a mistake is forgotten
STUCK = 300.0  # seconds at the same claim
MOST_SHARED = 30  # files whose authors show them to the leader
MOST_VIEWERS = 12  # browsers with the leader's page; and as many with the projector's
MOST_PENDING = 128  # connections that have not been answered yet
LONGEST_REQUEST = 5.0  # seconds; then its connection is closed
MOST_ADDRESSES = 2048
# Requests a second from one address, and at once: a class may share one.
RATE, BURST = 30.0, 200.0
OWN_RATE, OWN_BURST = 5.0, 30.0  # messages of one learner
# The costs of joining, of an odd request and of a wrong one, in usual requests.
JOINING, ODD, FAILING = 2.0, 5.0, 20.0
CODE_LENGTH = 10  # 50 bits: at the rate at which a room answers, centuries of guessing


@dataclass
class Standing:
    """The report on an exercise of a learner, and the time since when the same claim fails."""

    report: Report
    since: float


@dataclass
class SharedFile:
    """A file that a learner shows to the leader."""

    exercise: str
    text: str
    since: float


@dataclass
class Person:
    """A learner who has joined.

    Attributes:
        heard: the time of the last message.
        at: the exercise that was worked on last.
        met: the time when a mistake was named last, by exercise and slug.
        counts: the number of the last message, by subject: a message that overtakes another on its
            way replaces it only if both have the same subject.
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
        """Return whether a message is newer than all before it."""
        return count > self.counts.get(ANYTHING, 0)

    def note_if_new(self, subject: str, count: int) -> bool:
        """Note a message if it is newer than all before it about the subject; return whether."""
        if count <= self.counts.get(subject, 0):
            return False
        self.counts[subject] = count
        return True


class People:
    """The learners who have joined, by their ids; `changed` is called after every change."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.all: dict[str, Person] = {}
        self.version = 0
        self.changed: Callable[[], None] = lambda: None
        self._guests = 0

    def join(self, name: str, address: str = "") -> Person:
        """Let a learner in; where there are too many, the one who is missed least makes room."""
        while len(self.all) >= MOST_PEOPLE:
            del self.all[self._least_missed()]
        now = self.clock()
        person = Person(token_hex(8), token(), self._unused(name), address, now, now)
        self.all[person.id] = person
        self._note()
        return person

    def lives_at(self, address: str) -> bool:
        """Return whether anybody has joined from this address."""
        return any(person.address == address for person in self.all.values())

    def leave(self, id_: str) -> None:
        """Forget a learner."""
        if self.all.pop(id_, None):
            self._note()

    def forget(self) -> None:
        """Forget everybody."""
        self.all.clear()
        self._note()

    def note(self, person: Person, reports: list[Report], count: int) -> bool:
        """Note the new reports of a message; return False if the message is old, or a copy."""
        new = [report for report in reports if person.note_if_new(report.exercise, count)]
        if not new:
            return not reports
        now = person.heard = self.clock()
        changed = [
            report for report in new if _differs(person.standings.get(report.exercise), report)
        ]
        for report in new:
            self._note_report(person, report, now)
        if person.note_if_new(ANYTHING, count):
            person.at = _place(person.at, new, changed)
        person.met = _recent(person.met, now)
        self._note()
        return True

    def show(self, person: Person, exercise: str, text: str, count: int) -> bool:
        """Share a file, or forget it if there is no text; return False if the message is old."""
        if exercise not in exercises() or not person.note_if_new(SHARED_CODE, count):
            return False
        person.shared_file = SharedFile(exercise, text, self.clock()) if text else None
        authors = [author for author in self.all.values() if author.shared_file]
        for author in sorted(authors, key=_shared_since)[:-MOST_SHARED]:
            author.shared_file = None
        self._note()
        return True

    def _note_report(self, person: Person, report: Report, now: float) -> None:
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
        """Return the name in printable letters, with a number if it is taken."""
        wanted = cut(line(name), LONGEST_NAME, "…").strip()
        if not wanted:
            self._guests += 1
            wanted = f"guest {self._guests}"
        taken = {person.name for person in self.all.values()}
        numbered = (f"{wanted} ({n})" for n in range(2, MOST_PEOPLE + 2))
        return next(candidate for candidate in (wanted, *numbered) if candidate not in taken)

    def _least_missed(self) -> str:
        """Return the id of the learner at the most crowded address who was silent for longest.

        A learner without any work comes before all who have worked.
        """
        crowds = Counter(person.address for person in self.all.values())
        most = max(crowds.values())
        crowd = [person for person in self.all.values() if crowds[person.address] == most]
        return min(crowd, key=lambda person: (bool(person.standings), person.heard)).id


def _is_stuck(before: Report, report: Report) -> bool:
    return (before.claim, before.state) == (report.claim, report.state)


def _differs(before: Standing | None, report: Report) -> bool:
    if before is None:
        return report.state is not State.NOT_STARTED
    return before.report != report


def _place(before: str, new: list[Report], changed: list[Report]) -> str:
    """Return the exercise in work: the only one of a run, or else the last that has changed."""
    begun = [report for report in new if report.state is not State.NOT_STARTED]
    if len(new) == 1:
        return new[0].exercise if begun else before
    candidates = changed or ([] if before else begun)
    unfinished = [candidate for candidate in candidates if candidate.state is not State.PASSED]
    last = [*candidates, *unfinished][-1:]
    return last[0].exercise if last else before


def _recent(met: dict[tuple[str, str], float], now: float) -> dict[tuple[str, str], float]:
    recent = sorted(((when, key) for key, when in met.items() if when > now - RECENT))
    return {key: when for when, key in recent[-MOST_MISTAKES:]}


def _shared_since(person: Person) -> float:
    return person.shared_file.since if person.shared_file else 0.0


class Allowances:
    """The requests that senders may still make: so many at once, and so many a second.

    Of too many senders, the ones that were silent for longest are forgotten.
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, sender: str, cost: float = 1.0) -> bool:
        """Take a cost if that much is left, and return whether it was."""
        left = self._left_now(sender)
        is_enough = left >= cost
        self._note(sender, left - cost if is_enough else left)
        return is_enough

    def fine(self, sender: str, cost: float) -> None:
        """Take a cost even if less is left: the sender has to wait until it is paid."""
        self._note(sender, max(self._left_now(sender) - cost, -self._burst))

    def __len__(self) -> int:
        return len(self._left)

    def _left_now(self, sender: str) -> float:
        left, since = self._left.get(sender, (self._burst, self._clock()))
        return min(self._burst, left + (self._clock() - since) * self._rate)

    def _note(self, sender: str, left: float) -> None:
        self._left.pop(sender, None)
        self._left[sender] = left, self._clock()
        while len(self._left) > MOST_ADDRESSES:
            del self._left[next(iter(self._left))]


@dataclass(frozen=True)
class Keys:
    """The keys of a room: the code for learners and projectors, and the leader's key."""

    code: str
    leader: str

    def lets_in(self, code: str) -> bool:
        """Return whether this is the room's code."""
        return _same(plain_code(code), self.code)

    def is_leader(self, key: str) -> bool:
        """Return whether this is the leader's key."""
        return _same(key, self.leader)


def new_keys() -> Keys:
    """Return new keys, for a room that opens."""
    return Keys("".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH)), token())


def token() -> str:
    """Return a token for one learner, or for the leader."""
    return secrets.token_urlsafe(24)


def _same(text: str, secret: str) -> bool:
    # It takes the same time however much is right.
    return hmac.compare_digest(text.encode(), secret.encode())
