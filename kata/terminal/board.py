"""The board below a run: what is done, in progress, not started; what comes next."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from kata.course import curriculum, suite_code
from kata.course.curriculum import Exercise
from kata.course.suite_code import Group
from kata.terminal.style import Style
from kata.text import clean
from kata.verdict import ExerciseVerdict, State

# Shown instead of a count.
WHOLE = {
    State.NOT_STARTED: "not started",
    State.ERROR: "cannot be judged yet",
    State.TIMED_OUT: "ran out of time",
    State.NOT_GRADABLE: "not read",
}
# Counted beside it.
PARTS = {
    State.NOT_STARTED: "not written yet",
    State.TIMED_OUT: "out of time",
    State.BLOCKED: "blocked",
}
BESIDE = (Group.FINE_PRINT, Group.REFUSALS)
GROUPS = {"encoder": "from softmax to an encoder", "decoder": "on to a model that writes"}
CORE_DONE = (
    "Everything from softmax to the encoder layer holds: `kata run sequences` trains a model made "
    "of it. The others go deeper, one piece at a time, and `--track decoder` leads on to a model "
    "that writes."
)
ALL_DONE = (
    "The whole course holds, from softmax to a model that writes: `kata run text` trains one of "
    "your own parts. `kata solution ex09` shows the reference next to your own."
)
COLOURS = {State.PASSED: "green", State.NOT_STARTED: "dim", State.SKIPPED: "yellow"}


@dataclass(frozen=True)
class Outlook:
    """What comes next in a folder, and how many exercises are done of how many."""

    next: ExerciseVerdict | None = None
    core: tuple[int, int] = (0, 0)
    course: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Origin:
    """Where the work on an exercise is, if not in its file alone.

    Attributes:
        name: of the file or notebook that counts.
        older: of the other one; empty if there is none.
        in_cells: whether it is a notebook.
    """

    name: str
    older: str = ""
    in_cells: bool = False


NO_ORIGINS: Mapping[str, Origin] = MappingProxyType({})


def board(
    verdicts: Iterable[ExerciseVerdict],
    exercises: Mapping[str, Exercise],
    folder: Path,
    style: Style,
    outlook: Outlook | None = None,
    origins: Mapping[str, Origin] = NO_ORIGINS,
    proofs: Iterable[tuple[Exercise, str]] = (),
) -> list[str]:
    """A line for each exercise, a note where the reference stood in, and the next step.

    Where an exercise is in a notebook and in a file, it says which one counts.
    """
    exercise_verdicts = list(verdicts)
    left = next((verdict for verdict in exercise_verdicts if not verdict.done), None)
    outlook = outlook or Outlook(left)
    width = max((len(verdict.slug) for verdict in exercise_verdicts), default=0)
    lines = [*_rows(exercise_verdicts, exercises, width, style)]
    lines += [
        line
        for verdict in exercise_verdicts
        if verdict.stand_ins
        for line in style.wrap(stood_in(verdict), 4)
    ]
    lines += [line for origin in origins.values() if origin.older for line in _newer(origin, style)]
    lines += _tests(proofs, style)
    done = [] if left else style.wrap("every claim that was run holds")
    return [*lines, "", *done, *closing(outlook, exercises, folder, style, origins)]


def _rows(
    verdicts: Sequence[ExerciseVerdict], exercises: Mapping[str, Exercise], width: int, style: Style
) -> Iterator[str]:
    """A line for each exercise, below the name of its group if there are several."""
    groups = [exercises[exercise_verdict.slug].group for exercise_verdict in verdicts]
    for before, group, verdict in zip([None, *groups], groups, verdicts, strict=False):
        if group != before and len(set(groups)) > 1:
            yield style.paint(GROUPS.get(group, "further"), "dim")
        yield _row(verdict, exercises[verdict.slug], width, style)


def _row(verdict: ExerciseVerdict, exercise: Exercise, width: int, style: Style) -> str:
    state = State.SKIPPED if verdict.in_work else verdict.state
    mark = style.paint(style.marks.get(state, style.marks[State.FAILED]), COLOURS.get(state, "red"))
    star = style.star if exercise.core else " "
    long, short = standing(verdict), f"{verdict.held}/{len(verdict.judged)}"
    short = short if verdict.claims else "changed since"
    fits = 2 + 2 + width + 4 + len(long) <= style.width or verdict.state in WHOLE
    return f"  {mark} {verdict.slug:<{width}} {star}  {long if fits else short}"


def standing(verdict: ExerciseVerdict) -> str:
    """The status of an exercise, in a few words."""
    if verdict.state in WHOLE:
        return WHOLE[verdict.state]
    if not verdict.claims:
        return "changed since it was last judged"
    held = f"{verdict.held} of {len(verdict.judged)} claims"
    parts = [f"the idea holds, {held}" if _has_the_idea(verdict) else f"{held} hold"]
    parts += [
        f"{verdict.count(state)} {name}" for state, name in PARTS.items() if verdict.count(state)
    ]
    if verdict.not_run:
        parts.append(f"{verdict.not_run} not run")
    return ", ".join(parts)


def _has_the_idea(verdict: ExerciseVerdict) -> bool:
    """Whether nothing but fine print and refusals is open."""
    if verdict.not_run or verdict.held == len(verdict.judged):
        return False
    groups = suite_code.groups(curriculum.exercises()[verdict.slug])
    return all(
        claim_verdict.held or groups.get(claim_verdict.plain_name) in BESIDE
        for claim_verdict in verdict.judged
    )


def _tests(proofs: Iterable[tuple[Exercise, str]], style: Style) -> list[str]:
    """How the learner's own tests stand, in a sentence."""
    summary = ", ".join(f"{exercise.short} {standing}" for exercise, standing in proofs)
    return ["", *style.wrap(f"your own tests: {summary}", 4)] if summary else []


def stood_in(verdict: ExerciseVerdict) -> str:
    """The sentence that says where the reference took part in what was judged."""
    return f"{verdict.slug} was judged with the reference of {', '.join(verdict.stand_ins)}"


def _newer(origin: Origin, style: Style) -> list[str]:
    return style.wrap(f"{origin.name} counts: it was saved after {origin.older}", 4)


def closing(
    outlook: Outlook,
    exercises: Mapping[str, Exercise],
    folder: Path,
    style: Style,
    origins: Mapping[str, Origin] = NO_ORIGINS,
) -> list[str]:
    """The closing lines: how much is done, and what to do now."""
    lines = _progress(outlook, style)
    if outlook.next is not None:
        place = _place(outlook.next, exercises[outlook.next.slug], origins)
        lines += _next_step(outlook.next, folder / place, style)
    return lines


def _place(first: ExerciseVerdict, exercise: Exercise, origins: Mapping[str, Origin]) -> str:
    """The file and the line to look at; a notebook has no lines of its own."""
    origin = origins.get(first.slug)
    if origin and origin.in_cells and not first.file:
        return origin.name
    return f"{first.file or exercise.filename}:{first.line}"


def _progress(outlook: Outlook, style: Style) -> list[str]:
    """The count; a sentence once it is the core or the whole course, and nothing else is begun."""
    (core, cores), (done, course) = outlook.core, outlook.course
    if not done:
        return []
    counts = f"{core} of {cores} core, {done} of {course}"
    if done == course:
        return style.wrap(f"Congratulations: {counts}! {ALL_DONE}")
    if core < cores or (outlook.next and outlook.next.state is not State.NOT_STARTED):
        return style.wrap(f"done: {counts}")
    return style.wrap(f"Well done: {counts}! {CORE_DONE}")


def _next_step(first: ExerciseVerdict, place: Path, style: Style) -> list[str]:
    line = clean(f"next: {first.slug}  {place}")
    lines = [line] if len(line) <= style.width else style.wrap(line)
    lines = [style.paint(step, "bold") for step in lines]
    claim = first.first_failure if first.state is not State.NOT_STARTED else None
    brief = claim.message.brief.splitlines() if claim and claim.message else []
    return lines + [line for sentence in brief[:1] for line in style.wrap(sentence, 6)]
