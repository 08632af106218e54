"""`kata hint --proof`: hints about wrong answers that a learner's own tests miss."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from kata.commands.as_json import document
from kata.commands.common import folder_of
from kata.commands.prove import chosen_proof, judged, nothing_written
from kata.course.curriculum import Exercise
from kata.course.source import UnusableError
from kata.learner.progress import Progress, learner
from kata.practice.survivors import SurvivorHints, hint_lines, none_left, one_more
from kata.proofs.shown.survivor import STEPS
from kata.terminal.style import style_of


def run(options: Namespace) -> int:
    """Print the hints about a wrong answer that is missed, one more than last time."""
    proof, name = chosen_proof(options), options.function or ""
    if not proof.written:
        print(nothing_written(proof))
        return 0
    exercise, verdict, memory = proof.exercise, judged(proof), Progress(folder_of(options))
    passed = _has_passed(memory, folder_of(options), exercise)
    hints = None if verdict.refuses else one_more(memory, exercise, verdict, name, passed=passed)
    if options.json:
        print(document(_content(exercise, hints)))
    elif hints:
        print(*hint_lines(hints, style_of(sys.stdout)), sep="\n")
    else:
        print(none_left(exercise, verdict, name))
    return 0


def _has_passed(memory: Progress, folder: Path, exercise: Exercise) -> bool:
    try:
        return memory.passed(learner(folder, memory).digest(exercise.slug))
    except UnusableError:
        return False


def _content(exercise: Exercise, hints: SurvivorHints | None) -> dict[str, Any]:
    """The hints for programs, in the form of the other ones."""
    return {
        "exercise": exercise.slug,
        "about": hints.about.about if hints else "",
        "hints": list(hints.texts) if hints else [],
        "of": STEPS if hints else 0,
        "remembered": hints.saved if hints else True,
    }
