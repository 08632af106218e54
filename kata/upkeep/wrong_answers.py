"""Gates about wrong answers: all are caught, have their texts, and are named as themselves.

A claim that is recorded to hold for a wrong answer is judged only if somebody asks what it saw.
`records_are_true`, a gate of its own, judges everything and proves the records.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

from kata.course.catalogue import (
    PRICES,
    Bug,
    CatalogueError,
    applied,
    bugs,
    content,
    target_of,
    versions,
    wrong_answer,
)
from kata.course.curriculum import Exercise
from kata.course.source import read
from kata.course.target import reference
from kata.diagnosis.diagnose import diagnose, diagnose_each
from kata.diagnosis.observe import Finding, Observation, find, observe
from kata.diagnosis.suspects import Record, Suspect, Suspects, record_of
from kata.grading.rubric import mark
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim, suite
from kata.upkeep.faces import HINTS, SHORTEST

TRIVIAL_SHARE = 0.10
Selection = tuple[Bug, ...] | None  # the wrong answers to judge; None for all that there are
ENTRY = re.compile(r"^(?=\[\[bug\]\]$)", re.MULTILINE)
SLUG = re.compile(r'^slug = "(.*)"$', re.MULTILINE)
CLAIM = re.compile(r'^claim = ".*"$', re.MULTILINE)
# Each result in the shape and dtype of the right one, filled by `_fill`.
_FILLED = """

def _filled(value):
    if isinstance(value, tuple):
        return tuple(_filled(part) for part in value)
    return _fill(value)


def _filled_function(function):
    return lambda *args, **kwargs: _filled(function(*args, **kwargs))


def _filled_module(kind):
    class Filled(nn.Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            self.inner = [kind(*args, **kwargs)]

        def forward(self, *args, **kwargs):
            return _filled(self.inner[0](*args, **kwargs))

    return Filled


for _name, _thing in list(globals().items()):
    if getattr(_thing, "__module__", None) == __name__ and not _name.startswith("_"):
        _as_filled = _filled_module if isinstance(_thing, type) else _filled_function
        globals()[_name] = _as_filled(_thing)
"""
_ZEROS = """

def _fill(value):
    return value * 0 if value.dtype != bool and "bool" not in str(value.dtype) else value & ~value
"""
# Seeded, so that this gate gives the same verdict every time.
_NOISE = """
from random import Random as _Random

_random = _Random(7)


def _fill(value):
    plain = value.detach() if hasattr(value, "detach") else value
    numbers = [_random.gauss(0, 1) for _ in range(plain.reshape(-1).shape[0])]
    noise = plain.reshape(-1) * 0 if "bool" not in str(plain.dtype) else plain.reshape(-1) & False
    for place, number in enumerate(numbers):
        noise[place] = number if "bool" not in str(plain.dtype) else number > 0
    return noise.reshape(plain.shape)
"""


def every_find_matches_once(exercise: Exercise, selection: Selection = None) -> Iterator[str]:
    """Every change of every bug applies to the solution as it is today."""
    for bug in bugs(exercise) if selection is None else selection:
        try:
            wrong_answer(exercise, bug)
        except CatalogueError as error:
            yield str(error)


def every_form_is_caught(exercise: Exercise, selection: Selection = None) -> Iterator[str]:
    """Each other form of a bug applies to the solution or a version, and fails the same claim."""
    claims = {claim.name: claim for claim in suite(exercise) if claim.device != "cuda"}
    for bug in bugs(exercise) if selection is None else selection:
        for number, form in enumerate(bug.forms[1:], start=1):
            texts = [text for text in applied(exercise, form) if bug.claim in claims]
            if not texts:
                yield f"{bug.slug}: number {number} of `also` fits neither solution nor version"
            for text in texts:
                attempt = Attempt(exercise, target_of(exercise, text))
                if find(claims[bug.claim], attempt).verdict.held:
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
        expected = min((bug.claim for bug in version.mistakes), key=order.index, default="")
        if first != expected:
            yield f"the version {version.slug} fails {first or 'nothing'} first, not {expected}"


def every_bug_has_its_texts(exercise: Exercise) -> Iterator[str]:
    """Each bug has all its texts, three hints, and a unique slug."""
    slugs = [bug.slug for bug in bugs(exercise)]
    yield from (f"{slug} is used twice" for slug in set(slugs) if slugs.count(slug) > 1)
    claims = {claim.name for claim in suite(exercise)}
    for bug in bugs(exercise):
        if bug.claim not in claims:
            yield f"{bug.slug} names {bug.claim}, which is not a claim of the suite"
        texts = [bug.title, bug.symptom, bug.why, bug.invisible_when, *bug.seen_in, *bug.hints]
        if not all(texts) or not bug.seen_in or len(bug.hints) != HINTS:
            yield f"{bug.slug}: a text is missing, or there are not three hints"
        if any(len(text) < SHORTEST for text in (*bug.seen_in, *bug.hints)):
            yield f"{bug.slug}: a list of texts has single letters in it"


def prices_are_read(exercise: Exercise) -> Iterator[str]:
    """Every trap of level 1 and every mistake that happened has a price."""
    for bug in bugs(exercise):
        if bug.price and bug.price not in PRICES:
            yield f"{bug.slug}: {bug.price} is no price, only {', '.join(PRICES)}"
        if (bug.level or bug.is_real) and not bug.price:
            yield f"{bug.slug} has no price"


def every_bug_is_caught(exercise: Exercise, selection: Selection = None) -> Iterator[str]:
    """Each bug fails the suite, and the first claim to fail is the one that it names."""
    for bug, observation in observe_near(exercise, selection):
        if selection is not None and bug not in selection:
            continue
        if not observation.first:
            yield f"{bug.slug} gets past the suite"
        elif observation.first != bug.claim:
            yield f"{bug.slug} names {bug.claim}, but fails {observation.first} first"


def every_claim_has_a_bug(exercise: Exercise) -> Iterator[str]:
    """Each claim is the first to fail for at least one bug, which proves that it can fail."""
    first = set(_first_failures(exercise))
    for name in dict.fromkeys(claim.name for claim in suite(exercise)):
        if name not in first:
            yield f"no bug fails {name} first"


def _first_failures(exercise: Exercise) -> Iterator[str]:
    """The claims that bugs fail first, as recorded, or else as they are judged now."""
    for bug in bugs(exercise):
        if record := record_of(exercise, bug, 0):
            yield next((claim.name for claim in suite(exercise) if claim.id in record.failing), "")
        else:
            yield from (observation.first for _, observation in observe_bugs(exercise, (bug,)))


def every_pair_is_told_apart(exercise: Exercise, selection: Selection = None) -> Iterator[str]:
    """The suite gets different results from any two bugs, unless they are listed as twins.

    Two that were compared before, and have not changed, are not compared again.
    """
    for (bug, mine), (other, theirs) in combinations(observe_near(exercise, selection), 2):
        if selection is not None and bug not in selection and other not in selection:
            continue
        are_twins = other.slug in bug.twins and bug.slug in other.twins
        alike = mine.looks_like(theirs)
        if alike and not are_twins:
            yield f"{bug.slug} and {other.slug} look the same to the suite"
        if are_twins and not alike:
            yield f"{bug.slug} and {other.slug} are listed as twins, but look different"
        if are_twins and not (bug.twins_because and other.twins_because):
            yield f"{bug.slug} and {other.slug}: twins without a reason"


def every_bug_is_named(exercise: Exercise, selection: Selection = None) -> Iterator[str]:
    """Each bug, submitted as an answer, is diagnosed as itself and nothing else."""
    suspects = suspects_of(exercise, selection)
    for bug, observation in observe_near(exercise, selection):
        yield from misnamed(exercise, bug, observation, suspects)


def suspects_of(exercise: Exercise, selection: Selection = None) -> Suspects:
    """Return every bug as a suspect: with what its suite saw, or as it is recorded."""
    suspects = {}
    for bug, observation in observe_near(exercise, selection):
        text, record = wrong_answer(exercise, bug), record_of(exercise, bug, 0)
        findings = observation.findings
        suspects[bug.slug] = Suspect(exercise, text, bug, findings=findings, record=record)
    return Suspects(exercise, suspects)


def misnamed(
    exercise: Exercise, bug: Bug, observation: Observation, suspects: Suspects
) -> Iterator[str]:
    """Complain if a bug is not diagnosed as itself, alone or together with its twins."""
    text = wrong_answer(exercise, bug)
    diagnosis = diagnose(exercise, observation.findings, suspects, text)
    slugs = {mistake.slug for mistake in diagnosis.mistakes} if diagnosis else set()
    if bug.slug not in slugs or slugs - {bug.slug, *bug.twins}:
        yield f"{bug.slug} is named {', '.join(sorted(slugs)) or 'nothing'}"


# -- how wrong answers fare, without judging again what their records say


@lru_cache(maxsize=1)
def observe_bugs(exercise: Exercise, selection: Selection = None) -> list[tuple[Bug, Observation]]:
    """Judge every bug that can be applied; another gate complains about the others."""
    pairs = []
    for bug in bugs(exercise) if selection is None else selection:
        with suppress(CatalogueError):
            pairs.append((bug, _observed(exercise, bug, wrong_answer(exercise, bug))))
    return pairs


def _observed(exercise: Exercise, bug: Bug, text: str) -> Observation:
    record, target = record_of(exercise, bug, 0), target_of(exercise, text)
    # What a claim sees of an answer with memory may depend on the claims before it.
    if not record or bug.remembers:
        return observe(exercise, target)
    attempt = Attempt(exercise, target)
    findings = {claim.id: _finding(claim, attempt, record) for claim in suite(exercise)}
    return Observation(exercise.slug, findings)


def _finding(claim: Claim, attempt: Attempt, record: Record) -> Finding:
    """Where the claim is recorded to hold: the verdict and the calls of the reference."""
    if not record.holds(claim.id):
        return find(claim, attempt)
    right = _right(attempt.exercise).findings[claim.id]
    return Finding(right.verdict, right.called, lambda: find(claim, attempt).sights)


@lru_cache(maxsize=1)
def _right(exercise: Exercise) -> Observation:
    return observe(exercise, reference())


def observe_near(exercise: Exercise, selection: Selection) -> list[tuple[Bug, Observation]]:
    """Judge these, and all that might be taken for one of them, in file order.

    Those are its twins, and the ones that fail exactly the same claims: if a claim holds for one
    and not for the other, their states differ, so that neither `looks_like` the other, and a search
    gives up the other before it compares anything else. Every form counts, as every form is a
    suspect. So the result for any two others is as it was.
    """
    return observe_bugs(exercise, None if selection is None else near(exercise, selection))


def near(exercise: Exercise, selection: tuple[Bug, ...]) -> tuple[Bug, ...]:
    """Return these, and all that might be taken for one of them, in file order."""
    failed = {claims for bug in selection for claims in _failed(exercise, bug)}
    slugs = {slug for bug in selection for slug in (bug.slug, *bug.twins)}
    twins = {bug.slug for bug in selection}
    return tuple(
        bug
        for bug in bugs(exercise) if selection
        and (bug.slug in slugs or twins & {*bug.twins} or failed & {*_failed(exercise, bug)})
    )  # fmt: skip


def _failed(exercise: Exercise, bug: Bug) -> list[frozenset[str]]:
    """The claims that its forms fail, as far as they are recorded."""
    records = (record_of(exercise, bug, form) for form in range(len(bug.forms)))
    return [record.failing for record in records if record]


def write_claims(exercise: Exercise) -> Iterator[str]:
    """Write into the catalogue which claims its bugs fail first; yield a line if any changed."""
    first = {
        bug.slug: observation.first or bug.claim for bug, observation in observe_bugs(exercise)
    }
    changed = [bug for bug in bugs(exercise) if first.get(bug.slug, bug.claim) != bug.claim]
    if changed:
        text = content(exercise).decode()
        exercise.bugs.write_text(with_claims(text, first), encoding="utf-8")
        yield f"{exercise.bugs.name}: {len(changed)} of {len(bugs(exercise))} have another claim"


def with_claims(text: str, first: Mapping[str, str]) -> str:
    """Return the text of a catalogue in which the entries name these claims."""
    head, *entries = ENTRY.split(text)
    return "".join([head, *(_with_claim(entry, first) for entry in entries)])


def _with_claim(entry: str, first: Mapping[str, str]) -> str:
    slug = SLUG.search(entry)
    claim = slug and first.get(slug[1])
    return CLAIM.sub(f'claim = "{claim}"', entry, count=1) if claim else entry


# -- answers that take no thought


def trivial_answers_earn_nothing(exercise: Exercise) -> Iterator[str]:
    """An answer that took no thought earns less than a tenth of the points."""
    suspects = Suspects(exercise)
    for name, text in trivial_answers(exercise).items():
        observation = observe(exercise, target_of(exercise, text))
        first, *further = diagnose_each(exercise, observation.findings, suspects, text) or (None,)
        verdict = replace(observation.verdict, diagnosis=first, further=tuple(further))
        if (earned := mark(verdict, 1).score) >= TRIVIAL_SHARE:
            held = ", ".join(claim.name for claim in verdict.judged if claim.held)
            yield f"the trivial answer “{name}” earns {earned:.2f} of the points, by {held}"


def trivial_answers(exercise: Exercise) -> dict[str, str]:
    """Return the texts of trivial answers, by what it returns."""
    text = read(exercise.solution).text
    return {
        "return None": _returning(text, first=False),
        "return the first argument": _returning(text, first=True),
        "zeros of the right shape": text + _ZEROS + _FILLED,
        "noise of the right shape": text + _NOISE + _FILLED,
    }


def _returning(text: str, *, first: bool) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = ast.parse(_body(node, first=first)).body
    return ast.unparse(tree)


def _body(function: ast.FunctionDef, *, first: bool) -> str:
    if function.name == "__init__":
        return "super().__init__()"
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    return f"return {names[0]}" if first and names else "return None"
