"""A verdict in the words of a notebook: cells in place of a file and its lines."""

import re
from dataclasses import replace

from kata.course.curriculum import Exercise
from kata.course.notebooks.cells import Assembly
from kata.notebook.kernel import THIS_NOTEBOOK, place
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

FRAME = re.compile(r"(?P<file>[^\n]*):(?P<line>\d+) in ")


class InCells:
    """Translates what is said of a file that was assembled from cells."""

    def __init__(self, exercise: Exercise, assembly: Assembly) -> None:
        self._file = exercise.filename
        self._places = assembly.places

    def verdict(self, exercise_verdict: ExerciseVerdict) -> ExerciseVerdict:
        """The same verdict about cells."""
        return replace(exercise_verdict, claims=tuple(map(self._claim, exercise_verdict.claims)))

    def _claim(self, claim_verdict: ClaimVerdict) -> ClaimVerdict:
        from kata.judging.attempt import not_importable  # with it comes numpy

        message = claim_verdict.message
        if message is None or claim_verdict.state is State.SKIPPED:
            return claim_verdict
        if message.claim == not_importable(self._file):
            claim = "your cells raise an error when they are run in a fresh process"
        else:
            claim = self._without_file(message.claim)
        frames = [self._frame(frame) for frame in message.frames]
        evidence = self._not_written(message) or self._without_file(message.evidence)
        message = replace(message, claim=claim, evidence=evidence, frames=frames)
        return replace(claim_verdict, message=message)

    def where(self, line: int) -> str:
        """The place of a line in the notebook; empty if it is of no cell."""
        return place(*self._places[line]) if line in self._places else ""

    def _without_file(self, text: str) -> str:
        """A text without the name of a file that is not there."""
        return text.replace(self._file, THIS_NOTEBOOK)

    def _not_written(self, message: Message) -> str:
        """What says which line still raises; empty for any other message."""
        from kata.judging.attempt import NotWrittenError

        for line in filter(None, [message.line]):
            name = message.evidence.split("`")[1] if "`" in message.evidence else ""
            if message.evidence == str(NotWrittenError(name, line)):
                where = self.where(line)
                why = f"{where} still raises" if where else "no cell defines it"
                return f"`{name}` is not written yet: {why}"
        return ""

    def _frame(self, text: str) -> str:
        """One call of a traceback: of a cell, or of the file of an earlier exercise."""
        match = FRAME.match(text)
        if not match or not match["file"].endswith(self._file):
            return text
        where = self.where(int(match["line"]))
        return f"{where or THIS_NOTEBOOK} in {text[match.end() :]}"
