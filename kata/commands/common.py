"""What commands share: which folder, which exercise, and one clear line when that is wrong."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from kata.course.curriculum import EXERCISES, Exercise, exercises
from kata.course.source import Source
from kata.errors import UserError
from kata.learner.progress import Progress, learner
from kata.words import say


def add_folder(parser: ArgumentParser) -> None:
    """`--folder` and `--core`, which every command of a learner takes."""
    parser.add_argument("--folder", type=Path, help="where the exercises are")
    parser.add_argument("--core", action="store_true", help="the seven core exercises only")


def folder_of(options: Namespace) -> Path:
    """The folder that was named; else `exercises` here; else that of the kata."""
    named: Path | None = options.folder
    here = Path("exercises")
    folder = named or (here if here.is_dir() else EXERCISES)
    if not folder.is_dir():
        raise UserError(say("commands.no-folder", folder=folder))
    return folder


def chosen(options: Namespace) -> dict[str, Exercise]:
    """All exercises, or the core."""
    return {slug: each for slug, each in exercises().items() if each.core or not options.core}


def text_of(folder: Path, exercise: Exercise) -> Source:
    """The learner's file, which has to be there."""
    path = folder / exercise.filename
    if not path.exists():
        raise UserError(say("commands.no-file", path=path, short=exercise.short))
    return learner(folder, Progress(folder)).source(exercise.slug)


def write(path: Path, content: str | bytes) -> None:
    """Write a file, or say in one line why not."""
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise UserError(say("commands.cannot", path=path, reason=error.strerror)) from None


def unused(path: Path) -> Path:
    """This name with the first number that no file has yet: nothing is overwritten."""
    numbered = (path.with_name(f"{path.stem}.{n}{path.suffix}") for n in range(1, 10_000))
    return next(each for each in numbered if not each.exists())
