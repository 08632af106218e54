"""The verdict on a proof.

Each test runs on every right answer and on every wrong one of level 1, in an order that nobody
knows beforehand: it depends on the run's seed and on the text of the proof.
"""

import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.course.source import UnusableError, shortened
from kata.errors import LostError
from kata.grading.proving.answers import Answer, defined, order, right_answers, wrong_answers
from kata.grading.proving.consistency import Consistency, InconsistentError, Trail
from kata.grading.proving.reading import Proof, Test, proof
from kata.grading.proving.relay import Answering, Record, Run, Told, channel
from kata.grading.retries import KILLS
from kata.grading.sandbox.channel import StoppedError, Workers, killed_from_outside
from kata.grading.sandbox.workers import Launcher
from kata.inside import wire
from kata.inside.proving.connection import NO_MEMORY_LEFT
from kata.proofs.slow_imports import needed
from kata.proved import Outcome, Proved, ProvedTest
from kata.verdict import State
from kata.words import say

CONFIRMED = 2  # times that a failure has to come again; dice that fail one time in ten seldom do
SEEDS = 3  # of what tests draw, as many as `kata prove` has
PATIENCE = 12  # times the limit of a test, for a proof
LARGEST_SEED = 2**31
NOT_WRITTEN = "NotImplementedError"
ASSERTION = "AssertionError"
WHOLE = ""  # stands for the proof itself, which is executed before its tests are called


Runs = list[tuple[Answer, list[int]]]  # each with seeds


@dataclass
class ProofJudge:
    """Judges one proof after the other.

    Args:
        tests: starts workers for the tests.
        answers: starts workers for what they test.
        limit: seconds for a test.
        seed: of the run.
    """

    tests: Launcher
    answers: Workers
    limit: float
    seed: int

    def judge(self, slug: str, content: bytes, end: float = math.inf) -> Proved:
        """The verdict on a proof of this exercise, in time for the end of all those beside it.

        Raises LostError if the grader's side fails.
        """
        exercise = exercises()[slug]
        titles = {each.slug: each.title for each in bugs(exercise)}
        traps = tuple((each.name, titles[each.name]) for each in wrong_answers(exercise))
        try:
            text = proof(slug, content)
        except UnusableError as error:
            return Proved(slug, traps, problem=str(error))
        if not any(each.written for each in text.tests):
            tests = (ProvedTest(each.name, each.line, Outcome.NOT_WRITTEN) for each in text.tests)
            return Proved(slug, traps, tuple(tests))
        self.tests.get_ready_for_proofs(needed(text.text))
        return _Proving(self, text, traps, end).verdict()


@dataclass(frozen=True)
class _DroppedError(Exception):
    """A test that counts for nothing, so that all begins again without it."""

    name: str
    outcome: Outcome
    text: str


@dataclass
class _Proving:
    """One proof that is being judged."""

    judge: ProofJudge
    proof: Proof
    traps: tuple[tuple[str, str], ...]
    end: float = math.inf
    told: dict[tuple[str, Answer, int], Told] = field(default_factory=dict)
    dropped: dict[str, _DroppedError] = field(default_factory=dict)
    asked: dict[tuple[str, int], Trail] = field(default_factory=dict)  # the reference, with seeds

    def __post_init__(self) -> None:
        about = f"{self.judge.seed} {self.proof.slug} {self.proof.text}"
        self._chance = random.Random(sha256(about.encode("utf-8", "surrogatepass")).digest())
        self._end = min(self.end, time.monotonic() + PATIENCE * self.judge.limit)
        self._seeds = [self._chance.randrange(LARGEST_SEED) for _ in range(SEEDS)]

    def verdict(self) -> Proved:
        """Run all, and say what each test is worth."""
        self._rehearse()
        while not self._done():
            self.told.clear()
            self._rehearse()
        if problem := self._problem():
            return Proved(self.proof.slug, self.traps, problem=problem)
        return Proved(self.proof.slug, self.traps, tuple(map(self._test, self.proof.tests)))

    @property
    def _left(self) -> list[Test]:
        """The tests that may still be worth something."""
        if WHOLE in self.dropped:
            return []
        written = (each for each in self.proof.tests if each.written and not each.problem)
        return [each for each in written if each.name not in self.dropped]

    def _drop(self, dropped: _DroppedError) -> None:
        self.dropped[dropped.name] = dropped

    # First, on the reference alone: what has to be left out, and whether anything is drawn.

    def _rehearse(self) -> None:
        """Run each test twice as if it was the first, and with other random numbers."""
        known = Consistency()
        for seeds in (self._seeds[:2], self._seeds[:1]):
            left = self._left
            while left:
                left = self._rehearsed(left, seeds, known)

    def _rehearsed(self, tests: list[Test], seeds: list[int], known: Consistency) -> list[Test]:
        """Run these up to one that has to be left out, and say which come after it."""
        reference = right_answers(exercises()[self.proof.slug])[0]
        run = self._made(known.trail(seeds[0]), channel(self.judge.answers))
        current = [WHOLE]
        try:
            begun = run.begin(self._order(seeds[0]), wire.encode(self._answer(reference))[0])
            for place, seed in enumerate(seeds if begun.passed else ()):
                current[1:] = []
                self._follow(run, known, WHOLE, seed)
                if place:
                    run.begin_again(seed)
                for each in tests:
                    current.append(each.name)
                    self._follow(run, known, each.name, seed)
                    run.test(each.name)
            return []
        except InconsistentError:
            self._drop(_DroppedError(current[-1], Outcome.RANDOM, say("proving.differs")))
        except StoppedError as stop:
            if run.killed:
                return []
            self._drop(self._stopped(current[-1], stop))
        finally:
            run.close()
        return tests[len(current) - 1 :] if self._left else []

    def _follow(self, run: Run, known: Consistency, name: str, seed: int) -> None:
        self.asked[name, seed] = known.trail(seed)
        run.follow(self.asked[name, seed])

    @property
    def _draws(self) -> bool:
        """Whether the tests ask the reference something else with other random numbers."""
        first, second, *_ = self._seeds
        return any(self.asked[name, first].done != self.asked[name, second].done
                   for name, seed in self.asked if seed == second)  # fmt: skip

    # Then on all answers.

    def _runs(self) -> Runs:
        """Every answer, with its seeds: more than one if it is right, and the tests draw."""
        exercise = exercises()[self.proof.slug]
        seeds = self._seeds if self._draws else self._seeds[:1]
        runs = [(each, seeds) for each in right_answers(exercise)]
        runs += [(each, seeds[:1]) for each in wrong_answers(exercise)]
        self._chance.shuffle(runs)
        return runs

    def _done(self) -> bool:
        """Run all; false if a test has to be left out, which all other runs have had, too."""
        left = self._left
        if not left:
            return True
        consistency = Consistency()
        try:
            for answer, seeds in self._runs():
                self._run(answer, seeds, left, consistency)
        except _DroppedError as dropped:
            self._drop(dropped)
            return False
        return True

    def _run(self, answer: Answer, seeds: list[int], tests: list[Test], known: Consistency) -> None:
        """All tests on this answer; again if somebody has killed a worker.

        Where any of them has failed, also on records of what the answer has said: what they say
        has to be the same when there is nothing else that they could know it by.
        """
        for _ in range(KILLS):
            run = self._made(known.trail(seeds[0]), channel(self.judge.answers))
            current = [WHOLE]
            try:
                self._tests(run, answer, seeds, tests, current)
                for _ in range(CONFIRMED if self._fails(answer, seeds, tests) else 0):
                    run.close()
                    run = self._made(known.trail(seeds[0]), Record(run.said))
                    self._tests(run, answer, seeds, tests, current)
                return
            except InconsistentError:
                text = say("proving.differs")
                raise _DroppedError(current[-1], Outcome.RANDOM, text) from None
            except StoppedError as stop:
                if not run.killed:
                    raise self._stopped(current[-1], stop) from None
            finally:
                run.close()
        raise killed_from_outside()

    def _fails(self, answer: Answer, seeds: list[int], tests: list[Test]) -> bool:
        told = (self.told[each.name, answer, seed] for each in tests for seed in seeds)
        return not all(each.passed for each in told)

    def _made(self, trail: Trail, answer: Answering) -> Run:
        return Run(channel(self.judge.tests), answer, trail, self.judge.limit, self._end)

    def _tests(
        self, run: Run, answer: Answer, seeds: list[int], tests: list[Test], current: list[str]
    ) -> None:
        """Note how each of them ends; the last one of `current` is running."""
        begun = run.begin(self._order(seeds[0]), wire.encode(self._answer(answer))[0])
        for place, seed in enumerate(seeds):
            current.append(WHOLE)
            begun = run.begin_again(seed) if place else begun
            self.told[WHOLE, answer, seed] = begun
            for each in tests:
                current.append(each.name)
                told = run.test(each.name) if begun.passed else begun
                self.told[each.name, answer, seed] = told

    def _stopped(self, name: str, stop: StoppedError) -> _DroppedError:
        if time.monotonic() > self._end:
            return _DroppedError(WHOLE, Outcome.SLOW, say("proving.out-of-time"))
        if stop.state is State.TIMED_OUT:
            text = say("proving.slow", seconds=number(self.judge.limit))
            return _DroppedError(name, Outcome.SLOW, text)
        without = stop.text.endswith(f"exit {NO_MEMORY_LEFT}")
        ended = say("proving.no-memory" if without else "proving.ended")
        text = ended if stop.state is State.ERROR else stop.text
        return _DroppedError(name, Outcome.BROKEN, text)

    def _order(self, seed: int) -> bytes:
        names = [defined(each) for each in (self.proof.slug, *self.proof.others)]
        about = [names, self.proof.slug, self.proof.path, self.proof.text, seed]
        return wire.encode(about)[0]

    def _answer(self, answer: Answer) -> list[object]:
        return order(exercises()[self.proof.slug], answer, self.proof.others)

    def _problem(self) -> str:
        """Why no test could be judged."""
        if WHOLE in self.dropped:
            return self.dropped[WHOLE].text
        failed = [told for _, told in self._on_right(WHOLE) if not told.passed]
        if not failed:
            return ""
        return say("proving.does-not-begin", error=_in_words(failed[0], self.proof))

    def _on_right(self, name: str) -> Iterator[tuple[Answer, Told]]:
        """How it ended on right answers, the reference first."""
        for answer in right_answers(exercises()[self.proof.slug]):
            for seed in self._seeds:
                if (name, answer, seed) in self.told:
                    yield answer, self.told[name, answer, seed]

    def _test(self, test: Test) -> ProvedTest:
        made = ProvedTest(test.name, test.line, Outcome.COUNTS)
        if not test.written:
            return replace(made, outcome=Outcome.NOT_WRITTEN)
        if test.problem:
            return replace(made, outcome=Outcome.BROKEN, error=test.problem)
        if dropped := self.dropped.get(test.name):
            return replace(made, outcome=dropped.outcome, error=dropped.text)
        all_told = [*self._on_right(test.name)]
        if not all_told:  # it would count, whatever it does
            raise LostError(say("proving.not-run", name=test.name))
        return self._refusal(made, all_told) or replace(made, catches=self._caught(test.name))

    def _refusal(self, made: ProvedTest, all_told: list[tuple[Answer, Told]]) -> ProvedTest | None:
        failed = [(answer, told) for answer, told in all_told if not told.passed]
        if not failed:
            return None
        answer, told = failed[0]
        if all(NOT_WRITTEN in told.kinds for _, told in all_told):
            return replace(made, outcome=Outcome.NOT_WRITTEN)
        refused, accepted = ({one.name for one, told in all_told if told.passed is passed}
                             for passed in (False, True))  # fmt: skip
        if by_chance := refused & accepted:
            text = say("proving.by-chance", answer=min(by_chance))
            return replace(made, outcome=Outcome.RANDOM, error=text)
        outcome = Outcome.BROKEN if _is_broken(all_told) else Outcome.REFUSES
        return replace(made, outcome=outcome, error=_in_words(told, self.proof), at=told.line,
                       answer=answer.name, because=answer.because)  # fmt: skip

    def _caught(self, name: str) -> tuple[str, ...]:
        failed = {answer.name for (test, answer, _), told in self.told.items()
                  if test == name and not told.passed}  # fmt: skip
        return tuple(slug for slug, _ in self.traps if slug in failed)


def _is_broken(all_told: list[tuple[Answer, Told]]) -> bool:
    """Whether it never gets to the point: on all of them it raises, and never by an assert."""
    return all(not told.passed and told.kind != ASSERTION for _, told in all_told)


def number(value: float) -> str:
    """As people write it: 10 and 2.5."""
    return f"{value:g}"


def _in_words(told: Told, proof: Proof) -> str:
    """What was raised; a bare assert is quoted, for it says nothing by itself."""
    lines = proof.text.splitlines()
    quoted = lines[told.line - 1].strip() if 0 < told.line <= len(lines) else ""
    return ": ".join(filter(None, [told.kind, told.text or shortened(quoted)]))
