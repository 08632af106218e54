"""A learner's work in a notebook: the texts of its exercises, as a target for the judge."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from kata.course.curriculum import Exercise, exercises
from kata.course.naming import misspelled
from kata.course.notebooks.cells import Assembly, Cell, assembled, completed
from kata.course.source import UnusableError, contract, not_started, parse
from kata.course.target import Target
from kata.learner.folder.nearest import folder_of_notebook
from kata.learner.folder.notebooks import texts
from kata.learner.progress import Progress, learner
from kata.notebook.kernel import THIS_NOTEBOOK
from kata.terminal.board import Origin

DEFINED = re.compile(r"^[ \t]*(?:async +def|def|class) +(\w+)", re.MULTILINE)
DEFINITIONS = re.compile(r"\b([A-Za-z_]\w*) *(?::[^=\n]+)?=[^=]")


class Work:
    """What cells define, beside the files of a folder.

    Later exercises use earlier ones that have passed, from these cells or from that folder.
    """

    def __init__(self, cells: Sequence[Cell], folder: Path | None = None) -> None:
        self.cells = cells
        self.folder = folder_of_notebook() if folder is None else folder
        self.progress = Progress(self.folder)
        self._assemblies: dict[str, Assembly] = {}

    def assembly(self, exercise: Exercise) -> Assembly:
        """The cells as the text of this exercise."""
        if exercise.slug not in self._assemblies:
            self._assemblies[exercise.slug] = assembled(self.cells, exercise)
        return self._assemblies[exercise.slug]

    def text(self, exercise: Exercise) -> str:
        """What a file would hold, with a stub for each name that no cell defines."""
        return completed(self.assembly(exercise), exercise).text

    def target(self, exercise: Exercise) -> Target:
        """The exercise, with the earlier ones that it may need."""
        earlier = [exercises()[slug] for slug in exercise.needs]
        own = {
            prerequisite.slug: self.text(prerequisite)
            for prerequisite in earlier
            if self.defines(prerequisite)
        }
        own[exercise.slug] = self.text(exercise)
        return learner(self.folder, self.progress, {**texts(self.folder), **own})

    def target_of_all(self) -> Target:
        """Everything that is begun here, and everything beside it."""
        own = {exercise.slug: self.text(exercise) for exercise in self.begun()}
        return learner(self.folder, self.progress, {**texts(self.folder), **own})

    def all_texts(self) -> dict[str, str]:
        """The text of every exercise of which there is one, here or beside it."""
        target, by_slug = self.target_of_all(), {}
        for slug in exercises():
            with suppress(UnusableError):
                by_slug[slug] = target.source(slug).text
        return by_slug

    def unfound(self, exercise: Exercise, name: str = "") -> Iterator[str]:
        """Why no cell defines what is asked for: one is not Python, or spells it in another way."""
        for missing in self.assembly(exercise).missing:
            others = sorted(self._names - set(contract(exercise).names))
            if name and missing != name:
                continue
            if cell := self._broken(exercise, missing):
                yield (
                    f"cell [{cell}] defines `{missing}`, but is not Python as it stands: "
                    "mend it, and run it again"
                )
            elif close := misspelled(missing, others):
                yield f"no cell defines `{missing}`{close}"

    def _broken(self, exercise: Exercise, name: str) -> int:
        """The last cell that would define this if it were Python; 0 if there is none."""
        unread = self.assembly(exercise).unread
        cells = [cell for cell in self.cells if cell.number in unread]
        numbers = [cell.number for cell in cells if name in DEFINED.findall(cell.text)]
        return numbers[-1] if numbers else 0

    def here(self, slugs: Sequence[str]) -> dict[str, Origin]:
        """The origins of exercises that are in this notebook, whatever lies beside it."""
        return {slug: Origin(THIS_NOTEBOOK, in_cells=True) for slug in slugs}

    def defines(self, exercise: Exercise) -> int:
        """How many names of an exercise the cells define, by a glance at their text."""
        return len(self._own(exercise))

    def begun(self) -> list[Exercise]:
        """The exercises of which the cells define more than stubs, each name for one exercise."""
        candidates = [
            exercise
            for exercise in exercises().values()
            if self.defines(exercise) and self._written(exercise)
        ]
        return [exercise for exercise in candidates if not self._is_another(exercise, candidates)]

    def _written(self, exercise: Exercise) -> bool:
        source = parse(self.folder / exercise.filename, self.text(exercise))
        return not not_started(source, exercise)

    def _is_another(self, exercise: Exercise, candidates: Sequence[Exercise]) -> bool:
        """Whether its names are those of an exercise of which more is there."""
        mine = self._share(exercise)
        return any(
            self._own(exercise) <= self._own(other) and mine < self._share(other)
            for other in candidates
        )

    def _own(self, exercise: Exercise) -> set[str]:
        return self._names.intersection(contract(exercise).names)

    def _share(self, exercise: Exercise) -> tuple[int, float]:
        """How many of its names are there, and of how many."""
        count = len(self._own(exercise))
        return count, count / len(contract(exercise).names)

    @cached_property
    def _names(self) -> set[str]:
        """What any cell seems to define."""
        text = "\n".join(cell.text for cell in self.cells)
        return {*DEFINED.findall(text), *DEFINITIONS.findall(text)}
