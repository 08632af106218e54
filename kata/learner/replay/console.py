"""A Python prompt whose tracebacks leave the kata's own lines out."""

import code
import sys
import traceback
from pathlib import Path

OWN = str(Path(__file__).parents[2])  # the folder `kata`


class Console(code.InteractiveConsole):
    """The prompt of `kata call`."""

    def showtraceback(self) -> None:
        """Show what was raised, and where in the learner's code."""
        if error := sys.exc_info()[1]:
            self.write(traceback_text(error))


def traceback_text(error: BaseException) -> str:
    """A traceback without the lines that lead from the prompt to the learner's function."""
    traceback_exception = traceback.TracebackException.from_exception(error)
    frames = [frame for frame in traceback_exception.stack if not frame.filename.startswith(OWN)]
    traceback_exception.stack = traceback.StackSummary.from_list(frames)
    return "".join(traceback_exception.format())
