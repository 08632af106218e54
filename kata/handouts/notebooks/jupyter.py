"""A notebook as Jupyter writes it: nbformat 4.5, the same bytes in every build."""

import json
from typing import Any

from kata.course.curriculum import Exercise
from kata.handouts.notebooks.pieces import Kind, Piece, pieces

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LONGEST_ID = 64  # characters


def jupyter(exercise: Exercise) -> str:
    """The notebook of an exercise as the text of its file."""
    notebook = {
        "cells": [_cell(exercise, piece) for piece in pieces(exercise)],
        "metadata": {
            "kata": {"exercise": exercise.slug},
            "kernelspec": KERNEL,
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cell(exercise: Exercise, piece: Piece) -> dict[str, Any]:
    about = {"name": piece.about} if piece.about else {}
    cell: dict[str, Any] = {
        "id": f"{exercise.short}-{piece.name}"[:LONGEST_ID],
        "metadata": {"kata": {"kind": piece.kind.value, **about}},
        "source": piece.text.splitlines(keepends=True),
    }
    if piece.kind is Kind.TEXT:
        return {"cell_type": "markdown", **cell}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **cell}
