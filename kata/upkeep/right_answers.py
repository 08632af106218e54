"""Gates about right answers: the solution, its stub, other styles, and what later ones stand on."""

import doctest
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import combinations, zip_longest
from pathlib import Path

from kata.course.catalogue import target_of
from kata.course.contract import stub
from kata.course.curriculum import Exercise, exercises
from kata.course.source import not_started, read, siblings
from kata.course.target import SUBMISSION, Target, reference
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import Observation, observe
from kata.diagnosis.suspects import needed
from kata.grading.steps import program
from kata.proofs.answers import because
from kata.upkeep.faces import accepted

Layer = Mapping[str, Path]  # answers to earlier exercises, by slug


def stub_is_not_started(exercise: Exercise) -> Iterator[str]:
    """Nothing is solved yet in the file that a learner gets."""
    if not not_started(read(exercise.stub), exercise):
        yield f"{exercise.stub.name} is started already"


def stub_and_solution_agree(exercise: Exercise) -> Iterator[str]:
    """The stub is the solution without its bodies, so that signatures and docstrings agree."""
    wanted, actual = stub(exercise).splitlines(), read(exercise.stub).text.splitlines()
    for number, (right, mine) in enumerate(zip_longest(wanted, actual), start=1):
        if right != mine:
            where = f"{exercise.stub.name}:{number}"
            again = f"`kata reset {exercise.short}` writes it again"
            yield f"{where} differs from the solution without its bodies; {again}"
            return


def docstring_examples_run(exercise: Exercise) -> Iterator[str]:
    """There is an example in a docstring, and every one gives what it says."""
    module = reference().module(exercise.slug)
    try:
        tests = [doc_test for doc_test in doctest.DocTestFinder().find(module) if doc_test.examples]
    except ValueError as error:  # wrong indentation
        yield str(error)
        return
    if not tests:
        yield "no docstring has an example"
    for test in tests:
        out: list[str] = []
        if doctest.DocTestRunner(verbose=False).run(test, out=out.append).failed:
            yield f"{test.name}: {''.join(out)}"


def solution_passes(exercise: Exercise) -> Iterator[str]:
    """Every claim holds for the solution."""
    yield from _failures("the solution", observe(exercise, reference()))


def accepted_answers_pass(
    exercise: Exercise, paths: Collection[Path] | None = None
) -> Iterator[str]:
    """Every claim holds for right answers in other styles too."""
    for path in accepted(exercise) if paths is None else paths:
        observation = observe_answer(exercise, path)
        yield from _failures(path.name, observation)
        if diagnosis := diagnose(exercise, observation.findings):
            yield f"{path.name} is right, but diagnosed as {diagnosis.mistakes[0].slug}"


def _failures(name: str, observation: Observation) -> Iterator[str]:
    for claim in observation.verdict.judged:
        if not claim.held:
            evidence = claim.message.evidence if claim.message else ""
            yield f"{name}: {claim.name}: {claim.state}: {evidence}"


@lru_cache(maxsize=16)
def observe_answer(exercise: Exercise, path: Path) -> Observation:
    """Judge the answer in a file."""
    return observe(exercise, target_of(exercise, read(path).text))


def observe_answers(exercise: Exercise) -> list[tuple[Path, Observation]]:
    """Judge the stub, the solution and the right answers in other styles."""
    paths = (exercise.stub, exercise.solution, *accepted(exercise))
    return [(path, observe_answer(exercise, path)) for path in paths]


def right_answers_differ(exercise: Exercise) -> Iterator[str]:
    """No two of them are the same program with other names."""
    paths = [exercise.solution, *accepted(exercise)]
    programs = {path.name: program(exercise, read(path).text) for path in paths}
    for (name, mine), (other, theirs) in combinations(programs.items(), 2):
        if mine.spelled == theirs.spelled:
            yield f"{name} and {other} are the same program"


def right_answers_quote_their_contract(exercise: Exercise) -> Iterator[str]:
    """Their docstrings end with words of the stub, as they stand there."""
    contract = " ".join(read(exercise.stub).text.split())  # without its line breaks
    for path in accepted(exercise):
        quote = because(read(path).text)
        if not quote:
            yield f'{path.name}: its docstring does not end with the line `The contract: "…"`'
        elif quote not in contract:
            yield f"{path.name}: this does not stand in {exercise.stub.name}: {quote}"


def references_stand_on_accepted(exercise: Exercise) -> Iterator[str]:
    """The solution passes on top of right answers in other styles, one after the other.

    An earlier suite that accepts an answer vouches for it to all later exercises.
    """
    failing = [layer for layer in _turns(exercise) if _failing(exercise, layer)]
    blames = [text for layer in failing for text in _blame(exercise, layer)]
    yield from dict.fromkeys(blames)  # an answer has several turns if others have more styles


def _turns(exercise: Exercise) -> Iterator[Layer]:
    """In every turn another answer to every earlier exercise at once, until all had a turn."""
    answers = {earlier.slug: accepted(earlier) for earlier in needed(exercise)}
    for turn in range(max(map(len, answers.values()), default=0)):
        yield {slug: paths[turn % len(paths)] for slug, paths in answers.items() if paths}


def _blame(exercise: Exercise, layer: Layer) -> Iterator[str]:
    """The answers that alone make the solution fail; or all of them, if it takes several."""
    failing = {path: _failing(exercise, {slug: path}) for slug, path in layer.items()}
    for path, claims in failing.items():
        if claims:
            yield f"the solution fails {claims[0]} on top of {path.parent.name}/{path.name}"
    if not any(failing.values()):
        together = ", ".join(f"{path.parent.name}/{path.name}" for path in layer.values())
        yield f"the solution fails {_failing(exercise, layer)[0]} on top of {together}"


def accepted_against_accepted(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield the right answers that fail on top of a right answer to an exercise they import."""
    for answer in accepted(exercise):
        for need in sorted(siblings(read(answer).tree)):
            for below in accepted(exercises()[need]):
                if _failing(exercise, {exercise.slug: answer, need: below}):
                    yield _short(answer), _short(below)


def _short(answer: Path) -> str:
    return f"{answer.parent.name.split('_')[0]}/{answer.name}"


def _failing(exercise: Exercise, layer: Layer) -> list[str]:
    """The claims that the solution fails with these answers below it, and other solutions."""
    judged = (*needed(exercise), *(exercises()[slug] for slug in layer), exercise)
    paths = {member.slug: member.solution for member in judged} | dict(layer)
    texts = {slug: read(path).text for slug, path in paths.items()}
    observation = observe(exercise, Target(SUBMISSION, texts, trusts=texts.__contains__))
    return [claim.name for claim in observation.verdict.judged if not claim.held]
