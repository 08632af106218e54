"""What can be said to the grader on its command line."""

import math
import os
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

from kata.course.curriculum import TRACKS
from kata.grading.adjusting import choices
from kata.grading.collecting import students
from kata.grading.options import MEMORY
from kata.grading.reports import formats
from kata.grading.rubric import MOST_POINTS
from kata.judging.limits import TIME_LIMIT
from kata.words import say

EVERYBODY = "*"  # who is explained, if nobody is named
LONGEST = 24 * 3600  # seconds for a claim


def arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("submissions", type=Path, metavar="SUBMISSIONS",
        help="a folder of hand-ins, the zip of a class, or one submission")  # fmt: skip
    add("--grades", type=Path, default=Path("grades"), metavar="DIR", help="where the grades go")
    _exercises(parser)
    _results(parser)
    _marks(parser)
    students.arguments(parser)
    choices.arguments(parser)
    _works(parser)
    _judging(parser)
    _cluster(parser)


def _exercises(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--only", action="append", default=[], metavar="EXERCISE",
        help="ex05, or ex05,ex07; may be repeated")  # fmt: skip
    add("--track", choices=TRACKS, default="", help="the exercises of one way through the course")
    add("--core", action="store_const", const="core", dest="track",
        help="the seven core exercises only")  # fmt: skip
    add("--course", type=Path, metavar="DIR", help="exercises of your own, beside the kata's")


def _results(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--explain", nargs="?", const=EVERYBODY, default="", metavar="NAME",
        help="explain the mark of one student, or of all, claim by claim")  # fmt: skip
    add("--report", action="append", default=[], choices=formats.ON_REQUEST, metavar="FORMAT",
        help=f"beside the tables: {', '.join(formats.ON_REQUEST)}; may be repeated")  # fmt: skip
    add("--gradebook", type=Path, metavar="CSV",
        help="an export of Canvas or Moodle, to be filled in and imported again")  # fmt: skip
    add("--column", default="", metavar="TITLE", help="of the assignment in the gradebook")


def _marks(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--weights", type=Path, metavar="TOML", help="points for exercises: ex05 = 4")
    add("--rubric", type=Path, metavar="TOML", help="what known mistakes cost: your own prices")
    add("--write-rubric", type=Path, metavar="TOML",
        help="list the mistakes that occurred, with what they cost, to be changed")  # fmt: skip
    add("--proofs", type=_worth, default=0.0, metavar="POINTS",
        help="for the proof of each exercise; without, proofs give none")  # fmt: skip


def _works(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--alike", action="store_true", help="show works that are alike side by side")
    add("--given", type=Path, metavar="DIR", help="code that everybody had, which is no copy")
    add("--yes", action="store_true", help="grade even what may not be the work of a class")


def _judging(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--again", action="append", default=[], metavar="NAME",
        help="judge this student anew, whatever is known; may be repeated")  # fmt: skip
    add("--workers", type=_count, default=cores(), metavar="N", help="judges at a time")
    add("--timeout", type=_seconds, default=TIME_LIMIT, metavar="SECONDS", help="for one claim")
    add("--memory", type=_count, default=MEMORY, metavar="MIB", help="for one submission")
    add("--seed", type=_count, default=0, metavar="N", help="of the numbers in claims")
    add("--no-diagnosis", action="store_true", help="do not name mistakes: for exams")
    add("--solutions", type=Path, metavar="DIR", help="another reference")
    add("--trusted", action="store_true", help="go on if submissions cannot be sandboxed here")


def _cluster(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--cluster", default="", metavar="ADDRESS",
        help="dask: tcp://HOST:PORT, tls://HOST:PORT, a scheduler file, or local")  # fmt: skip
    add("--tls-ca", type=Path, metavar="FILE", help="the authority of the cluster's certificates")
    add("--tls-cert", type=Path, metavar="FILE", help="the certificate for the cluster")
    add("--tls-key", type=Path, metavar="FILE", help="its key")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _worth(word: str) -> float:
    value = _number(word)
    if not 0 <= value <= MOST_POINTS:
        raise ArgumentTypeError(say("grading.no-worth", word=word))
    return value


def _count(word: str) -> int:
    try:
        value = int(word)
    except ValueError:
        value = 0
    if value < 1:
        raise ArgumentTypeError(say("grading.no-count", word=word))
    return value


def _seconds(word: str) -> float:
    value = _number(word)
    if not 0 < value <= LONGEST:
        raise ArgumentTypeError(say("grading.no-seconds", word=word))
    return value


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return math.nan
