"""The judge of a proof: it tries the tests on right answers, and then on wrong ones."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import ModuleType
from typing import Any

from kata.diagnosis.diagnose import no_collecting
from kata.proofs.answers import Answer, Wrong, right_answers, wrong_answers
from kata.proofs.calls import (
    IN_ALL,
    SECONDS,
    Calls,
    Error,
    Errors,
    explanation,
    is_about,
    is_assertion,
    line_of,
    needed,
    surroundings,
    timed_out,
    unusable,
)
from kata.proofs.proof import Proof
from kata.proofs.verdict import LEVELS, ProofVerdict, Refusal, TestState, TestVerdict

BY_CHANCE = (
    "with some random numbers it refuses a right answer, and with others not: "
    "it asserts too much of some of them, or draws what the contract excludes; "
    "a seed would only hide that"
)
SEEDS = (0, 1, 2)  # of the random numbers that a right answer is tried with
AGAIN = 1  # the seed with which a catch is confirmed
LONGER = 2  # times the limit on a wrong answer, where a test may hang that is fast elsewhere


def judge(proof: Proof, level: int = LEVELS[-1]) -> ProofVerdict:
    """Judge all tests, on all right answers and on the wrong ones up to this level."""
    exercise = proof.exercise
    right, wrong = right_answers(exercise), wrong_answers(exercise, level)
    verdict = ProofVerdict(
        exercise.slug,
        wrong=tuple(answer.label for answer in wrong),
        right=len(right),
        is_partial=level < LEVELS[-1],
    )
    if proof.written:
        _prepare(proof)
    with surroundings() as shared:
        tests = _Tests(proof, Calls(proof, shared))
        if error := tests.begin():
            return replace(verdict, error=explanation(proof, error), line=line_of(proof, error))
        tests.meet_right(right)
        tests.meet_wrong(wrong)
    return replace(verdict, tests=tuple(tests.verdicts.values()), remarks=tuple(proof.remarks))


def _prepare(proof: Proof) -> None:
    """Import all that would otherwise be imported in the time of some test."""
    if "torch" in proof.imports or proof.exercise.library == "torch":
        with no_collecting():
            import_module("torch")
    for name in proof.exercise.imports:
        import_module(name)
    if "torch" in sys.modules:
        with no_collecting():
            for name in needed(proof.source.text):
                import_module(name)


@dataclass(eq=False)
class _Tests:
    """The tests of a proof, and their verdicts so far.

    Attributes:
        verdicts: by the name of the test.
        alive: the names of the tests that count so far.
    """

    proof: Proof
    calls: Calls
    verdicts: dict[str, TestVerdict] = field(default_factory=dict)
    alive: list[str] = field(default_factory=list)

    def begin(self) -> Error:
        """Run the top level on the reference; if it raises an error, no test can be called."""
        for name, node in self.proof.tests.items():
            self.verdicts[name] = TestVerdict(name, node.lineno, TestState.NOT_WRITTEN)
        self.alive = self.proof.written
        if not self.alive:
            return None
        reference = right_answers(self.proof.exercise)[0]
        space, error = self.calls.top_level(reference.load())
        for name in () if error else self.proof.written:
            self._learn(name, state=TestState.COUNTS)
            if why := self.proof.refusals.get(name) or unusable(name, space.get(name)):
                self._drop(name, TestState.BROKEN, remark=why)
        return error

    def meet_right(self, answers: Sequence[Answer]) -> None:
        """Find the tests that refuse one of these: with any random numbers, or with some."""
        refused: dict[str, list[tuple[Answer, int, Error]]] = {}
        random: set[str] = set()
        for answer in answers:
            runs = [self._on(answer.load(), number) for number in SEEDS] if self.alive else []
            for name in self.alive:
                failed = [(answer, at, run[name]) for at, run in enumerate(runs) if run[name]]
                refused.setdefault(name, []).extend(failed[:1])
                random |= {name} if 0 < len(failed) < len(SEEDS) else set()
        for name in [name for name in self.alive if refused[name]]:
            everything = len(refused[name]) == len(answers)
            self._refuses(name, refused[name], everything=everything, random=name in random)

    def _refuses(
        self,
        name: str,
        failures: Sequence[tuple[Answer, int, Error]],
        *,
        everything: bool,
        random: bool,
    ) -> None:
        refusals = tuple(self._fitting(self._refusal(name, *failure)) for failure in failures)
        if random:
            self._drop(name, TestState.RANDOM, refusals=refusals, remark=BY_CHANCE)
        elif everything and not any(is_assertion(error) for _, _, error in failures):
            self._drop(name, TestState.BROKEN, refusals=refusals)
        else:
            self._drop(name, TestState.REFUSES, refusals=refusals)

    def _refusal(self, name: str, answer: Answer, at: int, error: Error) -> Refusal:
        # Once more, with asserts that explain themselves.
        again = self.calls.on(answer.load(), [name], SEEDS[at], explains=True)[name]
        failure = again or error
        assert failure  # it has failed before
        text, line = explanation(self.proof, failure), line_of(self.proof, failure)
        return Refusal(answer.name, answer.because, text, line)

    def _fitting(self, refusal: Refusal) -> Refusal:
        """Leave the sentence of the contract out if it is about another function."""
        fits = is_about(self.proof, refusal.line, refusal.because)
        return refusal if fits else replace(refusal, because="")

    def meet_wrong(self, answers: Sequence[Wrong]) -> None:
        """Find the catches of each test: with any random numbers."""
        caught: dict[str, set[str]] = {name: set() for name in self.alive}
        unsure: Counter[str] = Counter()
        for answer in answers if self.alive else ():
            errors = self._caught(answer)
            for name in self.alive:
                if errors.get(name):
                    caught[name].add(answer.name)
                elif name in errors:
                    unsure[name] += 1
        for name in self.alive:
            uncounted = (
                "caught in one run and not in the next, so not counted: "
                f"{unsure[name]} of the wrong answers; "
                "if the test draws random numbers, call torch.manual_seed in it"
            )
            remark = uncounted if unsure[name] else ""
            self._learn(name, catches=frozenset(caught[name]), remark=remark)

    def _caught(self, answer: Wrong) -> Errors:
        """The tests that fail on it; with no error where they hold with other random numbers."""
        # An answer that cannot be imported is caught by all that calls anything of it.
        if (module := _loaded(answer)) is None:
            return dict.fromkeys(self.alive, ImportError())
        errors = self._on(module, SEEDS[0], LONGER)
        failures: Errors = {name: error for name, error in errors.items() if error}
        again = [name for name, error in errors.items() if not timed_out(error)]
        if not set(failures) & set(again):
            return failures
        # All of them, in the same order: some wrong answers keep state from one call to the next.
        second = self.calls.on(_loaded(answer) or module, again, AGAIN)
        return {name: second.get(name, error) for name, error in failures.items()}

    def _on(self, module: ModuleType, number: int, longer: int = 1) -> Errors:
        """Call the tests that are alive; one that takes too long is not called again."""
        errors = self.calls.on(module, self.alive, number, seconds=SECONDS * longer)
        for name, error in errors.items():
            if timed_out(error) and longer == 1:
                remark = (
                    f"it computes for more than {SECONDS:g} s on one right answer, "
                    "where others take milliseconds"
                )
                self._drop(name, TestState.SLOW, remark=remark)
            elif self.calls.spent[name] > IN_ALL:
                remark = f"all its runs together take more than {IN_ALL:g} s, so they were stopped"
                self._drop(name, TestState.SLOW, remark=remark)
        return errors

    def _drop(self, name: str, state: TestState, **fields: Any) -> None:
        self.alive = [other for other in self.alive if other != name]
        self._learn(name, state=state, **fields)

    def _learn(self, name: str, **fields: Any) -> None:
        self.verdicts[name] = replace(self.verdicts[name], **fields)


def _loaded(answer: Wrong) -> ModuleType | None:
    try:
        return answer.load()
    except Exception:
        return None
