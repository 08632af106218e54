"""Make the file that Gradescope, GitHub Classroom or Autolab needs to grade with this kata."""

import json
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from kata.commands.common import add_track, chosen, write
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.errors import UserError
from kata.grading.options import none_left
from kata.grading.platforms import NO_RESULTS, kata, no_results, options_file, script, text
from kata.grading.reports.uploads import ArchiveFile, tarred, zipped
from kata.text import clean, printable

REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")
REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/-]*")
Chosen = Mapping[str, Exercise]


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    platforms = parser.add_subparsers(dest="platform", required=True, metavar="PLATFORM")
    gradescope = platforms.add_parser("gradescope", help="the zip that is uploaded as autograder")
    _add_common(gradescope, "autograder.zip")
    github = platforms.add_parser("github", help="the workflow of a GitHub Classroom")
    _add_common(github, ".github/workflows/classroom.yml")
    github.add_argument("--repository", required=True, metavar="OWNER/NAME", help="of the kata")
    github.add_argument("--ref", required=True, help="its commit or tag that grades")
    autolab = platforms.add_parser("autolab", help="a tar with the two files that are uploaded")
    _add_common(autolab, "autolab.tar")


def _add_common(parser: ArgumentParser, out: str) -> None:
    add = parser.add_argument
    add("--out", type=Path, default=Path(out), metavar="FILE", help=f"{out} without it")
    add_track(parser)
    add("--only", action="append", default=[], metavar="EXERCISE", help="ex05; may be repeated")


def run(words: Namespace) -> int:
    """Write one file, and print the points to set on the platform."""
    counted = _counted(words)
    content = {"gradescope": _gradescope, "github": _github, "autolab": _autolab}[words.platform]
    _write(words.out, content(words, counted))
    print(clean(f"written: {words.out}"))
    for slug, exercise in counted.items():
        print(f"  {slug:<28} {exercise.points} points")
    print(f"points of the assignment: {_points(counted)}")
    return 0


def _counted(words: Namespace) -> Chosen:
    named = {exercise_named(word).slug for word in words.only}
    counted = {
        slug: exercise for slug, exercise in chosen(words).items() if not named or slug in named
    }
    if not counted:
        raise UserError(none_left(words.only))
    return counted


def _points(counted: Chosen) -> int:
    return sum(exercise.points for exercise in counted.values())


def _shorts(counted: Chosen) -> list[str]:
    """The exercises to name to the grader: none if all count."""
    return (
        []
        if len(counted) == len(exercises())
        else [exercise.short for exercise in counted.values()]
    )


def _gradescope(_: Namespace, counted: Chosen) -> bytes:
    return zipped([
        script("gradescope/setup.sh"),
        script("gradescope/run_autograder"),
        ArchiveFile(NO_RESULTS, no_results(_points(counted)).encode()),
        options_file(_shorts(counted)),
        *kata(),
    ])  # fmt: skip


def _github(words: Namespace, counted: Chosen) -> bytes:
    if not REPOSITORY.fullmatch(words.repository):
        raise UserError(
            f"{printable(words.repository)} is not the name of a GitHub repository: "
            "expected OWNER/NAME"
        )
    if not REF.fullmatch(words.ref):
        raise UserError(f"{printable(words.ref)} is not the name of a commit, tag or branch")
    filled = text("github/classroom.yml")
    only = " ".join(f"--only={short}" for short in _shorts(counted))
    for name, value in (("REPOSITORY", words.repository), ("REF", words.ref), ("OPTIONS", only)):
        filled = filled.replace(f"@{name}@", value)
    return "".join(f"{line.rstrip()}\n" for line in filled.splitlines()).encode()


def _autolab(_: Namespace, counted: Chosen) -> bytes:
    nothing = {"scores": dict.fromkeys(counted, 0), "scoreboard": [0]}
    inside = tarred([
        script("gradescope/setup.sh"),
        script("autolab/run_autolab"),
        ArchiveFile("no-scores.json", f"{json.dumps(nothing)}\n".encode()),
        options_file(_shorts(counted)),
        *kata(),
    ])  # fmt: skip
    makefile = text("autolab/autograde-Makefile").encode()
    return tarred(
        [ArchiveFile("autograde-Makefile", makefile), ArchiveFile("autograde.tar", inside)]
    )


def _write(path: Path, content: bytes) -> None:
    """Never overwrite a file that differs: it may have been edited by hand."""
    if path.exists() and (not path.is_file() or path.read_bytes() != content):
        raise UserError(
            f"{path} already exists with other content; "
            "delete it, or choose another name with --out"
        )
    write(path, content)
