"""Start an exercise over from its stub, or your tests of it; yours is kept under a number."""

from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, folder_of
from kata.course.curriculum import exercise_named
from kata.learner.help import reset
from kata.learner.status import Work


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", help="ex05, or ex05_causal_masks")
    add_folder(parser)
    parser.add_argument("--proof", action="store_true", help="your tests in proofs/")


def run(options: Namespace) -> int:
    """Write the stub, and say after every step what was done."""
    exercise, folder = exercise_named(options.exercise), folder_of(options)
    for line in reset(Work(folder), exercise, proof=options.proof):
        print(line)
    return 0
