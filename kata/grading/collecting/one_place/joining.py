"""One exercise in several files, each with other functions of it: `part1.ipynb`, `part2.ipynb`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kata.course.curriculum import exercises
from kata.course.notebooks.notebook_file import NotebookCell
from kata.course.source import contract
from kata.grading.collecting.handed_text.scripts import WRITTEN, cells_of, text_of
from kata.grading.collecting.names import few
from kata.grading.collecting.notebooks import begun_names, named_exercise
from kata.grading.collecting.one_place.files import File, own_name
from kata.words import say

MORE = 2  # files, or there is nothing to join


def joined(slug: str, files: Sequence[File]) -> File | None:
    """All as one, if each begins what no other does, and none is the exercise's own file."""
    if len(files) < MORE or not all(each.taken or each.short for each in files):
        return None
    wanted = {*contract(exercises()[slug]).names}
    texts = [text_of(each.content) for each in files]
    begun = [begun_names(text, wanted) for text in texts]
    together = {name for names in begun for name in names}
    apart = len(together) == sum(map(len, begun))
    if not all(begun) or not apart:
        return None
    numbers = [(0, 0)]  # of a cell: the file, and the line before the cell's first
    cells: list[NotebookCell] = []
    for at, (text, names) in enumerate(zip(texts, begun, strict=True)):
        for cell in _written(text, wanted - names):
            cells.append(replace(cell, number=len(numbers)))
            numbers.append((at, cell.number - 1))
    found = named_exercise(exercises()[slug], cells)
    places: dict[int, tuple[int, int]] = {}
    elsewhere: dict[int, tuple[str, int]] = {}
    for line, (which, inner) in found.places.items():
        at, before = numbers[which]
        place = _place(files[at], before + inner)
        if at:
            elsewhere[line] = _name(files[at], place[0]), place[1]
        else:
            places[line] = place
    taken = replace(found, places=places)
    return replace(files[0], content=found.text, taken=taken, elsewhere=elsewhere)


def note(slug: str, files: Sequence[File]) -> str:
    """Which files an exercise was put together from."""
    names = few("/".join([*each.parts[:-1], own_name(each.parts[-1])]) for each in files)
    return say("collecting.joined", short=exercises()[slug].short, names=names)


def _written(text: str, unwritten: set[str]) -> Iterator[NotebookCell]:
    """Without the stubs of what another file defines."""
    return (cell for cell in cells_of(text) if not {*WRITTEN.findall(cell.text)} & unwritten)


def _place(file: File, line: int) -> tuple[int, int]:
    return file.taken.places.get(line, (1, line)) if file.taken else (1, line)


def _name(file: File, cell: int) -> str:
    name = own_name(file.parts[-1])
    in_cells = file.taken and not file.script
    return say("collecting.cell-of", name=name, cell=cell) if in_cells else name
