"""Grade what a class has handed in.

The grades are in `grades/`; an interrupted run resumes where it stopped.
"""

import math
import os
import re
import sys
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from kata.course.curriculum import exercises, use
from kata.course.naming import exercise_named
from kata.errors import HostError, UserError
from kata.grading import settings
from kata.grading.adjusting import choices
from kata.grading.arguments import EVERYBODY, arguments
from kata.grading.collecting import students
from kata.grading.collecting.names import few
from kata.grading.collecting.students import IntakeError
from kata.grading.options import EXTRAS, Options
from kata.grading.reports import prices
from kata.grading.reports.gradebooks import gradebook
from kata.grading.reports.terminal_table import explained, table
from kata.grading.reports.uploads import uploads
from kata.grading.rubric import MOST_POINTS, USUAL, rubric, table_in
from kata.grading.run import RUN, Report, Run, grade
from kata.grading.sandbox import sandbox
from kata.interpreter import guard_children
from kata.terminal.style import style_of
from kata.text import shown
from kata.words import say

GRADED, SOME_NOT, FAILED, INTERRUPTED, CLOSED = 0, 1, 2, 130, 141
CLASS = 5  # students; an exercise that none of so many has started was hardly assigned
ELSEWHERE = re.compile(r'File "(.+)", line (\d+)')  # in the traceback of a child process


def main(words: list[str]) -> int:
    """Grade as the words say, and return the exit status."""
    guard_children()
    parser = ArgumentParser("grader.py", description="Grade what a class has handed in.")
    arguments(parser)
    return run(parser.parse_args(words))


def run(options: Namespace) -> int:
    """Grade, and return the exit status."""
    try:
        return _run(options)
    except (UserError, IntakeError, HostError) as error:
        _complain(str(error))
    except BrokenPipeError:  # the reader of the output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return CLOSED
    except OSError as error:  # disk full, no permission: results so far are kept
        path, reason = error.filename or options.grades, error.strerror or error
        _complain(say("grading.cannot", path=path, reason=reason))
    except KeyboardInterrupt:
        key = "grading.stopped" if options.explain else "grading.interrupted"
        _complain(say(key, path=options.grades))
        return INTERRUPTED
    except Exception as error:
        _complain(_fault(error))
    return FAILED


def _complain(text: str) -> None:
    print(text, file=sys.stderr)


def _fault(error: Exception) -> str:
    """One line for the maintainer: what was raised, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    path, line = last.filename, last.lineno
    for each in ELSEWHERE.findall(str(error.__cause__)):  # the last one is where it was raised
        path, line = each
    place = f"{Path(path).name}:{line}"
    return say("grading.fault", kind=type(error).__name__, place=place, reason=error)


def _check_words(options: Namespace) -> None:
    """Options that contradict one another, and packages that are missing."""
    for name in EXTRAS:
        if find_spec(name) is None:
            raise UserError(say("grading.no-extra", name=name))
    if options.explain and (options.gradebook or options.report or options.write_rubric):
        raise UserError(say("grading.explain-alone"))
    if options.course and options.cluster not in ("", "local"):
        raise UserError(say("grading.course-here"))
    if options.column and not options.gradebook:
        raise UserError(say("grading.column-alone"))


def _run(options: Namespace) -> int:
    _check_words(options)
    if options.course:
        use(options.course)
    if options.grades.exists() and not options.grades.is_dir():
        raise UserError(say("grading.no-folder", path=options.grades))
    taken_up = [*settings.take_up(options)]
    chosen = _options(options)
    run = Run(options.submissions, options.grades, chosen, options.workers,
              choices.reports(options), options.cluster, _tls(options), options.trusted,
              options.alike, options.given, options.yes, tuple(options.again),
              options.explain.replace(EVERYBODY, ""), students.attribution(options),
              choices.choices(options))  # fmt: skip
    if options.write_rubric:
        prices.check(options.write_rubric, options.rubric)
    if options.gradebook:  # fail now, and not after an hour of grading
        gradebook.check(options.gradebook, options.column)
    if options.cluster in ("", "local"):  # workers of a cluster check themselves
        _check_promises(trusted=options.trusted)
    if options.explain:
        with TemporaryDirectory() as folder:
            return _explain(run, Path(folder))
    report = grade(run)
    _tell(report, options, taken_up)
    return _status(report)


def _tell(report: Report, options: Namespace, taken_up: Iterable[str]) -> None:
    """The table, the files that were asked for, and last what is left to decide."""
    changed = settings.keep(options, report.platform) if report.grades == options.grades else ""
    style = style_of(sys.stdout)
    _print(table(report.rows, report.now, report.grades, style, report.common))
    texts = filter(None, (*taken_up, changed, *doubts(report), *_files(report, options)))
    _print(line for text in texts for line in style.wrap(text))
    if open_still := [*undecided(report)]:
        _print(["", say("grading.undecided")])
        _print(line for text in open_still for line in style.wrap(text, 2))


def _files(report: Report, options: Namespace) -> Iterator[str]:
    """Write what goes elsewhere than into the folder of the grades, and say so."""
    own = rubric(options.rubric) if options.rubric else USUAL
    yield from prices.unheard(report.found, own)
    if options.write_rubric:
        prices.write(options.write_rubric, report.found, own)
        yield say("reports.prices-written", path=options.write_rubric)
    if options.gradebook:
        yield from gradebook.fill(options.gradebook, report.found, report.grades, options.column)
    yield from uploads.told(report.found, report.grades, options.upload)


def doubts(report: Report) -> Iterator[str]:
    """Warnings about what may not have been intended, and what was asked to be told."""
    yield from report.told
    if report.outdated:
        yield say(f"grading.anew-{report.outdated}")
    if report.renewed:
        shorts = ", ".join(exercises()[slug].short for slug in report.renewed)
        yield say("grading.anew-suites", shorts=shorts)
    yield from report.changed
    if report.unbegun and len(report.rows) >= CLASS:
        shorts = ", ".join(exercises()[slug].short for slug in report.unbegun)
        yield say("grading.unbegun", shorts=shorts)


def undecided(report: Report) -> Iterator[str]:
    """What only a person can decide, each with the option that says it."""
    if report.unread:
        names = (f"{name} ({', '.join(places)})" if places else name
                 for name, places in report.unread)  # fmt: skip
        yield say("grading.not-read", names=few(names))
    yield from report.undecided


def _explain(run: Run, folder: Path) -> int:
    """Grade again with the seed of the grades, which stay as they are."""
    if not run.options.seed and not (run.grades / RUN).exists():
        _complain(say("grading.other-numbers", path=run.grades))
    report = grade(run, folder)
    for place, verdict in enumerate(report.found.submissions()):
        _print(["", *explained(verdict, style_of(sys.stdout))][place == 0 :])
    return _status(report)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
    sys.stdout.flush()  # here a closed pipe can still be reported


def _status(report: Report) -> int:
    return SOME_NOT if report.lost else GRADED


def _check_promises(*, trusted: bool) -> None:
    """Where the sandbox is incomplete, go on only if the submissions are trusted."""
    if names := sandbox.unavailable():
        raise UserError(say("sandbox.unavailable", names=", ".join(names)))
    missing = sandbox.missing()
    for each in missing:
        _complain(say("sandbox.no-promise", promise=each))
    if missing and not trusted:
        raise UserError(say("grading.trust"))


def _options(chosen: Namespace) -> Options:
    slugs = tuple(_slugs(chosen))
    if not slugs:
        raise UserError(say("grading.none-left", shorts=", ".join(chosen.only)))
    points = {slug: float(exercises()[slug].points) for slug in slugs}
    if chosen.weights:
        points |= {slug: each for slug, each in _weights(chosen.weights).items() if slug in points}
    return Options(
        slugs,
        points,
        chosen.seed,
        chosen.timeout,
        chosen.memory,
        diagnosis=not (chosen.no_diagnosis or chosen.exam),
        solutions=chosen.solutions and _folder(chosen.solutions),
        proof_points=chosen.proofs,
        rubric=rubric(chosen.rubric) if chosen.rubric else USUAL,
    )


def _tls(chosen: Namespace) -> tuple[Path, ...]:
    """All three files, or none."""
    files = tuple(each for each in (chosen.tls_ca, chosen.tls_cert, chosen.tls_key) if each)
    if len(files) not in (0, 3) or (files and not chosen.cluster):
        raise UserError(say("grading.three-files"))
    return files


def _slugs(chosen: Namespace) -> Iterator[str]:
    """The chosen exercises, in course order."""
    words = [word for each in chosen.only for word in each.split(",") if word.strip()]
    named = {exercise_named(word.strip()).slug for word in words}
    for slug, exercise in exercises().items():
        if (not named or slug in named) and exercise.is_in(chosen.track):
            yield slug


def _folder(path: Path) -> Path:
    for each in exercises().values():
        if not each.solution_in(path).is_file():
            raise UserError(say("grading.no-reference", path=path, name=each.filename))
    return path.resolve()


def _weights(path: Path) -> dict[str, float]:
    """Points by exercise: `ex05 = 4`, or `ex05_causal_masks = 4`."""
    found: dict[str, float] = {}
    for name, value in table_in(path).items():
        slug = exercise_named(name).slug
        if slug in found:
            raise UserError(say("grading.no-points-for", path=path, slug=slug))
        found[slug] = _points(path, name, value)
    return found


def _points(path: Path, name: str, value: object) -> float:
    try:
        points = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]  # not a number: it raises
    except (TypeError, ValueError, OverflowError):
        points = math.nan
    if isinstance(value, str) or not 0 <= points <= MOST_POINTS:
        raise UserError(say("grading.no-points", path=path, name=name, value=shown(repr(value))))
    return points
