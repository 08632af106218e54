"""A class with very odd names and all possible verdicts, made without grading anything.

Exercises, claims and mistakes are the real ones. All texts of a student contain a mark, `mark_of`,
that no other student's texts contain: if it is anywhere else, something has leaked.
"""

import ast
from collections.abc import Callable, Sequence
from functools import cache
from inspect import cleandoc
from math import inf, nan

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.course.target import whole
from kata.marks import Charge, Mark
from kata.verdict import (
    ClaimVerdict,
    Diagnosis,
    ExerciseVerdict,
    Fit,
    Message,
    Mistake,
    Picture,
    State,
)

SEED = 20260301
NAMES = (
    "Doe, Jane", 'Bob "the Builder" O\'Neil', "two\nlines", "王小明 🎉", "שרה כהן", "\u202egnp.exe",
    "z" * 200, "<script>alert('x')</script>", "=1+1", "+49 89 1234", "-1", "@SUM(A1:A9)", "\ttab",
    " leading and trailing ", "caf\udce9", "\udce9", "CON", "nul.txt", "../x", "..", "a/b\\c:d",
    "]]> &amp; <!-- -->", "null\0byte", "\x1b[31mred\x1b[0m", "{name} %s {0}", ".hidden", "101",
    "tr\r\nCRLF", "ends with a dot.", "`code` *md* [link](javascript:1)", "a;b|c", "\ufeffbom",
    "e\u0301 decomposed", "\x0b\x0c\x85\u2028", "☃" * 60, "'quoted'", "café", "#1", "name\ufffe",
)  # fmt: skip
PLAIN = "Student {place:04}"
LATE = "handed in late"
FOUND = "root:x:0:0"  # a secret that tampering has found, which no student may be shown


def odd_class(count: int = 200, slugs: Sequence[str] = ()) -> ClassVerdict:
    """A class of this size; everyone has all exercises, or these."""
    chosen = tuple(slugs or exercises())
    points = {slug: float(exercises()[slug].points) for slug in chosen}
    return ClassVerdict(lambda: iter(_everybody(count, chosen)), points, SEED)


@cache
def _everybody(count: int, slugs: tuple[str, ...]) -> list[SubmissionVerdict]:
    points = {slug: float(exercises()[slug].points) for slug in slugs}
    return [_submission(place, name, points) for place, name in enumerate(names(count))]


def names(count: int = 200) -> list[str]:
    """The students' names, in the order of the class; the position decides about the work."""
    plain = (PLAIN.format(place=place) for place in range(len(NAMES), count))
    return sorted([*NAMES, *plain][:count])


def mark_of(student: str) -> str:
    """The mark in all texts of this student, and in no other's."""
    return f"mark-of-{student.encode('utf-8', 'surrogatepass').hex()[:24]}-{len(student)}."


def _submission(place: int, student: str, points: dict[str, float]) -> SubmissionVerdict:
    number = f"9{place:05}" if place % 3 == 0 else ""
    if place % 17 == 5:
        problem = f"the archive is damaged: {mark_of(student)} \x1b[31m<b>=1+1</b>"
        return SubmissionVerdict(student, problem=problem, id=number)
    found = tuple(_exercise(place, step, student, slug) for step, slug in enumerate(points))
    marks = tuple(_mark(each, points[each.slug]) for each in found)
    notes = (LATE, f"not read: {mark_of(student)}") if place % 7 == 3 else ()
    return SubmissionVerdict(student, found, marks, notes, id=number)


def _exercise(place: int, step: int, student: str, slug: str) -> ExerciseVerdict:
    if place % 10 == 0:
        return passed(slug, student)
    if place % 10 == 1:
        return not_handed_in(slug, student)
    if place % 10 == 7:
        return (forged if place % 20 == 17 else tampered)(slug, student)
    turn = place + place // 10 + step  # all kinds occur, even in a class with few exercises
    return KINDS[turn % len(KINDS)](slug, student)


def _mark(verdict: ExerciseVerdict, most: float) -> Mark:
    score = round(most * verdict.held / len(_claims(verdict.slug)), 4)
    slugs = tuple(each.slug for each in verdict.mistakes)
    return Mark(score, most, (Charge(slugs, round(most - score, 4)),) if score < most else ())


@cache
def _claims(slug: str) -> tuple[tuple[str, str], ...]:
    """The name and the sentence of every claim, read from the suite without running it."""
    tree = ast.parse(exercises()[slug].suite.read_text(encoding="utf-8"))
    own = (each for each in tree.body if isinstance(each, ast.FunctionDef))
    return tuple(
        (each.name, " ".join(cleandoc(ast.get_docstring(each) or "").split("\n\n")[0].split()))
        for each in own
        if each.name.startswith("test_")
    )


def passed(slug: str, _: str = "") -> ExerciseVerdict:
    """All claims hold."""
    return ExerciseVerdict(slug, _held(slug))


@cache
def _held(slug: str) -> tuple[ClaimVerdict, ...]:
    return tuple(ClaimVerdict(name, State.PASSED, seconds=0.002) for name, _ in _claims(slug))


def not_handed_in(slug: str, _: str = "") -> ExerciseVerdict:
    """There is no file."""
    return ExerciseVerdict(slug, (whole(State.NOT_STARTED, Message("not handed in")),))


def not_started(slug: str, _: str = "") -> ExerciseVerdict:
    """The unchanged stub."""
    return ExerciseVerdict(slug, (whole(State.NOT_STARTED, Message("not started", line=21)),))


def not_python(slug: str, student: str) -> ExerciseVerdict:
    """The file cannot be read."""
    text = f"{slug}.py is not Python: invalid syntax in line 3: {mark_of(student)} <i>\x00"
    return ExerciseVerdict(slug, (whole(State.ERROR, Message(text, line=3)),))


def diagnosed(slug: str, student: str) -> ExerciseVerdict:
    """Every third claim fails because of a known mistake; the code prints in colours."""
    picture = Picture(
        [[1.0, 0.0], [0.5, 0.5]],
        [[1.0, -0.25], [nan, inf]],
        [[False, True], [True, True]],
        "[0, 1]",
        row=4,
    )
    printed = f"\x1b[31mred\x1b[0m \x08{mark_of(student)}\n]]><script>alert(1)</script>\x00\ufffe"
    named = Diagnosis(Fit.ONE, (_mistake(slug, len(student)),), 7)
    return _failed(slug, student, State.FAILED, picture, diagnosis=named, printed=printed)


def unexplained(slug: str, student: str) -> ExerciseVerdict:
    """Claims fail for unknown reasons; the reference was used for ex01, and the work is flagged."""
    flags = (f"98 % the same steps as {mark_of(student)}", "=HYPERLINK(1) does what is asked for")
    return _failed(slug, student, State.FAILED, stand_ins=tuple(exercises())[:1], flags=flags)


def twice_wrong(slug: str, student: str) -> ExerciseVerdict:
    """Two mistakes at once."""
    both = _mistake(slug, 1), _mistake(slug, 2)
    return _failed(slug, student, State.FAILED, diagnosis=Diagnosis(Fit.BOTH, both, 3))


def crashed(slug: str, student: str) -> ExerciseVerdict:
    """The code raises."""
    return _failed(slug, student, State.ERROR)


def slow(slug: str, student: str) -> ExerciseVerdict:
    """The code runs out of time."""
    return _failed(slug, student, State.TIMED_OUT, every=1)


def blocked(slug: str, student: str) -> ExerciseVerdict:
    """Some claims are blocked: what they need ran out of time in an earlier claim."""
    return _failed(slug, student, State.BLOCKED)


def tampered(slug: str, student: str) -> ExerciseVerdict:
    """The code tried something that no exercise asks for."""
    tried = (f"os.system(b'{mark_of(student)}')", "open('\x1b]0;title\x07')")
    return _failed(slug, student, State.TAMPERED, every=1, tampering=tried, printed=FOUND)


def forged(slug: str, student: str) -> ExerciseVerdict:
    """The process of the code sent an invalid reply, and nothing else was noticed."""
    return _failed(slug, student, State.TAMPERED, printed=FOUND)


def half_written(slug: str, _: str = "") -> ExerciseVerdict:
    """Half is written, and right; one claim needs a GPU."""
    middle = len(_claims(slug)) // 2
    claims = [
        ClaimVerdict(name, State.PASSED if place < middle else State.NOT_STARTED, seconds=0.001)
        for place, (name, _) in enumerate(_claims(slug))
    ]
    skipped = ClaimVerdict("test_on_a_gpu[cuda]", State.SKIPPED, device="cuda")
    return ExerciseVerdict(slug, (*claims, skipped))


KINDS: tuple[Callable[[str, str], ExerciseVerdict], ...] = (
    passed, diagnosed, not_started, unexplained, not_python, twice_wrong, crashed, slow, blocked,
    half_written,
)  # fmt: skip


def _failed(
    slug: str,
    student: str,
    state: State,
    picture: Picture | None = None,
    *,
    every: int = 3,
    diagnosis: Diagnosis | None = None,
    printed: str = "",
    tampering: tuple[str, ...] = (),
    stand_ins: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
) -> ExerciseVerdict:
    """Every third claim ends in this state, or as many as `every` says."""
    claims = (
        _wrong(name, sentence, student, state, picture)
        if place % every == every - 1
        else ClaimVerdict(name, State.PASSED, seconds=0.002)
        for place, (name, sentence) in enumerate(_claims(slug))
    )
    return ExerciseVerdict(
        slug,
        tuple(claims),
        stand_ins,
        diagnosis=diagnosis,
        printed=printed,
        tampering=tampering,
        flags=flags,
    )


def _wrong(
    name: str, sentence: str, student: str, state: State, picture: Picture | None
) -> ClaimVerdict:
    evidence = f"2 of 4 values differ; expected 0.5, got {mark_of(student)} \x1b[1m<b>\x07"
    if state is State.TAMPERED:
        evidence = f"the process sent an invalid reply (b'{FOUND} {mark_of(student)}')"
    frames = ['File "ex.py", line 9, in softmax\n    return "]]>" + 1']
    message = Message(
        sentence,
        "softmax(scores (2, 2) float32)  seed 7",
        evidence,
        "",
        picture,
        frames if state is State.ERROR else [],
        line=9,
    )
    return ClaimVerdict(name, state, message, 10.0 if state is State.TIMED_OUT else 0.004)


def _mistake(slug: str, place: int) -> Mistake:
    found = bugs(exercises()[slug])
    bug = found[place % len(found)]
    return Mistake(bug.slug, bug.title, bug.symptom, bug.why, bug.hints)
