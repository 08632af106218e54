"""What has to be true of every exercise. A gate yields a complaint for each thing that is not."""

import ast
import doctest
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, zip_longest
from pathlib import Path

from kata.course import curriculum
from kata.course.catalogue import (
    Bug,
    CatalogueError,
    applied,
    bugs,
    target_of,
    versions,
    wrong_answer,
)
from kata.course.contract import stub
from kata.course.curriculum import Exercise
from kata.course.source import functions, not_started, read
from kata.course.target import reference
from kata.diagnosis.diagnose import diagnose, diagnose_each
from kata.diagnosis.observe import Observation, find, observe
from kata.diagnosis.suspects import Suspect, Suspects, record_of
from kata.grading.rubric import mark
from kata.grading.steps import program
from kata.judging.attempt import Attempt
from kata.judging.judge import NO_GPU, check, device_missing, suite
from kata.proofs.stubs import FOLDER as PROOFS
from kata.upkeep import faces
from kata.upkeep.answers import (
    claims_are_in_groups,
    model_proof_catches_level_1,
    prices_are_read,
    refusals_are_last,
    right_answers_quote_their_contract,
    shares_are_of_functions,
    trivial_answers,
)
from kata.upkeep.faces import SHORTEST, accepted, proof_file, proof_follows_from_the_contract
from kata.upkeep.fuzz import FUZZ, fuzz_file, right_answers_agree
from kata.upkeep.hunts import hunts_have_one_answer
from kata.upkeep.levels import examples_are_not_enough, level_1_is_real, level_1_is_whole
from kata.upkeep.mutants import equivalents_are_mutants
from kata.upkeep.notebooks import cells_are_judged_like_files
from kata.upkeep.numbers import numbers_are_of_today
from kata.upkeep.observing import Some, observe_bugs, observe_near
from kata.verdict import State

FEWEST_BUGS = {"ex01": 8, "ex02": 8}
FEWEST_BUGS_ELSEWHERE = 12
FEWEST_ACCEPTED = 6
TRIVIAL_SHARE = 0.10
DOCUMENT_BUGS = (*range(1, 17), 20)  # of the documents' own; 17 to 19 are no code


def every_find_matches_once(exercise: Exercise, some: Some = None) -> Iterator[str]:
    """Each change of each bug applies to the solution as it is today."""
    for bug in bugs(exercise) if some is None else some:
        try:
            wrong_answer(exercise, bug)
        except CatalogueError as error:
            yield str(error)


def every_form_is_caught(exercise: Exercise, some: Some = None) -> Iterator[str]:
    """Each other form of a bug applies to the solution or a version, and fails the same claim."""
    claims = {claim.name: claim for claim in suite(exercise) if claim.device != "cuda"}
    for bug in bugs(exercise) if some is None else some:
        for number, form in enumerate(bug.forms[1:], start=1):
            texts = [text for text in applied(exercise, form) if bug.claim in claims]
            if not texts:
                yield f"{bug.slug}: number {number} of `also` fits neither solution nor version"
            for text in texts:
                if find(
                    claims[bug.claim], Attempt(exercise, target_of(exercise, text))
                ).verdict.held:
                    yield f"{bug.slug}: number {number} of `also` passes {bug.claim}"


def every_version_is_what_it_says(exercise: Exercise) -> Iterator[str]:
    """Each version applies; it fails first what its mistakes fail first, and nothing else."""
    order = [claim.name for claim in suite(exercise)]
    for version in versions(exercise):
        try:
            text = wrong_answer(exercise, version)
        except CatalogueError as error:
            yield str(error)
            continue
        first = observe(exercise, target_of(exercise, text)).first
        known = min((bug.claim for bug in version.mistakes), key=order.index, default="")
        if first != known:
            yield f"the version {version.slug} fails {first or 'nothing'} first, not {known}"


def every_bug_has_its_texts(exercise: Exercise) -> Iterator[str]:
    """Each bug has all its texts, three hints, and a unique slug."""
    slugs = [bug.slug for bug in bugs(exercise)]
    yield from (f"{slug} is used twice" for slug in set(slugs) if slugs.count(slug) > 1)
    claims = {claim.name for claim in suite(exercise)}
    for bug in bugs(exercise):
        if bug.claim not in claims:
            yield f"{bug.slug} names {bug.claim}, which is not a claim of the suite"
        texts = [bug.title, bug.symptom, bug.why, bug.invisible_when, *bug.seen_in, *bug.hints]
        if not all(texts) or not bug.seen_in or len(bug.hints) != 3:
            yield f"{bug.slug}: a text is missing, or there are not three hints"
        if any(len(text) < SHORTEST for text in (*bug.seen_in, *bug.hints)):
            yield f"{bug.slug}: a list of texts has single letters in it"


def every_bug_is_caught(exercise: Exercise, some: Some = None) -> Iterator[str]:
    """Each bug fails the suite, and the first claim to fail is the one that it names."""
    for bug, observed in _those(some, observe_near(exercise, some)):
        if not observed.first:
            yield f"{bug.slug} gets past the suite"
        elif observed.first != bug.claim:
            yield f"{bug.slug} names {bug.claim}, but fails {observed.first} first"


def _those(
    some: Some, observed: list[tuple[Bug, Observation]]
) -> Iterator[tuple[Bug, Observation]]:
    return (pair for pair in observed if some is None or pair[0] in some)


def every_claim_has_a_bug(exercise: Exercise) -> Iterator[str]:
    """Each claim is the first to fail for at least one bug, which proves that it can fail."""
    first = set(_first_failures(exercise))
    for name in dict.fromkeys(claim.name for claim in suite(exercise)):
        if name not in first:
            yield f"no bug fails {name} first"


def _first_failures(exercise: Exercise) -> Iterator[str]:
    """The claim that each bug fails first, as recorded, or else as it is judged now."""
    for bug in bugs(exercise):
        if record := record_of(exercise, bug, 0):
            yield next((claim.name for claim in suite(exercise) if claim.id in record.failing), "")
        else:
            yield from (observed.first for _, observed in observe_bugs(exercise, (bug,)))


def every_pair_is_told_apart(exercise: Exercise, some: Some = None) -> Iterator[str]:
    """The suite gets different results from any two bugs, unless they are listed as twins.

    Two that were compared before, and have not changed, are not compared again.
    """
    for (one, mine), (other, theirs) in combinations(observe_near(exercise, some), 2):
        if some is not None and one not in some and other not in some:
            continue
        listed = other.slug in one.twins and one.slug in other.twins
        alike = mine.looks_like(theirs)
        if alike and not listed:
            yield f"{one.slug} and {other.slug} look the same to the suite"
        if listed and not alike:
            yield f"{one.slug} and {other.slug} are listed as twins, but look different"
        if listed and not (one.twins_because and other.twins_because):
            yield f"{one.slug} and {other.slug}: twins without a reason"


def every_bug_is_named(exercise: Exercise, some: Some = None) -> Iterator[str]:
    """Each bug, submitted as an answer, is diagnosed as itself and nothing else."""
    suspects = suspects_of(exercise, some)
    for bug, observed in observe_near(exercise, some):
        yield from misnamed(exercise, bug, observed, suspects)


def suspects_of(exercise: Exercise, some: Some = None) -> Suspects:
    """Every bug with what its suite found; if it is about some, all others as they are recorded."""
    known = {}
    for bug, seen in observe_near(exercise, some):
        text, record = wrong_answer(exercise, bug), record_of(exercise, bug, 0)
        known[bug.slug] = Suspect(exercise, text, bug, findings=seen.findings, record=record)
    return Suspects(exercise, known)


def misnamed(exercise: Exercise, bug: Bug, seen: Observation, suspects: Suspects) -> Iterator[str]:
    """A complaint if a bug is not diagnosed as itself, alone or together with its twins."""
    named = diagnose(exercise, seen.findings, suspects, wrong_answer(exercise, bug))
    slugs = {mistake.slug for mistake in named.mistakes} if named else set()
    if bug.slug not in slugs or slugs - {bug.slug, *bug.twins}:
        yield f"{bug.slug} is named {', '.join(sorted(slugs)) or 'nothing'}"


def stub_is_not_started(exercise: Exercise) -> Iterator[str]:
    """Nothing is solved yet in the file that a learner gets."""
    if not not_started(read(exercise.stub), exercise):
        yield f"{exercise.stub.name} is started already"


def solution_passes(exercise: Exercise) -> Iterator[str]:
    """Every claim holds for the solution."""
    yield from _failures("the solution", observe(exercise, reference()))


@lru_cache(maxsize=16)
def observe_answer(exercise: Exercise, path: Path) -> Observation:
    """Judge one that is in a file."""
    return observe(exercise, target_of(exercise, read(path).text))


def observe_answers(exercise: Exercise) -> list[tuple[Path, Observation]]:
    """Judge the stub, the solution and the right answers in other styles."""
    paths = (exercise.stub, exercise.solution, *accepted(exercise))
    return [(path, observe_answer(exercise, path)) for path in paths]


def accepted_answers_pass(
    exercise: Exercise, some: Collection[Path] | None = None
) -> Iterator[str]:
    """Every claim holds for right answers in other styles too."""
    for path in accepted(exercise) if some is None else some:
        seen = observe_answer(exercise, path)
        yield from _failures(path.name, seen)
        if named := diagnose(exercise, seen.findings):
            yield f"{path.name} is right, but diagnosed as {named.mistakes[0].slug}"


def _failures(name: str, seen: Observation) -> Iterator[str]:
    for claim in seen.verdict.judged:
        if not claim.held:
            told = claim.message.evidence if claim.message else ""
            yield f"{name}: {claim.name}: {claim.state}: {told}"


def stub_and_solution_agree(exercise: Exercise) -> Iterator[str]:
    """The stub is the solution without its bodies, so that signatures and docstrings agree."""
    wanted, given = stub(exercise).splitlines(), read(exercise.stub).text.splitlines()
    for number, (right, mine) in enumerate(zip_longest(wanted, given), start=1):
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


def there_are_enough_answers(exercise: Exercise) -> Iterator[str]:
    """Enough wrong answers and enough right ones."""
    least = FEWEST_BUGS.get(exercise.short, FEWEST_BUGS_ELSEWHERE)
    if len(bugs(exercise)) < least:
        yield f"{len(bugs(exercise))} of at least {least} bugs"
    if len(accepted(exercise)) < FEWEST_ACCEPTED:
        yield f"{len(accepted(exercise))} of at least {FEWEST_ACCEPTED} right answers"


def trivial_answers_earn_nothing(exercise: Exercise) -> Iterator[str]:
    """An answer that took no thought earns less than a tenth of the points."""
    suspects = Suspects(exercise)
    for name, text in trivial_answers(exercise).items():
        seen = observe(exercise, target_of(exercise, text))
        first, *further = diagnose_each(exercise, seen.findings, suspects, text) or (None,)
        named = replace(seen.verdict, diagnosis=first, further=tuple(further))
        if (earned := mark(named, 1).score) >= TRIVIAL_SHARE:
            held = ", ".join(claim.name for claim in seen.verdict.judged if claim.held)
            yield f"the trivial answer “{name}” earns {earned:.2f} of the points, by {held}"


def right_answers_differ(exercise: Exercise) -> Iterator[str]:
    """No two of them are the same program with other names."""
    paths = [exercise.solution, *accepted(exercise)]
    programs = {path.name: program(exercise, read(path).text) for path in paths}
    for (one, mine), (other, theirs) in combinations(programs.items(), 2):
        if mine.spelled == theirs.spelled:
            yield f"{one} and {other} are the same program"


def suite_follows_its_rules(exercise: Exercise) -> Iterator[str]:
    """Each claim has a sentence, asserts through the helpers, and never uses the solution."""
    text = read(exercise.suite)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Assert):
            yield f"line {node.lineno}: a bare assert"
    for name, function in functions(text.tree):
        if name.startswith("test_") and not ast.get_docstring(function):
            yield f"{name} has no sentence for the learner"
    if "solutions" in text.text:
        yield "the suite names the solutions"


def cuda_claims_exist(exercise: Exercise) -> Iterator[str]:
    """A torch exercise has claims for a GPU; where there is none they are skipped with a reason."""
    on_gpu = [claim for claim in suite(exercise) if claim.device == "cuda"]
    if exercise.library == "torch" and not on_gpu:
        yield "no claim takes `device`, so nothing is judged on a GPU"
    if on_gpu and device_missing("cuda"):
        verdict = check(on_gpu[0], Attempt(exercise, reference()))
        told = verdict.message.claim if verdict.message else ""
        if (verdict.state, told) != (State.SKIPPED, NO_GPU):
            yield "a claim on a GPU does not skip with its reason"


def no_file_is_left_over() -> Iterator[str]:
    """Every file in the folders of exercises belongs to an entry of curriculum.toml."""
    paths = {path for exercise in curriculum.exercises().values() for path in _files_of(exercise)}
    folders = {
        curriculum.EXERCISES: "ex*.py",
        curriculum.SOLUTIONS: "*.py",
        curriculum.GRADED: "test_*.py",
        curriculum.BUGS: "*.toml",
        curriculum.accepted(): "ex*",
        faces.FIGURES: "ex*.py",
        faces.SHEETS: "ex*.toml",
        FUZZ: "ex*.py",
        PROOFS: "ex*.py",
    }
    for path in (each for folder, some in folders.items() for each in sorted(folder.glob(some))):
        if path not in paths:
            yield f"{path} is not in curriculum.toml"


def _files_of(exercise: Exercise) -> tuple[Path, ...]:
    needed = exercise.stub, exercise.solution, exercise.suite, exercise.bugs, exercise.accepted
    drawn = faces.figure_file(exercise), faces.sheet_file(exercise)
    return *needed, *drawn, fuzz_file(exercise), proof_file(exercise)


def documents_are_covered() -> Iterator[str]:
    """Each of the documents' own bugs that is code is in the catalogue, marked with its number."""
    marks = {mark for exercise in curriculum.exercises().values() for mark in _seen_in(exercise)}
    for number in DOCUMENT_BUGS:
        if not any(mark.endswith(f"own bug {number}") for mark in marks):
            yield f"own bug {number} of the documents is in no catalogue"


def _seen_in(exercise: Exercise) -> set[str]:
    """Where the bugs of an exercise were seen; nothing if its first gate cannot read them."""
    with suppress(Exception):
        return {mark for bug in bugs(exercise) for mark in bug.seen_in}
    return set()


GATES: tuple[Callable[..., Iterator[str]], ...] = (
    faces.every_face_is_there,  # the others run only if this one holds
    faces.nothing_says_todo,
    faces.every_name_has_its_hints,
    faces.delegates_are_not_the_solution,
    faces.sheet_text_is_whole,
    faces.figure_is_whole,
    there_are_enough_answers,
    every_find_matches_once,
    every_bug_has_its_texts,
    every_bug_is_caught,
    every_form_is_caught,
    every_version_is_what_it_says,
    every_claim_has_a_bug,
    every_pair_is_told_apart,
    every_bug_is_named,
    stub_is_not_started,
    stub_and_solution_agree,
    proof_follows_from_the_contract,
    docstring_examples_run,
    solution_passes,
    accepted_answers_pass,
    right_answers_agree,
    right_answers_differ,
    right_answers_quote_their_contract,
    level_1_is_whole,
    level_1_is_real,
    examples_are_not_enough,
    hunts_have_one_answer,
    cells_are_judged_like_files,
    trivial_answers_earn_nothing,
    model_proof_catches_level_1,
    equivalents_are_mutants,
    suite_follows_its_rules,
    claims_are_in_groups,
    refusals_are_last,
    shares_are_of_functions,
    prices_are_read,
    cuda_claims_exist,
)
OVERALL_GATES: tuple[Callable[[], Iterator[str]], ...] = (
    no_file_is_left_over,
    documents_are_covered,
    numbers_are_of_today,
)
