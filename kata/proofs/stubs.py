"""The stub of a proof: what a learner begins with who writes the tests of an exercise."""

import re
from collections.abc import Iterator

from kata.course.curriculum import EXERCISES, Exercise
from kata.course.source import contract

FOLDER = EXERCISES.parent / "proofs"  # of a checkout
WIDEST = 100  # columns
LIBRARIES = {"numpy": "import numpy as np", "torch": "import torch"}
STUB = '''\
"""Your own tests of exercise {number}: {title}. `kata prove {short}` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/{slug}.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove {short}")

{library}

{names}
'''
TEST = """

def {name}() -> None:
    raise NotImplementedError("not written yet")
"""


def proof_stub(exercise: Exercise) -> str:
    """A function for each name of the contract, which raises that it is not written yet."""
    return proof_stub_of(exercise, contract(exercise).names)


def proof_stub_of(exercise: Exercise, names: list[str]) -> str:
    """The same for an exercise whose solution need not be in its folder yet."""
    head = STUB.format(
        number=exercise.short.removeprefix("ex"),
        title=exercise.title,
        short=exercise.short,
        slug=exercise.slug,
        library=LIBRARIES[exercise.library],
        names=_imports(exercise, names),
    )
    return head + "".join(TEST.format(name=name) for name in _tests(names))


def _tests(names: list[str]) -> Iterator[str]:
    """A name of its own for each, spelled as functions are: `test_multi_head_attention`."""
    for name in names:
        spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        is_taken = spelled != name and spelled in names  # by a function, next to this class
        yield f"test_{spelled}_module" if is_taken else f"test_{spelled}"


def _imports(exercise: Exercise, wanted: list[str]) -> str:
    names = sorted(wanted, key=lambda name: (name.islower(), name))
    line = f"from exercises.{exercise.slug} import {', '.join(names)}"
    if len(line) <= WIDEST:
        return line
    listed = "".join(f"    {name},\n" for name in names)
    return f"from exercises.{exercise.slug} import (\n{listed})"
