"""What commands share: their parser, the folder and the exercises they are about, and questions."""

import shutil
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import Protocol, cast

from kata.course.curriculum import CODE, EXERCISES, ROOT, TRACKS, Exercise, exercises
from kata.course.source import Source
from kata.errors import UserError
from kata.learner.folder import nearest
from kata.learner.progress import Progress, learner_target
from kata.terminal.style import WIDEST
from kata.text import clean

Groups = Mapping[str, Sequence[str]]
LEAVE = {"q", "quit", "exit"}


class Command(Protocol):
    """A module of this package; its docstring is what `--help` says, beginning with one line."""

    def arguments(self, parser: ArgumentParser) -> None:
        """Add the options of the command."""

    def run(self, options: Namespace) -> int:
        """Do what the command does, and return its exit status; a UserError is one line."""


def parser(groups: Groups, wanted: str = "") -> ArgumentParser:
    """Make the parser of the wanted command; of all of them if it is none, to list them."""
    names = [name for group in groups.values() for name in group]
    kata_parser = ArgumentParser(
        prog="kata", usage="kata COMMAND [OPTIONS]", formatter_class=RawDescriptionHelpFormatter
    )
    commands = kata_parser.add_subparsers(
        prog="kata", dest="command", required=True, metavar="COMMAND", help=SUPPRESS
    )
    abouts = {}
    for name in [wanted] if wanted in names else names:
        module = import_module(f"kata.commands.{name}")
        command, about = cast(Command, module), (module.__doc__ or "").strip()
        abouts[name] = about.splitlines()[0]
        command_parser = commands.add_parser(name, description=about)
        command.arguments(command_parser)
        command_parser.set_defaults(run=command.run)
    kata_parser.epilog = "\n".join(_list(groups, abouts))
    return kata_parser


def _list(groups: Groups, abouts: Mapping[str, str]) -> Iterator[str]:
    for title, names in groups.items():
        if entries := [_entry(name, abouts[name]) for name in names if name in abouts]:
            yield from (f"{title}:", *entries, "")


def _entry(name: str, about: str) -> str:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    indents = f"  {name:<10} ", " " * 13
    return fill(about, width, initial_indent=indents[0], subsequent_indent=indents[1])


# The options of commands for learners
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
    """Return the folder that was named; else the nearest with exercises, or that of a checkout."""
    path: Path | None = options.folder
    folder = path or nearest() or (EXERCISES if ROOT == CODE else None)
    if folder is None:
        raise UserError("there are no exercises here; `kata init` makes a folder with them")
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder of exercises")
    return folder


def track_of(options: Namespace) -> dict[str, Exercise]:
    """Return all exercises, or those of one track, by their slugs."""
    return {
        slug: exercise for slug, exercise in exercises().items() if exercise.is_in(options.track)
    }


def source_of(folder: Path, exercise: Exercise) -> Source:
    """Return the learner's file; raise UserError if there is none."""
    path = folder / exercise.filename
    if not path.exists():
        raise no_file(path, exercise)
    return learner_target(folder, Progress(folder)).source(exercise.slug)


def no_file(path: Path, exercise: Exercise) -> UserError:
    """Return the error for an exercise without its file."""
    return UserError(f"{path} does not exist; `kata reset {exercise.short}` creates the stub")


def none_started(folder: Path) -> str:
    """Return the sentence for a folder with nothing to be judged or handed in."""
    return clean(f"no exercise in {folder} has been started")


def need_checkout() -> None:
    """Raise UserError in an installed kata, whose own files are not to be changed."""
    if ROOT != CODE:
        raise UserError("this changes the kata itself, which takes a clone of its repository")


# Questions
def ask(prompt: str, answers: Sequence[str]) -> str:
    """Ask until one of these answers is typed; return "" if the reader leaves."""
    while True:
        print(prompt, end="", flush=True)
        typed = sys.stdin.readline()
        if not sys.stdin.isatty():
            # In a terminal, the typed newline has ended the line.
            print()
        answer = typed.strip().lower()
        if not typed or answer in LEAVE:
            return ""
        if answer in answers:
            return answer
        print(no_answer(answers))


def no_answer(answers: Sequence[str]) -> str:
    """Return the sentence for what is none of these answers."""
    return f"an answer is one of {', '.join(answers)}"
