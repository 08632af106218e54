"""The files of a new exercise, made from templates/; TODO marks what has to be written."""

import json
from pathlib import Path
from string import Template

from kata.course.contract import stub_of
from kata.course.curriculum import Exercise
from kata.course.source import functions, parse
from kata.proofs.stubs import proof_stub_of
from kata.upkeep.faces import CAPTIONS, ENTRY, figure_file, proof_file, sheet_file

TEMPLATES = Path(__file__).with_name("templates")
LIBRARY = {  # what the templates write for it
    "numpy": {
        "imports": "import numpy as np",
        "module": "numpy as np",
        "kind": "np.ndarray",
        "array": "np.array",
        "setup": "",
        "wants": "submission",
    },
    "torch": {
        "imports": "from torch import Tensor",
        "module": "torch",
        "kind": "Tensor",
        "array": "torch.tensor",
        "setup": ">>> import torch\n    ",
        "wants": "submission, device",
    },
}


def files(exercise: Exercise) -> dict[Path, str]:
    """Every file that belongs to this exercise alone, with its text."""
    solution = _filled("solution.py", exercise)
    source = parse(exercise.solution, solution)
    return {
        exercise.solution: solution,
        exercise.stub: stub_of(exercise, source),
        proof_file(exercise): proof_stub_of(exercise, [name for name, _ in functions(source.tree)]),
        exercise.suite: _filled("suite.py", exercise),
        exercise.bugs: _filled("bugs.toml", exercise),
        figure_file(exercise): _filled("figure.py", exercise),
        sheet_file(exercise): _filled("sheet.toml", exercise),
    }


def additions(exercise: Exercise) -> dict[Path, str]:
    """What is appended to files that all exercises share."""
    return {ENTRY: _filled("entry.toml", exercise), CAPTIONS: _filled("captions.toml", exercise)}


def draft(exercise: Exercise) -> dict[Path, str]:
    """The least that can be graded: a stub, a solution and a suite, in a course of one's own."""
    made = files(exercise)
    return {path: made[path] for path in (exercise.stub, exercise.solution, exercise.suite)}


def draft_entry(exercise: Exercise) -> str:
    """What is appended to the curriculum of that course."""
    return _filled("own_entry.toml", exercise)


def _filled(template: str, exercise: Exercise) -> str:
    text = (TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
    number, _, name = exercise.slug.removeprefix("ex").partition("_")
    entry = {
        literal: getattr(exercise, literal) for literal in ("title", "core", "points", "minutes")
    }
    values = {each: json.dumps(value, ensure_ascii=False) for each, value in entry.items()}
    values["needs"] = json.dumps(exercise.needs)
    own = {"slug": exercise.slug, "number": number, "name": name, "library": exercise.library}
    return Template(text).substitute(values, **own, **LIBRARY[exercise.library])
