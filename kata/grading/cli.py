"""The command line of the grader: options in, tables and messages out, and an exit status.

Called by `grader.py` and `kata.commands.grade`; the grading itself is done by `run`. No submission
runs in this process, and importing it does not import torch. Messages may quote strangers, so they
are cleaned before they reach a terminal.
"""

import math
import os
import re
import sys
import traceback
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from kata.course.curriculum import TRACKS, exercise_named, exercises, use
from kata.errors import HostError, UserError
from kata.grading import sandbox
from kata.grading.collecting.students import Attribution, NamesTable, read_names
from kata.grading.late import read_deadline, read_rule
from kata.grading.options import (
    EXTRAS,
    MEMORY,
    Options,
    keep_settings,
    none_left,
    not_installed,
    take_up,
)
from kata.grading.plan import ABOUT, Choices
from kata.grading.reports import formats, gradebooks, uploads
from kata.grading.reports.terminal import Report, explained, table
from kata.grading.rubric import MOST_POINTS, USUAL, Rubric, read_rubric, read_scale, read_weights
from kata.grading.run import Run, grade
from kata.interpreter import guard_children
from kata.judging.limits import TIME_LIMIT
from kata.terminal.style import style_of
from kata.text import clean

GRADED, SOME_NOT, FAILED, INTERRUPTED, CLOSED = 0, 1, 2, 130, 141
EVERYBODY = "*"  # the name that `--explain` stands for, if it has none
LONGEST_TIMEOUT = 24 * 3600  # seconds for a claim
PLATFORMS = ("canvas", "moodle")  # that take feedback as a zip
TRACEBACK_LINE = re.compile(r'File "(.+)", line (\d+)')  # of a child process
PROGRESS_KEPT = "what was graded so far is kept"
Adder = Callable[..., object]  # of an option to a parser


def main(words: list[str]) -> int:
    """Parse the command line, grade, and return the exit status."""
    guard_children()
    parser = ArgumentParser("grader.py", description="Grade what a class has handed in.")
    arguments(parser)
    return run(parser.parse_args(words))


def run(options: Namespace) -> int:
    """Grade, and return the exit status."""
    try:
        return _run(options)
    except (UserError, HostError) as error:
        _complain(str(error))
    except BrokenPipeError:  # the reader of the output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return CLOSED
    except OSError as error:  # disk full, no permission: results so far are kept
        path, reason = error.filename or options.grades, error.strerror or error
        _complain(f"stopped: {path}: {reason}; {PROGRESS_KEPT}")
    except KeyboardInterrupt:
        resumes = f"what was graded is in {options.grades}, and the same command resumes from there"
        _complain("interrupted" if options.explain else f"interrupted; {resumes}")
        return INTERRUPTED
    except Exception as error:
        _complain(_crash(error))
    return FAILED


def _complain(text: str) -> None:
    """Print a message; names, lines and reasons in it may be a stranger's."""
    print(clean(text), file=sys.stderr)


def _crash(error: Exception) -> str:
    """Say in one line for the maintainer what was raised, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    path, line = last.filename, last.lineno
    # The last line of a child's traceback is where the error was raised.
    for place in TRACEBACK_LINE.findall(str(error.__cause__)):
        path, line = place
    kind, place = type(error).__name__, f"{Path(path).name}:{line}"
    return f"the grader itself crashed: {kind} in {place}: {error}; {PROGRESS_KEPT}"


# The options


def arguments(parser: ArgumentParser) -> None:
    """Add the options of the grader to a parser."""
    add = parser.add_argument
    add("submissions", type=Path, metavar="SUBMISSIONS",
        help="a folder of hand-ins, the zip of a class, or one submission")  # fmt: skip
    add("--grades", type=Path, default=Path("grades"), metavar="DIR", help="where the grades go")
    for add_more in (_add_exercises, _add_results, _add_marks, _add_people, _add_judging):
        add_more(add)


def _add_exercises(add: Adder) -> None:
    add("--only", action="append", default=[], metavar="EXERCISE",
        help="ex05, or ex05,ex07; may be repeated")  # fmt: skip
    add("--track", choices=TRACKS, default="", help="the exercises of one way through the course")
    add("--core", action="store_const", const="core", dest="track",
        help="the seven core exercises only")  # fmt: skip
    add("--course", type=Path, metavar="DIR", help="exercises of your own, beside the kata's")


def _add_results(add: Adder) -> None:
    add("--explain", nargs="?", const=EVERYBODY, default="", metavar="NAME",
        help="explain the mark of one student, or of all, claim by claim")  # fmt: skip
    add("--report", action="append", default=[], choices=formats.ON_REQUEST, metavar="FORMAT",
        help=f"beside the tables: {', '.join(formats.ON_REQUEST)}; may be repeated")  # fmt: skip
    add("--gradebook", type=Path, metavar="CSV",
        help="an export of Canvas or Moodle, to be filled in and imported again")  # fmt: skip
    add("--column", default="", metavar="TITLE", help="of the assignment in the gradebook")


def _add_marks(add: Adder) -> None:
    points = _number(lambda value: 0 <= value <= MOST_POINTS, "a number of points, 0 or more")
    add("--weights", type=Path, metavar="TOML", help="points for exercises: ex05 = 4")
    add("--rubric", type=Path, metavar="TOML", help="what known mistakes cost: your own prices")
    add("--write-rubric", type=Path, metavar="TOML",
        help="list the mistakes that occurred, with what they cost, to be changed")  # fmt: skip
    add("--proofs", type=points, default=0.0, metavar="POINTS",
        help="for the proof of each exercise; without, proofs give none")  # fmt: skip


def _add_people(add: Adder) -> None:
    add("--names", type=Path, metavar="CSV", help="who has handed in what: handed_in,student")
    add("--resubmissions", action="store_true",
        help="a folder `Wei Zhang (2)` is a later hand-in, and not another person's")  # fmt: skip
    add("--roster", type=Path, metavar="CSV",
        help="who is in the class: name, id, login, email, section, team")  # fmt: skip
    add("--deadline", default="", metavar="TIME", help='"2026-03-01 23:59"')
    add("--late", default="", metavar="RULE",
        help='"10%% per day, grace 2 days, at most 50%%"')  # fmt: skip
    add("--scale", default="", metavar="SCALE",
        help='what a score is called: percent, or "A 90, B 80, C 65, F 0"')  # fmt: skip
    add("--overrules", type=Path, metavar="FILE", help="your own decisions about marks")
    add("--upload", action="append", default=[], choices=PLATFORMS, metavar="PLATFORM",
        help=f"feedback as a zip to upload: {', '.join(PLATFORMS)}")  # fmt: skip
    add("--anonymous", type=Path, metavar="KEYFILE",
        help="codes in the place of names; the key file says whose they are")  # fmt: skip
    add("--exam", action="store_true", help="no mistake, hint or evidence reaches a student")
    add("--alike", action="store_true", help="show works that are alike side by side")
    add("--given", type=Path, metavar="DIR", help="code that everybody had, which is no copy")
    add("--yes", action="store_true", help="grade even what may not be the work of a class")


def _add_judging(add: Adder) -> None:
    count = _number(lambda value: value >= 1, "a whole number above 0", int)
    seconds = _number(lambda value: 0 < value <= LONGEST_TIMEOUT, "a number of seconds above 0")
    add("--again", action="append", default=[], metavar="NAME",
        help="judge this student anew, whatever is known; may be repeated")  # fmt: skip
    add("--workers", type=count, default=cores(), metavar="N", help="judges at a time")
    add("--timeout", type=seconds, default=TIME_LIMIT, metavar="SECONDS", help="for one claim")
    add("--memory", type=count, default=MEMORY, metavar="MIB", help="for one submission")
    add("--seed", type=count, default=0, metavar="N", help="of the numbers in claims")
    add("--no-diagnosis", action="store_true", help="do not name mistakes: for exams")
    add("--solutions", type=Path, metavar="DIR", help="another reference")
    add("--trusted", action="store_true", help="go on if submissions cannot be sandboxed here")
    add("--cluster", default="", metavar="ADDRESS",
        help="dask: tcp://HOST:PORT, tls://HOST:PORT, a scheduler file, or local")  # fmt: skip
    add("--tls-ca", type=Path, metavar="FILE", help="the authority of the cluster's certificates")
    add("--tls-cert", type=Path, metavar="FILE", help="the certificate for the cluster")
    add("--tls-key", type=Path, metavar="FILE", help="its key")


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _number(
    is_possible: Callable[[float], bool], kind: str, read: Callable[[str], float] = float
) -> Callable[[str], float]:
    """Make a reader of such numbers on the command line."""

    def number(word: str) -> float:
        try:
            value = read(word)
        except ValueError:
            value = math.nan
        if not is_possible(value):
            raise ArgumentTypeError(clean(f"{word} is not {kind}"))
        return value

    return number


# Contradictions, and what a machine lacks

CONTRADICTIONS: dict[str, Callable[[Namespace], object]] = {
    "--explain explains the marks and writes nothing: leave out --report, --gradebook and "
    "--write-rubric": lambda options: (
        options.explain
        and (options.gradebook or options.report or options.write_rubric or options.upload)
    ),
    "--course works on this machine only: leave out --cluster, or use --cluster local": (
        lambda options: options.course and options.cluster not in ("", "local")
    ),
    "--column names the assignment of a gradebook: --gradebook is missing": (
        lambda options: options.column and not options.gradebook
    ),
    "--tls-ca, --tls-cert and --tls-key belong together, and to --cluster": (
        lambda options: any(_tls(options)) and not (all(_tls(options)) and options.cluster)
    ),
    "--anonymous writes no names, and --gradebook and --upload need them: leave out one or the "
    "other": lambda options: options.anonymous and (options.gradebook or options.upload),
    "--alike shows names and code, so it does not go with --anonymous": (
        lambda options: options.anonymous and options.alike
    ),
}


def _check(options: Namespace) -> None:
    """Raise a UserError if the options cannot be carried out, before anything is read."""
    for name in EXTRAS:
        if find_spec(name) is None:
            raise UserError(not_installed(name))
    for text, is_wrong in CONTRADICTIONS.items():
        if is_wrong(options):
            raise UserError(text)
    for name in formats.OF_STUDENTS if options.exam else ():
        if name in options.report:
            raise UserError(
                f"--exam gives no evidence to students, and --report {name} is full of it: leave "
                "out one or the other"
            )
        if formats.is_there(name, options.grades):
            raise UserError(
                f"{options.grades / name} is from a run without --exam, and has evidence in it: "
                "choose another --grades, or delete it"
            )
    if options.grades.exists() and not options.grades.is_dir():
        raise UserError(f"{options.grades} is not a folder")


def _tls(options: Namespace) -> list[Path | None]:
    return [options.tls_ca, options.tls_cert, options.tls_key]


def _check_promises(*, trusted: bool) -> None:
    """Raise a UserError if the sandbox is incomplete, unless the submissions are trusted."""
    if names := sandbox.unavailable():
        raise UserError(
            f"no submission can be run here, with the sandbox or without: this system's Python"
            f" lacks {', '.join(names)}; use Linux, which also runs in a container, a virtual"
            " machine or WSL2"
        )
    missing = sandbox.missing()
    for promise in missing:
        _complain(sandbox.no_promise(promise))
    if missing and not trusted:
        raise UserError(
            "nothing was graded: use a container, or --trusted if you trust these submissions "
            "(docs/grading/sandbox.md)"
        )


# The run


def _run(options: Namespace) -> int:
    _check(options)
    if options.course:
        use(options.course)
    taken_up = [*take_up(options)]
    planned = _planned(options)
    if options.write_rubric:
        formats.check_prices(options.write_rubric, options.rubric)
    if options.gradebook:  # fail now, and not after an hour of grading
        gradebooks.check_gradebook(options.gradebook, options.column)
    if options.cluster in ("", "local"):  # workers of a cluster check themselves
        _check_promises(trusted=options.trusted)
    if options.explain:
        with TemporaryDirectory() as folder:
            return _explain(planned, Path(folder))
    report = grade(planned)
    _show(report, options, planned.options.rubric, taken_up)
    return _status(report)


def _planned(options: Namespace) -> Run:
    return Run(
        options.submissions,
        options.grades,
        _judged(options),
        options.workers,
        reports=(*options.report, *(f"upload-{platform}" for platform in options.upload)),
        cluster=options.cluster,
        tls=tuple(filter(None, _tls(options))),
        trusted=options.trusted,
        alike=options.alike,
        shared_code=options.given,
        sure=options.yes,
        again=tuple(options.again),
        explained=options.explain.replace(EVERYBODY, ""),
        attribution=Attribution(
            read_names(options.names) if options.names else NamesTable(), options.resubmissions
        ),
        choices=_choices(options),
    )


def _judged(options: Namespace) -> Options:
    slugs = tuple(_slugs(options))
    if not slugs:
        raise UserError(none_left(options.only))
    weights = read_weights(options.weights) if options.weights else {}
    return Options(
        slugs,
        {slug: weights.get(slug, float(exercises()[slug].points)) for slug in slugs},
        options.seed,
        options.timeout,
        options.memory,
        diagnosis=not (options.no_diagnosis or options.exam),
        solutions=options.solutions and _reference(options.solutions),
        proof_points=options.proofs,
        rubric=read_rubric(options.rubric) if options.rubric else USUAL,
    )


def _slugs(options: Namespace) -> Iterator[str]:
    """Yield the chosen exercises, in course order."""
    words = [word for words in options.only for word in words.split(",") if word.strip()]
    named = {exercise_named(word.strip()).slug for word in words}
    for slug, exercise in exercises().items():
        if (not named or slug in named) and exercise.is_in(options.track):
            yield slug


def _reference(path: Path) -> Path:
    for exercise in exercises().values():
        if not exercise.solution_in(path).is_file():
            raise UserError(f"{path} is not a reference: it has no {exercise.filename}")
    return path.resolve()


def _choices(options: Namespace) -> Choices:
    if options.late and not options.deadline:  # on the command line or from the last run
        raise UserError("--late takes points off after a deadline: --deadline is missing")
    return Choices(
        options.roster,
        read_deadline(options.deadline) if options.deadline else None,
        read_rule(options.late) if options.late else None,
        options.overrules,
        options.anonymous,
        options.exam,
        read_scale(options.scale) if options.scale else None,
    )


# The output


def _show(report: Report, options: Namespace, rubric: Rubric, taken_up: Iterable[str]) -> None:
    """Print the table, write the files that were asked for, and ask what is left to decide."""
    changed = keep_settings(options, report.platform) if report.grades == options.grades else ""
    style = style_of(sys.stdout)
    _print(table(report, style))
    files = _files(report, options, rubric)
    lines = filter(None, (*taken_up, changed, *report.warnings(), *files))
    _print(line for sentence in lines for line in style.wrap(clean(sentence)))
    if questions := [*report.questions()]:
        _print(["", "what you have to decide:"])
        _print(line for question in questions for line in style.wrap(clean(question), 2))


def _files(report: Report, options: Namespace, rubric: Rubric) -> Iterator[str]:
    """Write the files that lie outside the folder of the grades, and say so."""
    yield from formats.unheard_prices(report.counts, rubric)
    if options.write_rubric:
        yield formats.write_prices(options.write_rubric, report.counts, rubric)
    if options.gradebook:
        verdicts, grades = report.verdicts, report.grades
        yield from gradebooks.fill_gradebook(options.gradebook, verdicts, grades, options.column)
    yield from uploads.summary(report.counts, report.grades, options.upload)


def _explain(planned: Run, folder: Path) -> int:
    """Grade again with the seed of the grades, which stay as they are."""
    if not planned.options.seed and not (planned.grades / ABOUT).exists():
        _complain(
            f"there is no {planned.grades}: if there are grades, these claims use a different seed"
        )
    report = grade(planned, folder)
    for place, verdict in enumerate(report.verdicts.submissions()):
        _print(["", *explained(verdict, style_of(sys.stdout))][place == 0 :])
    return _status(report)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
    sys.stdout.flush()  # here a closed pipe can still be reported


def _status(report: Report) -> int:
    return SOME_NOT if report.lost else GRADED
