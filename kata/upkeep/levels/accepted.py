"""Every right answer says which sentence of its contract makes it right.

A learner whose test refuses it reads that sentence.
"""

from collections.abc import Iterator

from kata.course.curriculum import Exercise
from kata.course.source import read
from kata.proofs.right import because
from kata.upkeep.faces import accepted


def right_answers_quote_their_contract(exercise: Exercise) -> Iterator[str]:
    """The docstring of each ends with words of the stub, as they stand there."""
    contract = " ".join(read(exercise.stub).text.split())  # without its line breaks
    for path in accepted(exercise):
        quoted = because(read(path).text)
        if not quoted:
            yield f'{path.name}: its docstring does not end with the line `The contract: "…"`'
        elif quoted not in contract:
            yield f"{path.name}: this does not stand in {exercise.stub.name}: {quoted}"
