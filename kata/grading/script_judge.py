"""A judge of exercises by script: all questions in one message, and claims judged by the answers.

Called by `judge`. A suite nearly always asks the same, so its questions are recorded once, with the
reference, in the judge's process. A worker answers claim by claim; a claim that asks for anything
else is asked live. After a file that is right, its worker takes the next one of the same student;
whatever is not right there is judged again in a fresh worker, and what does not go its usual way is
asked question by question. Equal answers are judged once, but only verdicts that hold are kept: the
message about a failure also depends on the text of the submission.
"""

import ast
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Generic, TypeVar

from kata.course.curriculum import Exercise
from kata.course.source import UnusableError, tree_of
from kata.course.target import Reference, Target
from kata.diagnosis.observe import Finding, Sight, called, sights
from kata.grading.channel import Channel, Clock, StoppedError, no_answer
from kata.grading.remote import RemoteAttempt
from kata.grading.steps import bound
from kata.grading.workers import Launcher
from kata.inside import orders, session, wire
from kata.inside.objects import Objects
from kata.judging.attempt import BlockedError, LearnerError, NotWrittenError
from kata.judging.case import Case
from kata.judging.judge import Claim, case_of, check
from kata.verdict import ClaimVerdict

# A class of 1,000 brings about as many new answers; some 300 bytes each.
MOST_CLAIMS = 1 << 16
UNLOADABLE = (LearnerError, UnusableError, NotWrittenError, BlockedError)
NO_LIMIT = 3600  # seconds: the reference is not meant to run out of time
# Values of a module or a class that no call can change.
FIXED = (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp, ast.BinOp)
CACHES = ("cache", "cached_property")
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
Findings = dict[str, Finding]
Value = TypeVar("Value")


class ScriptJudge:
    """The scripts and verdicts of a judge, and the worker of the present submission.

    Args:
        workers: what starts them.
        limit: seconds for a claim.
    """

    def __init__(self, workers: Launcher, limit: float) -> None:
        self._workers = workers
        self._limit = limit
        self._scripts: dict[str, Script] = {}
        self._memory = Memory[KeptVerdict](MOST_CLAIMS)
        self._channel: Channel | None = None
        self._answered: set[str] = set()  # scripts, by that worker: their arrays may have changed

    def prepare(self, exercise: Exercise, claims: Sequence[Claim]) -> None:
        """Teach the script of these claims to all workers that are started from now on."""
        if exercise.slug not in self._scripts:
            self._scripts[exercise.slug] = script_of(exercise, claims)
        script = self._scripts[exercise.slug]
        self._workers.teach(script.name, script.data)

    def leave(self) -> None:
        """Forget the worker: another submission comes, or its last file was not right."""
        if self._channel:
            self._channel.close()
        self._channel = None
        self._answered.clear()

    def findings(
        self, exercise: Exercise, target: Target, end: float, claims: Sequence[Claim]
    ) -> Findings | None:
        """Judge all claims; None if they have to be asked one by one, in a worker of their own."""
        if _may_keep_state(exercise, target):
            return None
        is_used = self._channel is not None
        findings = self._findings(exercise, target, end, claims)
        if findings and is_used and not _hold(findings):  # perhaps an earlier file is to blame
            self.leave()
            findings = self._findings(exercise, target, end, claims)
        if not (findings and _hold(findings)):
            self.leave()
        return findings

    def _findings(
        self, exercise: Exercise, target: Target, end: float, claims: Sequence[Claim]
    ) -> Findings | None:
        if exercise.slug not in self._scripts or exercise.slug in self._answered:
            self.leave()  # a worker cannot learn a script any more, nor answer one twice
            self.prepare(exercise, claims)
        script = self._scripts[exercise.slug]
        attempt = ScriptedAttempt(
            exercise, target, self._workers, self._limit, end, script, self._channel
        )
        self._channel = None
        try:
            findings = dict(self._answers(attempt, claims, script))
        except (StoppedError, UnforeseenError):
            return None
        else:
            self._channel = attempt.leave()
            self._answered.add(exercise.slug)
            return {claim.id: findings[claim.id] for claim in claims} if self._channel else None
        finally:
            attempt.close()

    def _answers(
        self, attempt: "ScriptedAttempt", claims: Sequence[Claim], script: "Script"
    ) -> Iterator[tuple[str, Finding]]:
        """Yield findings by claim; claims off the script come when the worker has done the rest."""
        attempt.open(claims[0])
        unforeseen = []
        for claim, messages in zip(claims, script.claims, strict=True):
            frame = attempt.frame()
            try:
                yield claim.id, self._finding(attempt, claim, messages, frame)
            except UnforeseenError:
                unforeseen.append(claim)
        yield from ((claim.id, judged(claim, attempt)) for claim in unforeseen)

    def _finding(
        self, attempt: "ScriptedAttempt", claim: Claim, messages: list[bytes], frame: bytes
    ) -> Finding:
        key = key_of_answers(attempt.exercise.slug, claim.id, frame)

        def judge() -> Finding:
            with attempt.foreseen(messages, frame):
                return judged(claim, attempt)

        if entry := self._memory.get(key):
            attempt.take(entry.size)
            return Finding(entry.verdict, entry.called, lambda: _sights(attempt, judge))
        before, new = attempt.size, judge()
        if new.verdict.held and not attempt.events:
            verdict = replace(new.verdict, seconds=0.0)
            size = attempt.size - before
            self._memory.keep(key, KeptVerdict(verdict, new.called, size))
        return new


class Memory(Generic[Value]):
    """A cache of the most recently used values."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[bytes, Value] = OrderedDict()

    def get(self, key: bytes) -> Value | None:
        """Return what is kept under this key."""
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def keep(self, key: bytes, value: Value) -> None:
        """Keep a value, dropping the least recently used one if there is no room."""
        self._values[key] = value
        while len(self._values) > self._most:
            self._values.popitem(last=False)


@dataclass(frozen=True)
class KeptVerdict:
    """The verdict on a claim that holds, what it called, and the bytes that its answers take."""

    verdict: ClaimVerdict
    called: frozenset[str]
    size: int


def key_of_answers(slug: str, claim: str, frame: bytes) -> bytes:
    """Hash these answers to this claim: no verdict can be forged."""
    return sha256(f"{slug} {claim} ".encode() + frame).digest()


def _hold(findings: Findings) -> bool:
    return all(finding.verdict.held for finding in findings.values())


def _sights(attempt: "ScriptedAttempt", judge: Callable[[], Finding]) -> list[Sight]:
    """Judge a claim with a kept verdict after all, because somebody asks what was seen in it."""
    attempt.size = 0
    return judge().sights


def judged(claim: Claim, attempt: "ScriptedAttempt") -> Finding:
    """Judge one claim; raise StoppedError if the worker has to be stopped."""
    case = case_of(claim, attempt.exercise)
    return finding(check(claim, attempt, case), case)


def finding(verdict: ClaimVerdict, case: Case) -> Finding:
    """Add to a verdict what its claim saw: it came from a worker, so nothing can change it."""
    return Finding(verdict, called(case), partial(sights, case.events))


# -- the questions of a suite, and the answers to them


@dataclass(frozen=True)
class Script:
    """The questions of all claims of an exercise.

    Args:
        name: of the exercise.
        claims: the messages, claim by claim.
        data: all of them, as one frame.
    """

    name: str
    claims: list[list[bytes]]
    data: bytes


class UnforeseenError(BaseException):
    """A claim asks for something that the script does not contain."""


def script_of(exercise: Exercise, claims: Sequence[Claim]) -> Script:
    """Record what these claims ask of the reference."""
    attempt = _RecordedAttempt(exercise)
    messages = [attempt.messages_of(claim) for claim in claims]
    data, _ = wire.encode(messages)
    return Script(exercise.slug, messages, wire.LENGTH.pack(len(data)) + data)


class _RecordedAttempt(RemoteAttempt):
    """The reference, in this process, and a record of all questions to it."""

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(exercise, Reference(), None, NO_LIMIT, time.monotonic() + NO_LIMIT)
        self._desk = session.Session()
        self._messages: list[bytes] = []
        self.begin(Case("", exercise.library))
        self.load()

    def messages_of(self, claim: Claim) -> list[bytes]:
        """Record the messages of one claim."""
        self._messages = []
        check(claim, self, case_of(claim, self.exercise))
        return self._messages

    def _connect(self) -> None:
        """Do nothing: the desk is right here."""

    def _answer(self, message: bytes) -> bytes:
        self._messages.append(message)
        return self._desk.reply(session.request(message))


class ScriptedAttempt(RemoteAttempt):
    """One exercise of one submission, in a worker that answers a script.

    Args:
        script: the questions of the claims; the workers have to have it.
        channel: to a worker that has judged earlier exercises of this submission, if there is one.
    """

    def __init__(
        self,
        exercise: Exercise,
        target: Target,
        workers: Launcher,
        limit: float,
        end: float,
        script: Script,
        channel: Channel | None,
    ) -> None:
        super().__init__(exercise, target, workers, limit, end)
        self._channel = channel
        self._script = script
        self._replies: Iterator[tuple[bytes, bytes]] | None = None  # None: questions are live
        self._opened: Objects | None = None
        self._renews = False  # whether the next frame has a time of its own

    def open(self, claim: Claim) -> None:
        """Load the file within the time of its first claim; the worker goes on to the script.

        Raises UnforeseenError if it cannot be loaded.
        """
        self.begin(case_of(claim, self.exercise))
        try:
            self._opened = self.load()
        except UNLOADABLE:
            raise UnforeseenError from None

    def _answer(self, message: bytes) -> bytes:
        if self._replies is not None:
            foreseen, reply = next(self._replies, (b"", b""))
            if message != foreseen:
                raise UnforeseenError
            return reply
        assert self._channel
        if self._bench is None:  # it is the load, and the script can follow without being asked
            run = orders.SCRIPTED + self._script.name.encode()
            self._channel.send(message, self._clock)
            self._channel.send(run, self._clock)
            return self._channel.receive(self._clock)
        return super()._answer(message)

    def frame(self) -> bytes:
        """Receive the answers of the next claim; loading counts towards the first claim's time.

        Raises StoppedError if they do not come.
        """
        assert self._channel
        if self._renews:
            self._clock = Clock(self._limit, self._end)
        self._renews = True
        with self._stopping():
            return self._channel.receive(self._clock)

    @contextmanager
    def foreseen(self, messages: Sequence[bytes], frame: bytes) -> Iterator[None]:
        """Judge a claim within this block from the answers to its messages."""
        try:
            replies = wire.replies(frame)
        except wire.WireError as error:
            raise no_answer(str(error)) from None
        if len(replies) != len(messages):  # they were too large for a frame
            raise UnforeseenError
        self._bench, self._waiting = self._opened, []
        self._replies = zip(messages, replies, strict=True)
        try:
            yield
        finally:
            self._replies = None
            self.hung.clear()  # what was broken off has not run out of time

    def leave(self) -> Channel | None:
        """Give up the connection; None if the worker must not be used again."""
        channel = self._channel
        if channel is None or self.events or not channel.quiet():
            return None
        self._channel = None
        return channel


# -- files that may keep state are asked live


def _may_keep_state(exercise: Exercise, target: Target) -> bool:
    """Return whether the file may keep state, or one of the student's that it imports."""
    try:
        parts = [part for part in target.parts(exercise.slug) if target.owns(part)]
    except UnusableError:
        return True
    return any(may_keep_state(tree_of(part.text)) for part in parts)


def may_keep_state(tree: ast.Module) -> bool:
    """Return whether a call could change something in a file that outlives it.

    A script goes on asking a claim that has failed, and a run of pytest does not, so such an answer
    is asked question by question. This is a matter of fairness only: no mark rises by it.
    """
    nodes = [*ast.walk(tree)]
    bodies = [tree.body, *(node.body for node in nodes if isinstance(node, ast.ClassDef))]
    values = [
        statement.value
        for body in bodies
        for statement in body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value
    ]
    if not all(isinstance(value, FIXED) for value in values):
        return True
    lasting = {name for node in nodes for name in _lasting(node)}
    return any(_keeps(node, lasting) for node in nodes)


def _lasting(node: ast.AST) -> list[str]:
    """List the names of definitions and of imported modules, which outlive a call."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [name for name, _ in bound(node)]
    return [node.name] if isinstance(node, DEFINITIONS) else []


def _keeps(node: ast.AST, lasting: set[str]) -> bool:
    if isinstance(node, ast.arguments):
        defaults = (*node.defaults, *filter(None, node.kw_defaults))
        return not all(isinstance(default, FIXED) for default in defaults)
    if isinstance(node, DEFINITIONS):
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        return any(word in decorator for decorator in decorators for word in CACHES)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return not isinstance(node.value, ast.Name) or node.value.id in lasting
    return isinstance(node, ast.Global | ast.Nonlocal)
