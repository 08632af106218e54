"""Lines of a file that was put together, said as its author knows them.

Of a notebook these are cells, and lines in them; of a file with several exercises its own lines.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from kata.grading.collecting.submissions import FromNotebook
from kata.text import clean
from kata.verdict import ExerciseVerdict, Message

PLACE = re.compile(r"(?:submission/)?(ex\d\d_\w+)\.py:(\d+)\b")  # as tracebacks say it
FLAGGED = re.compile(r"(?<=: )lines? (\d+(?:, \d+)*)")  # as flags do
Notebooks = Mapping[str, FromNotebook]  # by exercise


def in_cells(verdict: ExerciseVerdict, notebooks: Notebooks) -> ExerciseVerdict:
    """The same verdict, naming cells where its author has a notebook and no file."""
    if not notebooks:
        return verdict
    own = notebooks.get(verdict.slug)
    claims = tuple(replace(each, message=each.message and _message(each.message, notebooks, own))
                   for each in verdict.claims)  # fmt: skip
    flags, left_over = verdict.flags, verdict.left_over
    if own:
        flags, left_over = (tuple(_flag(t, own) for t in texts) for texts in (flags, left_over))
    return replace(verdict, claims=claims, flags=flags, left_over=left_over)


def _message(message: Message, notebooks: Notebooks, own: FromNotebook | None) -> Message:
    frames = [PLACE.sub(lambda found: _place(found, notebooks), each) for each in message.frames]
    line = _own_line(own, message.line) if own else message.line
    return replace(message, frames=frames, line=line)


def _own_line(own: FromNotebook, line: int) -> int:
    """The line at which to open the author's own file; a notebook is opened at none."""
    return own.places.get(line, (0, 0))[1] if own.script else 0


def _place(found: re.Match[str], notebooks: Notebooks) -> str:
    """A place in a file, if that is none of a notebook's; else in a cell of it."""
    notebook = notebooks.get(found[1])
    if notebook and (place := notebook.modules.get(int(found[2]))):
        return f"{place[0]}:{place[1]}"
    if notebook is None or int(found[2]) not in notebook.places:
        return found[0]
    if notebook.script:
        return f"{notebook.name}:{notebook.places[int(found[2])][1]}"
    return f"{notebook.name}, {_in_words(notebook, int(found[2]))},"


def _flag(text: str, notebook: FromNotebook) -> str:
    return FLAGGED.sub(lambda found: _lines(found, notebook), text)


def _lines(found: re.Match[str], notebook: FromNotebook) -> str:
    lines = [int(each) for each in found[1].split(", ")]
    if not all(each in notebook.places or each in notebook.modules for each in lines):
        return found[0]
    return "; ".join(_in_words(notebook, each) for each in lines)


def _in_words(notebook: FromNotebook, line: int) -> str:
    if line in notebook.modules:
        name, own = notebook.modules[line]
        return f"line {own} of {clean(name)}"
    cell, line_in_cell = notebook.places[line]
    if notebook.script:
        return f"line {line_in_cell} of {clean(notebook.name)}"
    return f"code cell {cell}, line {line_in_cell}"
