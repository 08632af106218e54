"""`kata hint --proof`: hints about wrong answers that a learner's own tests miss."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from kata.commands.as_json import document
from kata.commands.common import folder_of
from kata.commands.for_practice.prove import chosen_proof, judged, nothing_written
from kata.course.curriculum import Exercise
from kata.course.source import UnusableError
from kata.learner.progress import Progress, learner
from kata.practice.survivors import Given, none_left, one_more, told
from kata.proofs.shown.survivor import STEPS
from kata.terminal.style import style_of


def run(options: Namespace) -> int:
    """Print what is known of one that is missed, and one thing more than last time."""
    proof, name = chosen_proof(options), options.function or ""
    if not proof.written:
        print(nothing_written(proof))
        return 0
    exercise, verdict, memory = proof.exercise, judged(proof), Progress(folder_of(options))
    passed = _has_passed(memory, folder_of(options), exercise)
    given = None if verdict.refuses else one_more(memory, exercise, verdict, name, passed=passed)
    if options.json:
        print(document(_content(exercise, given)))
    elif given:
        print(*told(given, style_of(sys.stdout)), sep="\n")
    else:
        print(none_left(exercise, verdict, name))
    return 0


def _has_passed(memory: Progress, folder: Path, exercise: Exercise) -> bool:
    try:
        return memory.passed(learner(folder, memory).digest(exercise.slug))
    except UnusableError:
        return False


def _content(exercise: Exercise, given: Given | None) -> dict[str, Any]:
    """In the form of the other hints."""
    return {
        "exercise": exercise.slug,
        "about": given.about.about if given else "",
        "hints": list(given.texts) if given else [],
        "of": STEPS if given else 0,
        "remembered": given.saved if given else True,
    }
