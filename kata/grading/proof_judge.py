"""The verdict on a proof: the answers that its tests accept, refuse and catch.

Called by `judge`. Tests run on every right answer and on every wrong one of level 1, in an order
that nobody can tell beforehand: it depends on the run's seed and on the text of the proof. A proof
is hostile code: it is parsed here, and executed in workers only.
"""

import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from kata.course.catalogue import bugs, target_of
from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError, contract, decoded, parse
from kata.course.target import reference
from kata.errors import LostError
from kata.grading.channel import Channel, StoppedError, connect, killed_from_outside
from kata.grading.options import KILLS
from kata.grading.relay import Ending, InconsistentError, Past, Record, Run, Trail
from kata.grading.workers import Launcher
from kata.inside import wire
from kata.inside.orders import NO_MEMORY_LEFT
from kata.marks import Outcome, Proved, ProvedTest
from kata.proofs.answers import Answer, right_answers, wrong_answers
from kata.proofs.calls import needed
from kata.proofs.proof import Proof
from kata.text import clean
from kata.verdict import State

OURS, THEIRS = "kata_answer", "kata_reference"  # packages
# This answer does to the model that it gets what cannot be done to one in another process.
ONLY_IN_PROCESS = {("ex18_training_run", "functional")}
# Times that a failure has to come again; dice that fail one time in ten seldom do.
CONFIRMATIONS = 2
SEEDS = 3  # of what tests draw, as many as `kata prove` has
PATIENCE = 12  # times the limit of a test, for a proof
LARGEST_SEED = 2**31
NOT_WRITTEN, ASSERTION = "NotImplementedError", "AssertionError"
WHOLE = ""  # stands for the proof itself, which is executed before its tests are called


@dataclass
class ProofJudge:
    """A judge of one proof after the other.

    Args:
        tests: starts workers for the tests.
        answers: starts workers for what they test.
        limit: seconds for a test.
        seed: of the run.
    """

    tests: Launcher
    answers: Launcher
    limit: float
    seed: int

    def judge(self, slug: str, content: bytes, end: float = math.inf) -> Proved:
        """Judge a proof of this exercise, in time for the end of all those beside it.

        Raises LostError if the grader's side fails.
        """
        exercise = exercises()[slug]
        traps = tuple((bug.slug, bug.title) for bug in bugs(exercise) if bug.level == 1)
        try:
            proof = proof_of(slug, content)
        except UnusableError as error:
            return Proved(slug, traps, problem=str(error))
        if proof.written:
            self.tests.get_ready_for_proofs(needed(proof.source.text))
        return Proving(self, proof, traps, end).verdict()


def proof_of(slug: str, content: bytes) -> Proof:
    """Read a proof without executing it; raises UnusableError if it cannot be judged."""
    path = Path("proofs", f"{slug}.py")
    proof = Proof(exercises()[slug], parse(path, decoded(path.name, content)))
    if not proof.tests:
        raise UnusableError("there are no functions `test…` in it")
    return proof


class Proving:
    """One proof that is being judged."""

    def __init__(
        self, judge: ProofJudge, proof: Proof, traps: tuple[tuple[str, str], ...], end: float
    ) -> None:
        self.judge, self.proof, self.traps = judge, proof, traps
        basis = f"{judge.seed} {proof.exercise.slug} {proof.source.text}"
        self._chance = random.Random(sha256(basis.encode("utf-8", "surrogatepass")).digest())
        self._right, self._wrong = answers(proof.exercise)
        self._end = min(end, time.monotonic() + PATIENCE * judge.limit)
        self._seeds = [self._chance.randrange(LARGEST_SEED) for _ in range(SEEDS)]
        self._endings: dict[tuple[str, Answer, int], Ending] = {}
        self._dropped: dict[str, tuple[Outcome, str]] = {}  # tests that count for nothing
        self._current = WHOLE  # the test that is running

    def verdict(self) -> Proved:
        """Run all tests, and say what they are worth."""
        self._rehearse()
        while not self._all_run():
            self._endings.clear()
            self._rehearse()
        if problem := self._problem():
            return Proved(self.proof.exercise.slug, self.traps, problem=problem)
        tests = tuple(map(self.worth, self.proof.tests))
        return Proved(self.proof.exercise.slug, self.traps, tests)

    @property
    def _remaining(self) -> list[str]:
        """The tests that may still be worth something."""
        if WHOLE in self._dropped:
            return []
        refused = self.proof.refusals.keys() | self._dropped.keys()
        return [name for name in self.proof.written if name not in refused]

    def _drop(self, error: InconsistentError | StoppedError) -> None:
        """Let the running test count for nothing, so that all begins again without it."""
        name, outcome = self._current, Outcome.BROKEN
        if isinstance(error, InconsistentError):
            outcome = Outcome.RANDOM
            text = ("it did different things although all answers were the same: "
                    "it depends on chance, on the time or on another test")  # fmt: skip
        elif time.monotonic() > self._end:
            name, outcome, text = WHOLE, Outcome.SLOW, "the proof as a whole takes too long"
        elif error.state is State.TIMED_OUT:
            outcome = Outcome.SLOW
            text = f"it takes longer than {self.judge.limit:g} s on some answer"
        elif error.state is not State.ERROR:
            text = error.text
        elif error.text.endswith(f"exit {NO_MEMORY_LEFT}"):
            text = "it needs more memory than there is on some answer"
        else:
            text = "it ends its process, or that of what it tests"
        self._dropped[name] = outcome, text

    # First, on the reference alone: tests that have to be left out.

    def _rehearse(self) -> None:
        """Run every test twice as if it was the first, and with other random numbers."""
        past: Past = {}
        for seeds in (self._seeds[:2], self._seeds[:1]):
            tests = self._remaining
            while tests:
                tests = self._rehearsed(tests, seeds, past)

    def _rehearsed(self, tests: list[str], seeds: list[int], past: Past) -> list[str]:
        """Run these up to one that has to be left out, and return those that come after it."""
        run = self._run_with(Trail(past, seeds[0]), connect(self.judge.answers))
        self._current = WHOLE
        try:
            begun = self._begin(run, self._right[0], seeds[0])
            for place, seed in enumerate(seeds if begun.passed else ()):
                if place:
                    self._current, run.trail = WHOLE, Trail(past, seed)
                    run.begin_again(seed)
                for name in tests:
                    self._current, run.trail = name, Trail(past, seed)
                    run.test(name)
            return []
        except (InconsistentError, StoppedError) as error:
            if run.killed:
                return []
            self._drop(error)
        finally:
            run.close()
        return tests[tests.index(self._current) + 1 :] if self._remaining else []

    # Then on all answers.

    def _all_run(self) -> bool:
        """Run all tests; false if one has to be left out, so that all runs begin again."""
        past: Past = {}
        runs = [(answer, self._seeds) for answer in self._right]
        runs += [(answer, self._seeds[:1]) for answer in self._wrong]
        self._chance.shuffle(runs)
        return not self._remaining or all(self._run(*run, past) for run in runs)

    def _run(self, answer: Answer, seeds: list[int], past: Past) -> bool:
        """Run all tests on this answer; again if somebody has killed a worker.

        Where any test has failed, all run on records of the answer as well: they have to do the
        same when there is nothing else by which they could tell the answer.
        """
        tests = self._remaining
        for _ in range(KILLS):
            run = self._run_with(Trail(past, seeds[0]), connect(self.judge.answers))
            self._current = WHOLE
            try:
                self._call(tests, run, answer, seeds)
                endings = [self._endings[name, answer, seed] for name in tests for seed in seeds]
                for _ in range(0 if all(ending.passed for ending in endings) else CONFIRMATIONS):
                    run.close()
                    run = self._run_with(Trail(past, seeds[0]), Record(run.answers))
                    self._call(tests, run, answer, seeds)
                return True
            except (InconsistentError, StoppedError) as error:
                if not run.killed:
                    self._drop(error)
                    return False
            finally:
                run.close()
        raise killed_from_outside()

    def _call(self, tests: list[str], run: Run, answer: Answer, seeds: list[int]) -> None:
        """Call the tests, and note how they end."""
        begun = self._begin(run, answer, seeds[0])
        for place, seed in enumerate(seeds):
            self._current = WHOLE
            begun = run.begin_again(seed) if place else begun
            self._endings[WHOLE, answer, seed] = begun
            for name in tests:
                self._current = name
                ending = run.test(name) if begun.passed else begun
                self._endings[name, answer, seed] = ending

    def _run_with(self, trail: Trail, answer: Channel | Record) -> Run:
        return Run(connect(self.judge.tests), answer, trail, self.judge.limit, self._end)

    def _begin(self, run: Run, answer: Answer, seed: int) -> Ending:
        proof, slug = self.proof, self.proof.exercise.slug
        names = [*map(defined, (slug, *proof.needs))]
        tests = wire.encode([names, slug, proof.path, proof.source.text, seed])[0]
        return run.begin(tests, wire.encode(order(proof.exercise, answer, proof.needs))[0])

    # Last, what the proof is worth.

    def _problem(self) -> str:
        """Say why no test could be judged; empty if one could."""
        if WHOLE in self._dropped:
            return self._dropped[WHOLE][1]
        endings = (ending for _, ending in self._on_right(WHOLE))
        failure = next((ending for ending in endings if not ending.passed), None)
        return clean(f"it cannot be executed: {self._in_words(failure)}") if failure else ""

    def _on_right(self, name: str) -> Iterator[tuple[Answer, Ending]]:
        """Yield the endings of a test on right answers, the reference first."""
        for answer in self._right:
            for seed in self._seeds:
                if (name, answer, seed) in self._endings:
                    yield answer, self._endings[name, answer, seed]

    def worth(self, name: str) -> ProvedTest:
        """Say what a test is worth after all runs; raise LostError if there were none."""
        test = ProvedTest(name, self.proof.tests[name].lineno, Outcome.COUNTS)
        if name not in self.proof.written:
            return replace(test, outcome=Outcome.NOT_WRITTEN)
        if problem := self.proof.refusals.get(name):
            return replace(test, outcome=Outcome.BROKEN, error=problem)
        if name in self._dropped:
            outcome, text = self._dropped[name]
            return replace(test, outcome=outcome, error=text)
        endings = [*self._on_right(name)]
        if not endings:  # it would count, whatever it does
            raise LostError(clean(f"{name} was run on no right answer"))
        return self._refusal(test, endings) or replace(test, catches=self._catches(name))

    def _refusal(self, test: ProvedTest, endings: list[tuple[Answer, Ending]]) -> ProvedTest | None:
        failed = [(answer, ending) for answer, ending in endings if not ending.passed]
        if not failed:
            return None
        answer, ending = failed[0]
        if all(NOT_WRITTEN in ending.kinds for _, ending in endings):
            return replace(test, outcome=Outcome.NOT_WRITTEN)
        accepted = {answer.name for answer, ending in endings if ending.passed}
        if by_chance := accepted & {answer.name for answer, _ in failed}:
            text = (f"it refuses the right answer {min(by_chance)} with some of the random numbers "
                    "that it draws, and not with others")  # fmt: skip
            return replace(test, outcome=Outcome.RANDOM, error=text)
        # A test that raises on all answers, and never by an assert, never gets to the point.
        broken = all(not ending.passed and ending.kind != ASSERTION for _, ending in endings)
        outcome = Outcome.BROKEN if broken else Outcome.REFUSES
        return replace(test, outcome=outcome, error=self._in_words(ending), at=ending.line,
                       answer=answer.name, because=answer.because)  # fmt: skip

    def _catches(self, name: str) -> tuple[str, ...]:
        failed = {answer.name for (test, answer, _), ending in self._endings.items()
                  if test == name and not ending.passed}  # fmt: skip
        return tuple(slug for slug, _ in self.traps if slug in failed)

    def _in_words(self, ending: Ending) -> str:
        """Say what was raised; a bare assert is quoted, for it says nothing by itself."""
        text = ending.text or self.proof.source.line(ending.line)
        return ": ".join(filter(None, [ending.kind, text]))


# Only behaviour tells answers apart: names, paths and the order of imports are the same for all.


def answers(exercise: Exercise) -> tuple[list[Answer], Sequence[Answer]]:
    """Return the right answers, the reference first, and the wrong ones of level 1."""
    right = [answer for answer in right_answers(exercise)
             if (exercise.slug, answer.name) not in ONLY_IN_PROCESS]  # fmt: skip
    return right, wrong_answers(exercise, level=1)


def order(exercise: Exercise, answer: Answer, needs: list[str]) -> list[Any]:
    """List what the process of an answer executes, and what tests may call in it.

    Args:
        exercise: of the proof.
        answer: the implementation.
        needs: other exercises that the proof imports; of these, it gets the reference.
    """
    target = target_of(exercise, answer.text)
    targets = {exercise.slug: target, **dict.fromkeys(needs, reference())}

    def neutral(name: str) -> str:
        name = name.replace(f"{target.name}_", f"{OURS}_")
        return name.replace(f"{reference().name}_", f"{THEIRS}_")

    parts = dict.fromkeys(
        (neutral(part.package), part.slug, f"exercises/{part.slug}.py", part.text,
         tuple((need, neutral(module)) for need, module in part.needs))
        for slug, owner in targets.items() for part in owner.parts(slug)
    )  # fmt: skip
    names = [(slug, neutral(owner.module_name(slug)), name)
             for slug, owner in targets.items()
             for name in contract(exercises()[slug]).names]  # fmt: skip
    return [[*parts], names]


def defined(slug: str) -> tuple[str, list[str], list[str]]:
    """Return an exercise, its functions and its classes: all that the tests' process gets of it."""
    promised = contract(exercises()[slug])
    classes = {name.split(".")[0] for name in promised.functions if "." in name}
    functions = [name for name in promised.names if name not in classes]
    return slug, functions, [name for name in promised.names if name in classes]
