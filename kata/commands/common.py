"""What commands share: which folder, which exercise, and one clear line when that is wrong."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from kata.curriculum import EXERCISES, Exercise, exercises
from kata.memory import Memory, learner
from kata.source import Source, did_you_mean
from kata.words import say


class CommandError(Exception):
    """What was asked for cannot be done; the text is for the person who asked."""


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
        raise CommandError(say("commands.no-folder", folder=folder))
    return folder


def chosen(options: Namespace) -> dict[str, Exercise]:
    """All exercises, or the core."""
    return {slug: each for slug, each in exercises().items() if each.core or not options.core}


def exercise_named(name: str) -> Exercise:
    """`ex05`, `05`, `5`, `ex05_causal_masks`, or a path to such a file."""
    wanted = Path(name).name.removesuffix(".py")
    short = f"ex{wanted.removeprefix('ex'):0>2}"
    for slug, exercise in exercises().items():
        if slug == wanted or exercise.short == short:
            return exercise
    known = [*exercises(), *(each.short for each in exercises().values())]
    if close := did_you_mean(wanted, known):
        raise CommandError(say("commands.almost", name=name, close=close))
    there = ", ".join(each.short for each in exercises().values())
    raise CommandError(say("commands.no-exercise", name=name, there=there))


def text_of(folder: Path, exercise: Exercise) -> Source:
    """The learner's file, which has to be there."""
    path = folder / exercise.filename
    if not path.exists():
        raise CommandError(say("commands.no-file", path=path, short=exercise.short))
    return learner(folder, Memory(folder)).source(exercise.slug)


def write(path: Path, content: str | bytes) -> None:
    """Write a file, or say in one line why not."""
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise CommandError(say("commands.cannot", path=path, reason=error.strerror)) from None


def unused(path: Path) -> Path:
    """This name with the first number that no file has yet: nothing is overwritten."""
    numbered = (path.with_name(f"{path.stem}.{n}{path.suffix}") for n in range(1, 10_000))
    return next(each for each in numbered if not each.exists())
