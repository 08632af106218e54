"""The words for a verdict, the same in every format: to its author, and to an instructor.

Called by every report, and by `adjusted` for numbers. Nothing in the part for the author may tell
of flags or other students. Texts hold what students wrote, and not all are clean: formats make them
safe for their readers.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import exercises
from kata.marks import Adjustment, Mark, Outcome, Proved, ProvedTest
from kata.terminal.message import ALONE, headline, message
from kata.terminal.style import Style
from kata.text import clean, line
from kata.verdict import FINE, MOST_SHOWN, ClaimVerdict, ExerciseVerdict, Fit, Message, State

PLAIN = Style(width=100)
BROKEN = {State.ERROR, State.TIMED_OUT, State.TAMPERED, State.NOT_GRADABLE}  # no result
UNTRIED = {State.NOT_STARTED, State.BLOCKED, State.SKIPPED}  # perhaps not wrong
UNCOUNTED = {Outcome.RANDOM, Outcome.SLOW, Outcome.BROKEN}
DIGITS = 2  # of points, as pages and tables show them
EITHER_OR = " / "  # between indistinguishable mistakes
TAMPERING = "the code tried what no exercise asks for"
HANDED_IN = "what was handed in"
CUT = " … (there was more)"


def number(value: float, digits: int = 4) -> str:
    """Write a number as people do: 2 and 2.5, with at most so many digits after the point."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def points(count: str) -> str:
    """Write points in words: `1 point`, `2 points`."""
    return f"{count} point" if count == "1" else f"{count} points"


def exercise_title(exercise: ExerciseVerdict) -> str:
    """Return the title as people call it: `ex05 Masks`."""
    course_exercise = exercises()[exercise.slug]
    return f"{course_exercise.short} {course_exercise.title}"


def exercise_number(exercise: ExerciseVerdict) -> int:
    """Return the place of an exercise in the course."""
    return int(exercises()[exercise.slug].short.removeprefix("ex"))


# To the author: nothing about flags or other students.


def exercise_text(exercise: ExerciseVerdict) -> str:
    """Write all that its author reads of an exercise."""
    if exercise.is_whole:
        briefs = (author_message(claim).brief for claim in exercise.claims)
        return "\n".join(filter(None, briefs))
    lines = [f"{exercise.held} of {len(exercise.judged)} claims hold"]
    lines += [*stand_ins(exercise), *exercise.left_over]
    for claim, diagnosis in exercise.failures:
        content = author_message(claim)
        lines += ["", (content.brief and message(content, PLAIN, diagnosis)) or _unwritten(claim)]
    if rest := unexplained_count(exercise):
        lines.append(f"claims that fail for another reason: {rest}")
    if output := author_output(exercise):
        lines += ["", "printed:", output]
    return "\n".join(lines)


def claim_texts(exercise: ExerciseVerdict) -> dict[str, str]:
    """Write all that its author reads of the claims that do not hold, by their names."""
    causes_of = causes(exercise)
    return {claim.name: _claim_text(claim, causes_of.get(claim.name, []))
            for claim in exercise.claims if not claim.held}  # fmt: skip


def _claim_text(claim: ClaimVerdict, causes: list[str]) -> str:
    content = author_message(claim)
    texts = dict.fromkeys(filter(None, [content.brief, evidence(content), *causes]))
    return "\n".join(texts) or _unwritten(claim)


def _unwritten(claim: ClaimVerdict) -> str:
    return f"not written yet: {claim.in_words}"


def author_message(claim: ClaimVerdict) -> Message:
    """Return what its author may read of a claim: of tampering only that there was some."""
    content = claim.message or Message("")
    if claim.state is not State.TAMPERED:
        return content
    return Message(content.claim, evidence=TAMPERING, line=content.line)


def author_output(exercise: ExerciseVerdict) -> str:
    """Return what the code printed, unless it tampered and may print what it was not to see."""
    return "" if exercise.has_tampering else exercise.printed


def evidence(content: Message) -> str:
    """Return the inputs, the result, and the author's own lines if they raised."""
    texts = [content.inputs, content.rest, content.compared, content.remark, content.cause]
    return "\n".join(filter(None, [*texts, *content.frames]))


def stand_ins(exercise: ExerciseVerdict) -> list[str]:
    """Say for which earlier exercises the reference was used, and why if they pass."""
    texts = [f"the reference stood in for {slug}" for slug in exercise.stand_ins]
    return texts + [
        f"{slug} passes, but more claims hold here on top of the reference, so that counts"
        for slug in exercise.set_aside
    ]


def unexplained_count(exercise: ExerciseVerdict) -> int:
    """Count the claims that fail by none of the reported mistakes; 0 if none is reported."""
    diagnoses = exercise.diagnoses[:MOST_SHOWN]
    explained = {name for diagnosis in diagnoses for name in diagnosis.explains}
    wrong = [claim for claim in exercise.judged if claim.state not in FINE]
    return sum(claim.name not in explained for claim in wrong) if explained else 0


def causes(exercise: ExerciseVerdict) -> dict[str, list[str]]:
    """Return the diagnosed mistakes, in words, by the claim at which the report has them."""
    texts: dict[str, list[str]] = {}
    for claim, diagnosis in exercise.failures:
        if diagnosis:
            mistakes = () if diagnosis.fit in ALONE else diagnosis.mistakes
            titles = [mistake.title for mistake in mistakes]
            texts.setdefault(claim.name, []).extend([headline(diagnosis), *titles])
    return texts


def charges(exercise: ExerciseVerdict, mark: Mark) -> Iterator[str]:
    """Say what the diagnosed mistakes have cost, and other claims."""
    titles = {mistake.slug: mistake.title for mistake in exercise.mistakes}
    named = [charge for charge in mark.charges if charge.mistakes]
    for charge in named:
        title = EITHER_OR.join(titles[slug] for slug in charge.mistakes if slug in titles)
        yield f"{clean(title)}: −{number(charge.points, DIGITS)}"
    rest = sum(charge.points for charge in mark.charges if not charge.mistakes)
    if named and rest:
        yield f"other claims: −{number(rest, DIGITS)}"


def proof_title(proof: Proved) -> str:
    """Return the title of a proof."""
    exercise = exercises()[proof.slug]
    return f"proof of {exercise.short}, {exercise.title}"


def proof_lines(proof: Proved) -> Iterator[str]:
    """Say what a proof is worth: right answers that it refuses come first. No trap is named."""
    if proof.problem:
        yield f"the proof could not be judged: {clean(proof.problem)}"
        return
    yield from map(_refusal, proof.refusing)
    for test in proof.tests:
        if test.outcome in UNCOUNTED:
            yield f"{clean(test.name)} counts for nothing: {clean(test.error)}"
    loss = ", which count for nothing while a right answer is refused" if proof.refusing else ""
    yield f"the tests catch {len(proof.caught)} of {len(proof.traps)} traps{loss}"


def _refusal(test: ProvedTest) -> str:
    reason = f". The contract says: {clean(test.because)}" if test.because else ""
    return (f"{clean(test.name)}, line {test.at}, refuses a right answer, {clean(test.answer)}: "
            f"{clean(test.error)}{reason}")  # fmt: skip


# To an instructor.


@dataclass(frozen=True)
class Remark:
    """A text, and the exercises that it is about: `ex05, ex06`."""

    places: str
    text: str

    def __str__(self) -> str:
        return f"{self.places}: {self.text}"


def _remarks(
    verdict: SubmissionVerdict, texts: Callable[[ExerciseVerdict], Iterable[str]]
) -> list[Remark]:
    """Collect texts without repetitions, with all their exercises."""
    places: dict[str, list[str]] = {}
    for exercise in verdict.exercises:
        for text in dict.fromkeys(filter(None, texts(exercise))):
            places.setdefault(text, []).append(exercises()[exercise.slug].short)
    return [Remark(", ".join(shorts), text) for text, shorts in places.items()]


def mistakes(verdict: SubmissionVerdict) -> list[Remark]:
    """Return the diagnosed mistakes, with the exercises in which they were recognised."""
    return _remarks(verdict, _mistake_titles)


def _mistake_titles(exercise: ExerciseVerdict) -> Iterator[str]:
    """Yield the diagnosed mistakes without repetitions, the dearest first."""
    slugs: set[str] = set()
    for diagnosis in exercise.diagnoses:
        new = [mistake for mistake in diagnosis.mistakes if mistake.slug not in slugs]
        joint = " + " if diagnosis.fit is Fit.BOTH else EITHER_OR
        yield joint.join(mistake.title for mistake in new)
        slugs |= {mistake.slug for mistake in new}


def tampering(verdict: SubmissionVerdict) -> list[Remark]:
    """Return the attempts of the code at what no exercise asks for."""
    return _remarks(verdict, attempts)


def attempts(exercise: ExerciseVerdict) -> tuple[str, ...]:
    """Return what the code tried in one exercise; if nothing was seen, what gave it away."""
    if exercise.tampering:
        return tuple(f"tried {clean(attempt)}" for attempt in exercise.tampering)
    forged = (claim for claim in exercise.claims if claim.state is State.TAMPERED)
    signs = (claim.message.evidence for claim in forged if claim.message)
    return tuple(dict.fromkeys(filter(None, signs)))


def left_over(verdict: SubmissionVerdict) -> list[Remark]:
    """Return what was left in the code by accident, which its author reads as well."""
    return _remarks(verdict, lambda exercise: exercise.left_over)


def flags(verdict: SubmissionVerdict) -> list[Remark]:
    """Return the flags that an instructor may want to look at."""
    return _remarks(verdict, lambda exercise: exercise.flags)


def all_remarks(verdict: SubmissionVerdict) -> list[Remark]:
    """Return all that an instructor may want to look at, the gravest first."""
    return [*tampering(verdict), *left_over(verdict), *flags(verdict)]


def notes(verdict: SubmissionVerdict) -> list[str]:
    """Say why work could not be graded, what was noticed in it, and which files are broken."""
    return [*reading_notes(verdict), *changes(verdict, reasons=True), *broken_files(verdict)]


def reading_notes(verdict: SubmissionVerdict) -> list[str]:
    """Return the notes about the submission as a whole, which its author may read as well."""
    return [*filter(None, [verdict.problem]), *verdict.notes]


def changes(verdict: SubmissionVerdict, *, reasons: bool = False) -> list[str]:
    """Describe changes of marks and comments; the reasons are for instructors alone."""
    texts = (_change(adjustment, reasons=reasons) for adjustment in verdict.adjustments)
    return [*filter(None, texts)]


def _change(adjustment: Adjustment, *, reasons: bool) -> str:
    texts = []
    if adjustment.cause:
        before, after = number(adjustment.before, DIGITS), number(adjustment.after, DIGITS)
        texts.append(f"from {before} to {after} points, {clean(adjustment.cause)}")
    if adjustment.comment:
        texts.append(f"comment: {clean(adjustment.comment)}")
    if adjustment.reason and reasons:
        texts.append(f"reason: {clean(adjustment.reason)}")
    text = "; ".join(texts)
    place = exercises()[adjustment.slug].short if adjustment.slug else "score"
    return f"{place}: {text}" if text and (adjustment.slug or adjustment.cause) else text


def unread_files(verdict: SubmissionVerdict) -> Iterator[str]:
    """Say why files of exercises were not read."""
    for claim in _on_files(verdict):
        if claim.state is State.NOT_GRADABLE and claim.message:
            yield line(claim.message.claim)


def broken_files(verdict: SubmissionVerdict) -> Iterator[str]:
    """Say why files could not be judged at all."""
    for claim in _on_files(verdict):
        if claim.state is State.ERROR and claim.name == State.ERROR and claim.message:
            reason, _, code = claim.message.claim.partition("\n")
            yield line(f"{reason} in `{code.strip()}`" if code else reason)


def _on_files(verdict: SubmissionVerdict) -> Iterator[ClaimVerdict]:
    """Yield the verdicts on whole files, in the place of their claims."""
    for exercise in verdict.exercises:
        if exercise.is_whole and exercise.claims:
            yield exercise.claims[0]
