"""The board below a run: what is done, in progress, not started; what comes next.

`kata watch` shows one line of it for the exercise that was saved.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kata.course import curriculum, suite_code
from kata.course.curriculum import Exercise
from kata.course.suite_code import Group
from kata.terminal.style import Style
from kata.text import clean
from kata.verdict import ExerciseVerdict, State

# Instead of a count.
WHOLE = {
    State.NOT_STARTED: "not started",
    State.ERROR: "cannot be judged yet",
    State.TIMED_OUT: "ran out of time",
    State.NOT_GRADABLE: "not read",
}
# Counted beside the claims that hold.
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


class Outlook(NamedTuple):
    """The exercise that comes next in a folder, and how many exercises are done of how many."""

    next: ExerciseVerdict | None = None
    core: tuple[int, int] = (0, 0)
    course: tuple[int, int] = (0, 0)


class Origin(NamedTuple):
    """The place of the work on an exercise, if that is not its file alone.

    Attributes:
        name: the name of the file or notebook that counts.
        older: the name of the other one; empty if there is none.
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
    """Return a line for every exercise, a note where the reference stood in, and the next step.

    Where an exercise is in a notebook and in a file, a note says which one counts.
    """
    verdicts = list(verdicts)
    left = next((verdict for verdict in verdicts if not verdict.done), None)
    outlook = outlook or Outlook(left)
    lines = [*_rows(verdicts, exercises, style)]
    notes = [stood_in(verdict) for verdict in verdicts if verdict.stand_ins]
    notes += [
        f"{origin.name} counts: it was saved after {origin.older}"
        for origin in origins.values()
        if origin.older
    ]
    lines += [line for note in notes for line in style.wrap(note, 4)]
    lines += _tests(proofs, style)
    done = [] if left else style.wrap("every claim that was run holds")
    return [*lines, "", *done, *closing(outlook, exercises, folder, style, origins)]


def _rows(
    verdicts: Sequence[ExerciseVerdict], exercises: Mapping[str, Exercise], style: Style
) -> Iterator[str]:
    """Yield a line for every exercise, below the name of its group if there are several."""
    width = max((len(verdict.slug) for verdict in verdicts), default=0)
    groups = [exercises[verdict.slug].group for verdict in verdicts]
    for before, group, verdict in zip([None, *groups], groups, verdicts, strict=False):
        if group != before and len(set(groups)) > 1:
            yield style.paint(GROUPS.get(group, "further"), "dim")
        yield _row(verdict, exercises[verdict.slug], width, style)


def _row(verdict: ExerciseVerdict, exercise: Exercise, width: int, style: Style) -> str:
    mark = style.paint(_mark(verdict, style), COLOURS.get(_state(verdict), "red"))
    star = style.star if exercise.core else " "
    long, short = standing(verdict), f"{verdict.held}/{len(verdict.judged)}"
    short = short if verdict.claims else "changed since"
    fits = 2 + 2 + width + 4 + len(long) <= style.width or verdict.state in WHOLE
    return f"  {mark} {verdict.slug:<{width}} {star}  {long if fits else short}"


def _mark(verdict: ExerciseVerdict, style: Style) -> str:
    return style.marks.get(_state(verdict), style.marks[State.FAILED])


def _state(verdict: ExerciseVerdict) -> State:
    return State.SKIPPED if verdict.in_work else verdict.state


def standing(verdict: ExerciseVerdict) -> str:
    """Return the status of an exercise, in a few words."""
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
    """Return whether nothing but fine print and refusals is open."""
    if verdict.not_run or verdict.held == len(verdict.judged):
        return False
    groups = suite_code.groups(curriculum.exercises()[verdict.slug])
    return all(claim.held or groups.get(claim.plain_name) in BESIDE for claim in verdict.judged)


def _tests(proofs: Iterable[tuple[Exercise, str]], style: Style) -> list[str]:
    summary = ", ".join(f"{exercise.short} {standing}" for exercise, standing in proofs)
    return ["", *style.wrap(f"your own tests: {summary}", 4)] if summary else []


def stood_in(verdict: ExerciseVerdict) -> str:
    """Return the sentence that says where the reference took part in what was judged."""
    return f"{verdict.slug} was judged with the reference of {', '.join(verdict.stand_ins)}"


def closing(
    outlook: Outlook,
    exercises: Mapping[str, Exercise],
    folder: Path,
    style: Style,
    origins: Mapping[str, Origin] = NO_ORIGINS,
) -> list[str]:
    """Return the closing lines: how much is done, and what to do now."""
    lines = _progress(outlook, style)
    if outlook.next is not None:
        place = _place(outlook.next, exercises[outlook.next.slug], origins)
        lines += _next_step(outlook.next, folder / place, style)
    return lines


def _place(first: ExerciseVerdict, exercise: Exercise, origins: Mapping[str, Origin]) -> str:
    """Return the file and the line to look at; a notebook has no lines of its own."""
    origin = origins.get(first.slug)
    if origin and origin.in_cells and not first.file:
        return origin.name
    return f"{first.file or exercise.filename}:{first.line}"


def _progress(outlook: Outlook, style: Style) -> list[str]:
    """Count what is done; praise once it is the core or the course, and nothing else is begun."""
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


def status_line(verdict: ExerciseVerdict, seconds: float, style: Style) -> str:
    """Return the status, with the time of day and how long judging took where there is room."""
    headlines = list(_headlines(verdict, seconds, style))
    fitting = (headline for headline in headlines if len(headline) <= style.width)
    return style.paint(next(fitting, headlines[-1]), "bold", _colour(verdict))


def _headlines(verdict: ExerciseVerdict, seconds: float, style: Style) -> Iterator[str]:
    """Yield the headlines to choose from, the longest first."""
    status, now = standing(verdict), time.strftime("%H:%M:%S")
    for words in (status, status.split(",")[0]):
        head = f"{_mark(verdict, style)} {verdict.slug}: {words}"
        yield f"{now}  {head}  ({seconds:.2f} s)"
        yield head


def _colour(verdict: ExerciseVerdict) -> str:
    # A function that is not written yet is not wrong.
    if verdict.done:
        return "green"
    return "yellow" if verdict.in_work or verdict.state is State.NOT_STARTED else "red"
