"""What commands share: their parser, the folder and the exercise, and writing files."""

import gc
import os
import shutil
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from textwrap import fill

from kata.course.curriculum import CODE, EXERCISES, ROOT, TRACKS, Exercise, exercises
from kata.course.source import Source
from kata.errors import UserError, unwritable
from kata.files import read_named, write_file
from kata.learner.folder import nearest
from kata.learner.progress import Progress, learner
from kata.terminal.style import WIDEST
from kata.text import clean

Groups = Mapping[str, Sequence[str]]
LEAVE = {"q", "quit", "exit"}


def parser(groups: Groups, wanted: str = "") -> ArgumentParser:
    """Make the parser of the wanted command; of all of them if it is none, to list them."""
    known = [name for names in groups.values() for name in names]
    kata_parser = ArgumentParser(
        prog="kata", usage="kata COMMAND [OPTIONS]", formatter_class=RawDescriptionHelpFormatter
    )
    commands = kata_parser.add_subparsers(
        prog="kata", dest="command", required=True, metavar="COMMAND", help=SUPPRESS
    )
    abouts = {}
    for name in [wanted] if wanted in known else known:
        command = import_module(f"kata.commands.{name}")
        about = (command.__doc__ or "").strip()
        abouts[name] = about.splitlines()[0]
        command_parser = commands.add_parser(name, description=about)
        command.arguments(command_parser)
        command_parser.set_defaults(run=command.run)
    kata_parser.epilog = "\n".join(_listed(groups, abouts))
    return kata_parser


def _listed(groups: Groups, abouts: Mapping[str, str]) -> Iterator[str]:
    for title, names in groups.items():
        if entries := [_entry(name, abouts[name]) for name in names if name in abouts]:
            yield from (f"{title}:", *entries, "")


def _entry(name: str, about: str) -> str:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    indents = f"  {name:<10} ", " " * 13
    return fill(about, width, initial_indent=indents[0], subsequent_indent=indents[1])


def add_folder(parser: ArgumentParser) -> None:
    """Add `--folder`, `--core` and `--track`, which all commands for learners take."""
    parser.add_argument("--folder", type=Path, help="where the exercises are")
    add_track(parser)


def add_track(parser: ArgumentParser) -> None:
    """Add `--track`, and `--core`, which is short for the first of them."""
    parser.add_argument("--track", choices=TRACKS, default="", help="the exercises of one way only")
    parser.add_argument("--core", action="store_const", const="core", dest="track",
                        help="the seven core exercises only")  # fmt: skip


def folder_of(options: Namespace) -> Path:
    """The folder that was named; else the nearest one with exercises; else that of a checkout."""
    path: Path | None = options.folder
    folder = path or nearest() or (EXERCISES if ROOT == CODE else None)
    if folder is None:
        raise UserError("there are no exercises here; `kata init` makes a folder with them")
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder of exercises")
    return folder


def chosen(options: Namespace) -> dict[str, Exercise]:
    """All exercises, or those of one track."""
    return {
        slug: exercise for slug, exercise in exercises().items() if exercise.is_in(options.track)
    }


def source_of(folder: Path, exercise: Exercise) -> Source:
    """The learner's file; raises UserError if there is none."""
    path = folder / exercise.filename
    if not path.exists():
        raise no_file(path, exercise)
    return learner(folder, Progress(folder)).source(exercise.slug)


def no_file(path: Path, exercise: Exercise) -> UserError:
    """The error for an exercise without its file."""
    return UserError(f"{path} does not exist; `kata reset {exercise.short}` creates the stub")


def none_started(folder: Path) -> str:
    """The sentence for a folder with nothing to be judged or handed in."""
    return clean(f"no exercise in {folder} has been started")


def collect_seldom() -> None:
    """Look for garbage seldom: in thousands of syntax trees that takes a quarter of the time."""
    gc.set_threshold(50_000, 20, 100)


def need_checkout() -> None:
    """Raise UserError in an installed kata, whose own files are not to be changed."""
    if ROOT != CODE:
        raise UserError("this changes the kata itself, which takes a clone of its repository")


def read_own(path: Path) -> bytes:
    """The content of a learner's plain file; raises UserError if it cannot be read."""
    try:
        return read_named(path)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


def write(path: Path, content: str | bytes) -> None:
    """Write a file and the folders above it; raises UserError if that fails."""
    try:
        write_file(path, content)
    except OSError as error:
        raise unwritable(error, path) from None


def unused(path: Path) -> Path:
    """This path with the first number that is not taken, so that nothing is overwritten."""
    numbered = (path.with_name(f"{path.stem}.{n}{path.suffix}") for n in range(1, 10_000))
    return next(candidate for candidate in numbered if not os.path.lexists(candidate))


def ask(prompt: str, answers: Sequence[str]) -> str:
    """Ask until one of these answers is typed; "" if the reader leaves."""
    while True:
        print(prompt, end="", flush=True)
        typed = sys.stdin.readline()
        if not sys.stdin.isatty():
            print()  # what is typed into a terminal ends its line there
        answer = typed.strip().lower()
        if not typed or answer in LEAVE:
            return ""
        if answer in answers:
            return answer
        print(no_answer(answers))


def no_answer(answers: Sequence[str]) -> str:
    """The sentence for what is none of these answers."""
    return f"an answer is one of {', '.join(answers)}"
