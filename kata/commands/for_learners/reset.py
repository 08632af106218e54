"""Start an exercise over from its stub; your version is kept under a number."""

from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, folder_of, unused, write
from kata.course.naming import exercise_named
from kata.course.stubs import stub
from kata.learner.progress import Progress
from kata.words import say


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("exercise", help="ex05, or ex05_causal_masks")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Keep the learner's version, then write the stub."""
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
    progress = Progress(folder)
    progress.forget(exercise.slug)
    progress.save()
    return 0
