"""Judges exercises by script: all questions in one message.

A worker that has found a file right judges the next file of the same student, too. Whatever is not
right there is judged again by a worker of its own, and what does not go its usual way is asked
question by question.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kata.course.curriculum import Exercise
from kata.course.target import Target
from kata.diagnosis.observe import Finding
from kata.diagnosis.trace import CallSeen
from kata.grading.sandbox.channel import Channel, StoppedError
from kata.grading.sandbox.launcher import Launcher
from kata.grading.sandbox.scripted import (
    Script,
    ScriptedAttempt,
    UnforeseenError,
    script_of,
)
from kata.grading.verdicts.finding import made
from kata.grading.verdicts.kept import MOST_CLAIMS, Kept, Latest, key_of_answers
from kata.judging.judge import Claim

Findings = dict[str, Finding]


class ScriptJudge:
    """What a judge knows from one submission to the next, and the worker of the present one.

    Args:
        workers: what starts them.
        limit: seconds for a claim.
    """

    def __init__(self, workers: Launcher, limit: float) -> None:
        self._workers = workers
        self._limit = limit
        self._scripts: dict[str, Script] = {}
        self._kept = Latest[Kept](MOST_CLAIMS)
        self._channel: Channel | None = None
        self._answered: set[str] = set()  # scripts, by that worker: their arrays may have changed

    def prepare(self, exercise: Exercise, claims: Sequence[Claim]) -> None:
        """See to it that workers which are started from now on know what these claims ask."""
        if exercise.slug not in self._scripts:
            self._scripts[exercise.slug] = script_of(exercise, claims)
        script = self._scripts[exercise.slug]
        self._workers.teach(script.name, script.data)

    def leave(self) -> None:
        """Forget the worker: another submission comes, or a file that was not found right."""
        if self._channel:
            self._channel.close()
        self._channel = None
        self._answered.clear()

    def findings(
        self, exercise: Exercise, target: Target, end: float, claims: Sequence[Claim]
    ) -> Findings | None:
        """On all claims; None if they have to be made one by one, in a worker of their own."""
        used = self._channel is not None
        found = self._tried(exercise, target, end, claims)
        if found and used and not _right(found):  # perhaps an earlier file is to blame
            self.leave()
            found = self._tried(exercise, target, end, claims)
        if not _right(found):
            self.leave()
        return found

    def _tried(
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
            found = dict(self._found(attempt, claims, script))
        except (StoppedError, UnforeseenError):
            return None
        else:
            self._channel = attempt.leave()
            self._answered.add(exercise.slug)
            return {each.id: found[each.id] for each in claims} if self._channel else None
        finally:
            attempt.close()

    def _found(
        self, attempt: ScriptedAttempt, claims: Sequence[Claim], script: Script
    ) -> Iterator[tuple[str, Finding]]:
        """Those that ask for something else are made when the worker has done the others."""
        attempt.open(claims[0])
        others = []
        for claim, asked in zip(claims, script.claims, strict=True):
            frame = attempt.frame()
            try:
                yield claim.id, self._judged(attempt, claim, asked, frame)
            except UnforeseenError:
                others.append(claim)
        yield from ((claim.id, made(claim, attempt)) for claim in others)

    def _judged(
        self, attempt: ScriptedAttempt, claim: Claim, asked: list[bytes], frame: bytes
    ) -> Finding:
        key = key_of_answers(attempt.exercise.slug, claim.id, frame)

        def judged() -> Finding:
            with attempt.foreseen(asked, frame):
                return made(claim, attempt)

        if kept := self._kept.get(key):
            attempt.take(kept.size)
            return Finding(kept.verdict, kept.called, lambda: _seen_again(attempt, judged))
        before, finding = attempt.taken, judged()
        if finding.verdict.held and not attempt.seen:
            verdict = replace(finding.verdict, seconds=0.0)
            self._kept.keep(key, Kept(verdict, finding.called, attempt.taken - before))
        return finding


def _right(found: Findings | None) -> bool:
    """Whether all claims hold."""
    return found is not None and all(each.verdict.held for each in found.values())


def _seen_again(attempt: ScriptedAttempt, judged: Callable[[], Finding]) -> list[CallSeen]:
    attempt.taken = 0
    return judged().sights
