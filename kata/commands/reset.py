"""Start an exercise over from its stub, or your tests of it; yours is kept under a number."""

from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, folder_of, read_own, unused, write
from kata.course.contract import stub
from kata.course.curriculum import exercise_named
from kata.learner.progress import Progress
from kata.proofs.proof import proof_stub, proofs_of
from kata.text import clean


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("exercise", help="ex05, or ex05_causal_masks")
    add_folder(parser)
    parser.add_argument("--proof", action="store_true", help="your tests in proofs/")


def run(options: Namespace) -> int:
    """Keep the learner's version, then write the stub."""
    exercise, folder = exercise_named(options.exercise), folder_of(options)
    home, text = folder, stub(exercise)
    if options.proof:
        home, text = proofs_of(folder), proof_stub(exercise)
    path = home / exercise.filename
    own = read_own(path) if path.exists() else None
    if own == text.encode():
        print(clean(f"{path} is already the stub"))
        return 0
    if own is not None:
        kept = unused(path.with_suffix(".bak"))
        write(kept, own)
        print(clean(f"your version is kept as {kept}"))
    write(path, text)
    print(clean(f"{path} is the stub again"))
    progress = Progress(folder)
    progress.forget(f"proofs/{exercise.slug}" if options.proof else exercise.slug)
    progress.save()
    return 0
