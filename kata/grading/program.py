"""The command line of the grader: parse, grade, print."""

import math
import sys
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from kata import sandbox
from kata.commands.common import CommandError, exercise_named
from kata.curriculum import exercises
from kata.grading.listing import IntakeError
from kata.grading.options import Options
from kata.grading.run import RUN, Report, Run, cores, grade
from kata.grading.table import explained, table
from kata.limits import TIME_LIMIT
from kata.style import style_of
from kata.words import say

GRADED, SOME_NOT, FAILED, INTERRUPTED = 0, 1, 2, 130


def main(words: list[str]) -> int:
    """The exit status."""
    options = _parser().parse_args(words)
    try:
        return _run(options)
    except (CommandError, IntakeError) as error:
        print(error, file=sys.stderr)
    except OSError as error:  # no room, no permission: what has been found stays
        reason = error.strerror or error
        print(say("grading.cannot", path=error.filename or options.grades, reason=reason),
              file=sys.stderr)  # fmt: skip
    except KeyboardInterrupt:
        print(say("grading.interrupted", path=options.grades), file=sys.stderr)
        return INTERRUPTED
    return FAILED


def _run(options: Namespace) -> int:
    _check_promises(trusted=options.trusted)
    run = Run(options.submissions, options.grades, _options(options), options.workers)
    if options.explain:
        with TemporaryDirectory() as folder:
            return _explain(run, Path(folder))
    report = grade(run)
    _print(table(report, run.grades, style_of(sys.stdout)))
    return _status(report)


def _explain(run: Run, folder: Path) -> int:
    """Grade again, with the numbers of the run that the grades come from; they stay as they are."""
    if (run.grades / RUN).exists():
        (folder / RUN).write_bytes((run.grades / RUN).read_bytes())
    report = grade(replace(run, grades=folder))
    for verdict in report.verdicts():
        _print(explained(verdict, style_of(sys.stdout)))
    return _status(report)


def _print(lines: Iterator[str]) -> None:
    for line in lines:
        print(line)


def _status(report: Report) -> int:
    return SOME_NOT if report.lost else GRADED


def _check_promises(*, trusted: bool) -> None:
    """Go on where nothing can be promised only if these submissions are trusted."""
    missing = sandbox.missing()
    for each in missing:
        print(say("grading.no-promise", promise=each), file=sys.stderr)
    if missing and not trusted:
        raise CommandError(say("grading.trust"))


def _options(chosen: Namespace) -> Options:
    slugs = tuple(_slugs(chosen))
    points = {slug: float(exercises()[slug].points) for slug in slugs}
    if chosen.weights:
        points |= {slug: each for slug, each in _rubric(chosen.weights).items() if slug in points}
    return Options(
        slugs,
        points,
        chosen.seed,
        chosen.timeout,
        chosen.memory,
        diagnosis=not chosen.no_diagnosis,
        solutions=chosen.solutions and _folder(chosen.solutions),
    )


def _slugs(chosen: Namespace) -> Iterator[str]:
    """In course order, whatever the order on the command line."""
    named = {exercise_named(word).slug for word in chosen.only}
    for slug, exercise in exercises().items():
        if (not named or slug in named) and (exercise.core or not chosen.core):
            yield slug


def _folder(path: Path) -> Path:
    missing = [slug for slug in exercises() if not (path / f"{slug}.py").is_file()]
    if missing:
        raise CommandError(say("grading.no-reference", path=path, name=f"{missing[0]}.py"))
    return path.resolve()


def _rubric(path: Path) -> dict[str, float]:
    """Points by exercise: `ex05 = 4`, or `ex05_causal_masks = 4`."""
    try:
        lines = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(say("grading.no-rubric", path=path, reason=reason)) from None
    return {exercise_named(name).slug: _points(path, name, each) for name, each in lines.items()}


def _points(path: Path, name: str, value: object) -> float:
    fine = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not fine or not math.isfinite(value) or value < 0:  # type: ignore[arg-type, operator]  # it is a number
        raise CommandError(say("grading.no-points", path=path, name=name, value=repr(value)))
    return float(value)  # type: ignore[arg-type]  # it is a number


def _parser() -> ArgumentParser:
    parser = ArgumentParser("grader.py", description="Grade what a class has handed in.")
    add = parser.add_argument
    add("submissions", type=Path, metavar="SUBMISSIONS",
        help="a folder with a folder, zip or tar for each student, or one submission")  # fmt: skip
    add("--grades", type=Path, default=Path("grades"), metavar="DIR", help="where the grades go")
    add("--only", action="append", default=[], metavar="EXERCISE", help="ex05; may be repeated")
    add("--core", action="store_true", help="the seven core exercises only")
    add("--explain", action="store_true", help="tell claim by claim how each mark came about")
    add("--weights", type=Path, metavar="TOML", help="points for exercises: ex05 = 4")
    add("--workers", type=_count, default=cores(), metavar="N", help="judges at a time")
    add("--timeout", type=_seconds, default=TIME_LIMIT, metavar="SECONDS", help="for one claim")
    add("--memory", type=_count, default=1024, metavar="MIB", help="for one submission")
    add("--seed", type=_count, default=0, metavar="N", help="of the numbers in claims")
    add("--no-diagnosis", action="store_true", help="name no mistakes: for exams")
    add("--solutions", type=Path, metavar="DIR", help="another reference")
    add("--trusted", action="store_true",
        help="go on where this machine cannot lock submissions in")  # fmt: skip
    return parser


def _count(word: str) -> int:
    value = int(word)
    if value < 1:
        raise ValueError
    return value


def _seconds(word: str) -> float:
    value = float(word)
    if not 0 < value < math.inf:
        raise ValueError
    return value
