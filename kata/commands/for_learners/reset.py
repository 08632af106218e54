"""Bring the stub of an exercise back; what stood there is kept under a number."""

from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, folder_of, unused, write
from kata.course.naming import exercise_named
from kata.course.stubs import stub
from kata.learner.progress import Progress
from kata.words import say


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("exercise", help="ex05, or ex05_causal_masks")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Keep first, then write."""
    exercise, folder = exercise_named(options.exercise), folder_of(options)
    path, text = folder / exercise.filename, stub(exercise)
    if path.exists() and path.read_bytes() == text.encode():
        print(say("commands.reset.same", path=path))
        return 0
    if path.exists():
        kept = unused(path.with_suffix(".bak"))
        write(kept, path.read_bytes())
        print(say("commands.reset.kept", path=kept))
    write(path, text)
    print(say("commands.reset.done", path=path))
    memory = Progress(folder)
    memory.forget(exercise.slug)
    memory.save()
    return 0
