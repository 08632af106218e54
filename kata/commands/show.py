"""Show a mistake of the catalogue: its change to the solution, and the failure that it causes."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from difflib import unified_diff

from kata.course.catalogue import Bug, bugs, wrong_answer
from kata.course.curriculum import EXERCISES, Exercise, did_you_mean, exercise_named
from kata.course.target import Target
from kata.errors import UserError
from kata.terminal.message import message
from kata.terminal.style import Style, style_of

AROUND = 2  # lines of the solution above and below a change
HEAD = 2  # lines of a diff that name its files


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", help="ex05, or ex05_causal_masks")
    parser.add_argument("mistake", nargs="?", help="its slug in bugs/; without it, all are listed")


def run(options: Namespace) -> int:
    """Exit 1 if the mistake gets past the suite."""
    exercise, style = exercise_named(options.exercise), style_of(sys.stdout)
    if options.mistake is None:
        print(*_list(exercise), sep="\n")
        return 0
    bug = _named(exercise, options.mistake)
    print(*_change(exercise, bug, style), "", sep="\n")
    failure = list(_failure(exercise, bug, style))
    print(*failure or ["all claims hold: the suite misses this mistake"], sep="\n")
    return 0 if failure else 1


def _list(exercise: Exercise) -> list[str]:
    width = max(len(bug.slug) for bug in bugs(exercise))
    return [f"{bug.slug:<{width}}  {bug.title}" for bug in bugs(exercise)]


def _named(exercise: Exercise, slug: str) -> Bug:
    catalogue = {bug.slug: bug for bug in bugs(exercise)}
    if slug not in catalogue:
        close = did_you_mean(slug, list(catalogue)) or f"; `kata show {exercise.short}` lists them"
        raise UserError(f"{exercise.short} has no mistake called {slug}{close}")
    return catalogue[slug]


def _change(exercise: Exercise, bug: Bug, style: Style) -> Iterator[str]:
    """Show the title, and how the wrong answer differs from the solution."""
    yield style.paint(f"{exercise.slug}: {bug.title}", "bold")
    right = exercise.solution.read_text(encoding="utf-8").splitlines()
    wrong = wrong_answer(exercise, bug).splitlines()
    for line in [*unified_diff(right, wrong, n=AROUND, lineterm="")][HEAD:]:
        yield style.paint(line, *_colour(line))


def _colour(line: str) -> list[str]:
    return {"+": ["green"], "-": ["red"], "@": ["dim"]}.get(line[:1], [])


def _failure(exercise: Exercise, bug: Bug, style: Style) -> Iterator[str]:
    """Show the first claim that fails, as if a learner had written the wrong answer."""
    # Late, because it imports numpy and torch.
    from kata.diagnosis.diagnose import diagnose
    from kata.diagnosis.observe import observe

    text = wrong_answer(exercise, bug)
    observation = observe(exercise, Target(EXERCISES, {exercise.slug: text}))
    failed = observation.verdict.first_failure
    if failed and failed.message:
        yield style.paint(failed.name, "dim")
        yield message(failed.message, style, diagnose(exercise, observation.findings, text=text))
