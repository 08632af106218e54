"""The file that counts for an exercise, of several that were handed in.

`contents` chooses within one folder or archive, `submissions` among all places of a student;
`modules` puts an answer and its imports together with `composed`. Names tell which file is later;
what a disk or an archive gives as its date does not. Parts of one exercise, each with other
functions of it, count together: `part1.ipynb`, `part2.ipynb`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kata.course.curriculum import exercises
from kata.course.notebooks.notebook_file import NotebookCell
from kata.course.source import UnusableError, decoded, not_started, parse
from kata.grading.collecting.names import Nearness, ShortName, ages, few, name_parts, number, shorts
from kata.grading.collecting.notebooks import (
    WRITTEN,
    Extract,
    asked_of,
    cells_of,
    named_exercise,
)
from kata.grading.collecting.places import Location
from kata.grading.collecting.python_files import begun_names, text_of
from kata.text import shown

SEVERAL = 2  # files, or there is nothing to choose or to put together
Parts = tuple[str, ...]
Cells = Iterable[tuple[int, NotebookCell]]  # each with the number of its file
PlaceOf = Callable[[int, int], tuple[str, int] | None]  # number of a file, line → name, line


@dataclass(frozen=True)
class File:
    """A file for an exercise, or what a notebook or a file of several exercises holds of it."""

    slug: str
    parts: Parts  # of its path
    content: bytes
    archive: str = ""  # that contains it, if that lies in a folder
    extract: Extract | None = None  # if it is from a notebook, or from a file of several exercises
    short: ShortName | None = None  # if it does not have the exercise's name
    script: bool = False  # whether it is from a file of several exercises
    elsewhere: Mapping[int, tuple[str, int]] = field(default_factory=dict)  # lines of other files
    spare: bool = False  # whether it counts only where nothing else does

    @property
    def path(self) -> str:
        """Where it was handed in."""
        return "/".join(self.parts)

    @property
    def name(self) -> str:
        """What the student has called it."""
        return own_name(self.parts[-1])

    @property
    def own_path(self) -> str:
        """The same with its folders."""
        return "/".join([*self.parts[:-1], self.name])

    @property
    def renamed(self) -> bool:
        """Whether it does not have the exercise's own filename."""
        suffix = "ipynb" if self.extract else "py"
        return self.parts[-1] != f"{self.slug}.{suffix}"

    @property
    def begun(self) -> bool:
        """Whether anything has been written."""
        return self.extract.begun if self.extract else _is_begun(self.slug, self.content)

    @property
    def upload(self) -> tuple[int, ...]:
        """Whether it is in an archive, and how late that or the file was uploaded."""
        archive, order = number(self.archive), name_parts(self.parts[-1]).order
        return (bool(self.archive), -archive, -order)

    @property
    def nearness(self) -> int:
        """How near its name comes to that of the exercise's own file."""
        return self.short.nearness if self.short else int(self.renamed)

    @property
    def kind(self) -> tuple[int, int, int]:
        """Files come first, by their names; then what names less clearly and defines less."""
        if self.extract is None:
            return (int(self.short is not None), 0, 0)
        order = {True: 2, False: 3, None: 4}[self.extract.named]
        return (order, len(self.extract.missing), int(not self.script))

    def place(self, line: int) -> tuple[int, int] | None:
        """The cell of a line, and the line in it; None if the student has not written the line."""
        return self.extract.places.get(line) if self.extract else (1, line)

    def place_in_words(self, line: int) -> tuple[str, int] | None:
        """The file or the cell of a line, and the line in it."""
        if place := self.place(line):
            name, in_cells = shown(self.name), self.extract and not self.script
            return f"{name}, code cell {place[0]}" if in_cells else name, place[1]
        return None

    def is_unranked(self, other: "File") -> bool:
        """Whether the words in two short names leave open which is later: `ex05_final.py`."""
        if not (self.short and other.short) or self.extract or other.extract:
            return False
        shorts = (self.short, other.short)
        if Nearness.OLDER in {short.nearness for short in shorts}:
            return False
        same = (self.upload, len(self.parts)) == (other.upload, len(other.parts))
        return same and any(short.wordy for short in shorts)


def own_name(name: str) -> str:
    """The student's name for a file, also if Canvas' files were sorted into folders by hand."""
    parts = name_parts(name)
    return parts.file if parts.numbered else name


# -- which of several files for one exercise counts


def choice_in_place(slug: str, files: Iterable[File]) -> tuple[File | None, str]:
    """Choose the file that counts, with a note if another one differs from it.

    Files outside of archives come first, then later uploads, then files before notebooks, then the
    exercise's own filename, then fewer folders. Dates are not looked at: exports change them. A
    stub never replaces written work. If nothing ranks two files that differ, neither counts.
    """
    candidates = _candidates(files)
    if len(candidates) < SEVERAL:  # nearly always
        return next(iter(candidates), None), ""
    folders = ages(["/".join(file.parts[:-1]) for file in candidates])
    names = ages([file.name for file in candidates])
    age = {id(file): age for file, *age in zip(candidates, folders, names, strict=True)}
    ranks = {id(file): (*file.upload, *folder, *file.kind, *name, file.nearness, len(file.parts))
             for file, folder, name in zip(candidates, folders, names, strict=True)}  # fmt: skip
    best = min(candidates, key=lambda file: ranks[id(file)])
    others = _unlike(best, candidates)
    if whole := _joined([best, *others]):
        return whole
    exercise = exercises()[slug]
    odd = any(file.extract or file.short for file in candidates)
    twice = f"{exercise.short if odd else exercise.filename} was found more than once"
    # No name tells which of these is later.
    rivals = [file for file in others if ranks[id(file)] == ranks[id(best)]
              or (age[id(file)] == age[id(best)] and best.is_unranked(file))]  # fmt: skip
    if rivals:
        names_of_all = few(file.path for file in (best, *rivals))
        return None, f"{twice} with different content, so none counts: {names_of_all}"
    left = few(file.path for file in others)
    return best, f"{twice}: {few([best.path])} counts, not {left}" if others else ""


def _candidates(files: Iterable[File]) -> list[File]:
    """Those in which anything is written; if in none, the files, which notebooks only repeat.

    What counts only where nothing else does is one only then.
    """
    every = [*files]
    chosen = [file for file in every if not file.spare] or every
    if len(chosen) < SEVERAL:
        return chosen
    begun = [file for file in chosen if file.begun]
    return begun or [file for file in chosen if not file.extract] or chosen[:1]


def _unlike(best: File, files: Iterable[File]) -> list[File]:
    same = _normalized(best.content)
    return [file for file in files if _normalized(file.content) != same]


def _normalized(content: bytes) -> bytes:
    """The content with the same line endings on every system."""
    return b"\n".join(content.rstrip().splitlines())


def _is_begun(slug: str, content: bytes) -> bool:
    """Whether any function is written: a stub of another version, or with remarks, is a stub."""
    exercise = exercises()[slug]
    try:
        text = decoded(exercise.filename, content)
        return not not_started(parse(exercise.stub, text), exercise)
    except UnusableError:
        return True


# -- several places


@dataclass(frozen=True)
class Choice:
    """The file that counts for one exercise, of those in all places of a student."""

    slug: str
    file: File
    place: Location
    rivals: tuple[Location, ...] = ()  # that hold a different file and are just as late
    earlier: tuple[Location, ...] = ()  # that hold a different file
    beside: tuple[Location, ...] = ()  # just as late, but notebooks that say less
    note: str = ""  # on what it was put together from


def choices(places: Sequence[tuple[Location, Mapping[str, File]]]) -> list[Choice]:
    """Choose the file that counts for each exercise that is in any of these places.

    The later one counts, where names tell which is later: Canvas numbers its files, Blackboard adds
    the date, `alice (1).zip` came after `alice.zip`. A stub never replaces written work. If the
    names do not tell, a file counts before a notebook; of two files nothing is graded: the
    instructor decides.
    """
    slugs = [slug for slug in exercises() if any(slug in files for _, files in places)]
    return [_choice(slug, [(place, files[slug]) for place, files in places if slug in files])
            for slug in slugs]  # fmt: skip


def _choice(slug: str, there: list[tuple[Location, File]]) -> Choice:
    owners = {id(file): place for place, file in there}
    files = _candidates(file for _, file in there)
    if whole := _joined(files):
        return Choice(slug, whole[0], there[0][0], note=whole[1])
    # The lowest counts: the latest, and of those just as late a file before a notebook.
    names = ages([file.name for file in files])
    ranks = {id(file): (-owners[id(file)].label.order, *file.kind, *name)
             for file, name in zip(files, names, strict=True)}  # fmt: skip
    chosen = min(files, key=lambda file: ranks[id(file)])
    best = ranks[id(chosen)]
    others = [(ranks[id(file)], owners[id(file)]) for file in _unlike(chosen, files)]
    return Choice(
        slug,
        chosen,
        owners[id(chosen)],
        rivals=tuple(place for rank, place in others if rank == best),
        earlier=tuple(place for rank, place in others if rank[0] > best[0]),
        beside=tuple(place for rank, place in others if rank[0] == best[0] and rank != best),
    )


def unclear(made: list[Choice]) -> str:
    """Say why work cannot be graded of which no name tells which is later; empty if it can."""
    open_ones = [choice for choice in made if choice.rivals]
    names = few(place.shown for choice in open_ones for place in (choice.place, *choice.rivals))
    about = shorts(choice.slug for choice in open_ones)
    again = "handed in more than once, and the names do not tell which is later"
    return f"{again}: {names} differ in {about}" if open_ones else ""


def on_choices(made: list[Choice]) -> Iterator[str]:
    """A note for each place from which a later version, or one that says more, was taken."""
    yield from _on_places(made, lambda choice: choice.earlier, "is later, and counts")
    yield from _on_places(made, lambda choice: choice.beside, "counts")


def _on_places(
    made: list[Choice], left_of: Callable[[Choice], tuple[Location, ...]], counts: str
) -> Iterator[str]:
    groups: dict[tuple[Location, tuple[Location, ...]], list[str]] = {}
    for choice in made:
        if left := left_of(choice):
            groups.setdefault((choice.place, left), []).append(choice.slug)
    for (place, left), slugs in groups.items():
        again = f"{shorts(slugs)} handed in more than once: {few([place.shown])} {counts}"
        yield f"{again}, not {few(other.shown for other in left)}"


# -- several files as one


def _joined(files: Sequence[File]) -> tuple[File, str] | None:
    """All as one, with a note, if each begins what no other does, and none is the exercise's own
    file.
    """
    if len(files) < SEVERAL or not all(file.extract or file.short for file in files):
        return None
    slug = files[0].slug
    texts = [text_of(file.content) for file in files]
    begun = [begun_names(text, asked_of(slug)) for text in texts]
    together = {name for names in begun for name in names}
    if not all(begun) or len(together) != sum(map(len, begun)):
        return None
    # Without the stubs of what another file defines.
    cells = ((at, cell) for at, (text, names) in enumerate(zip(texts, begun, strict=True))
             for cell in cells_of(text)
             if not {*WRITTEN.findall(cell.text)} & (asked_of(slug) - names))  # fmt: skip
    whole = composed(files[0], cells, lambda at, line: files[at].place_in_words(line))
    names = few(file.own_path for file in files)
    return whole, f"{exercises()[slug].short} was put together from {names}"


def composed(base: File, cells: Cells, place_of: PlaceOf) -> File:
    """Put a file together from these cells, of which those with the number 0 are its own."""
    origins = [(0, 0)]  # of a cell: the file, and the line before the cell's first
    numbered = []
    for at, cell in cells:
        numbered.append(replace(cell, number=len(origins)))
        origins.append((at, cell.number - 1))
    extract = named_exercise(exercises()[base.slug], numbered)
    places, elsewhere = {}, {}
    for line, (cell_number, line_in_cell) in extract.places.items():
        at, before = origins[cell_number]
        original = before + line_in_cell
        if other := place_of(at, original) if at else base.elsewhere.get(original):
            elsewhere[line] = other
        elif not at and (place := base.place(original)):
            places[line] = place
    script = base.script or not base.extract
    extract = replace(extract, places=places)
    return replace(base, content=extract.text, extract=extract, script=script, elsewhere=elsewhere)
