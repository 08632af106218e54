"""Give a hint, one more each time, about your own mistake if it was recognised.

With --proof, it is about a wrong answer that your own tests in proofs/ miss. With --json, for other
programs, it counts as well: the next call gives one more.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from kata.commands.as_json import document
from kata.commands.common import add_folder, folder_of, source_of, track_of
from kata.course.curriculum import Exercise, exercise_named
from kata.errors import UserError
from kata.learner.help import Hints, hint_lines, next_hint, no_hint
from kata.learner.progress import Progress
from kata.learner.status import Work, outlook, statuses
from kata.learner.waiting_judge import judged
from kata.terminal.style import style_of


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", nargs="?", help="ex05; by default the one that failed last")
    parser.add_argument("function", nargs="?", help="with --proof: about this function of it")
    add_folder(parser)
    parser.add_argument("--proof", action="store_true", help="about your tests in proofs/")
    parser.add_argument("--json", action="store_true", help="for other programs")


def run(options: Namespace) -> int:
    """Print hints about what fails now: a file that changed is judged again first."""
    if options.proof:
        return _about_proof(options)
    if options.function:
        raise UserError(
            "the name of a function goes with --proof: `kata hint --proof ex05 mask_scores`"
        )
    folder = folder_of(options)
    exercise = exercise_named(options.exercise) if options.exercise else _next(options, folder)
    if exercise:
        return _about_answer(options, folder, exercise)
    print(_document(None, None) if options.json else "all claims of all exercises hold")
    return 0


def _next(options: Namespace, folder: Path) -> Exercise | None:
    """Return the exercise that was worked on last, or is open; None if all is done."""
    exercises = track_of(options)
    first = outlook(folder, list(statuses(folder, exercises))).next
    return exercises[first.slug] if first else None


def _about_answer(options: Namespace, folder: Path, exercise: Exercise) -> int:
    source, verdict = source_of(folder, exercise), judged(folder, exercise)
    # Read it only now that the judge has noted its verdict.
    progress = Progress(folder)
    hints = None if verdict.done else next_hint(progress, exercise, verdict, source)
    if options.json:
        print(_document(exercise, hints))
    elif hints:
        print(*hint_lines(hints, progress, exercise, style_of(sys.stdout)), sep="\n")
    else:
        print(no_hint(exercise))
    return 0


def _about_proof(options: Namespace) -> int:
    """Print the hints about a wrong answer that the learner's tests miss."""
    # Late, because few ask for these hints.
    from kata.commands.prove import judged_proof, nothing_written, proof_of
    from kata.practice.survivors import hint_lines, next_hint, no_hint

    proof, name = proof_of(options), options.function or ""
    if not proof.written:
        print(nothing_written(proof))
        return 0
    verdict = judged_proof(proof)
    hints = next_hint(Work(folder_of(options)), verdict, name)
    if options.json:
        print(_document(proof.exercise, hints))
    elif hints:
        print(*hint_lines(hints, style_of(sys.stdout)), sep="\n")
    else:
        print(no_hint(verdict, prove=f"kata prove {proof.exercise.short}", name=name))
    return 0


def _document(exercise: Exercise | None, hints: Hints | None) -> str:
    return document(
        {
            "exercise": exercise and exercise.slug,
            "about": hints.about if hints else "",
            "hints": list(hints.texts) if hints else [],
            "of": hints.total if hints else 0,
            "remembered": hints.saved if hints else True,
        }
    )
