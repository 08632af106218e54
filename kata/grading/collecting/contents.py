"""The contents of one folder or archive: the files that may count, and why the others do not.

`submissions` adds every entry, and then takes the exercises out of files with several. Nothing is
trusted and nothing is run: a name only claims an exercise, and the amount that is read is limited.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from kata.course.curriculum import exercises
from kata.course.notebook_file import (
    LARGEST_CODE,
    LARGEST_NOTEBOOK,
    Notebook,
    NotebookError,
    notebook,
)
from kata.course.source import LARGEST, UnusableError, decoded, not_started, parse
from kata.grading.collecting.entries import (
    DEEPEST,
    MIB,
    MOST,
    OUTSIDE,
    Entry,
    RefusedError,
    too_large,
    too_many,
    unreadable,
)
from kata.grading.collecting.names import (
    KATA_FOLDERS,
    NOTEBOOK,
    ShortName,
    is_foreign,
    is_python,
    is_stray,
    name_parts,
    number,
    parts_of,
    short_name,
    slug_of,
)
from kata.grading.collecting.notebooks import (
    Extract,
    asked_of,
    defined,
    exercises_in,
    exercises_in_script,
    is_of_another,
    proofs_in,
)
from kata.grading.collecting.python_files import (
    WIDEST,
    AsText,
    as_answer,
    as_text,
    text_of,
    with_own_imports,
)
from kata.text import printable

LARGEST_WORK = 64 * MIB  # of all exercises in one place, with all copies
MOST_MODULES = 500  # in one place
MOST_NOTEBOOKS = 50  # in one place
MOST_SCRIPTS = 50  # that are looked into
MOST_KEPT = 16 * MIB  # of Python files that may be scripts; most are a clone's own
PROOFS = "proofs"
TESTS = re.compile(rb"^def test", re.MULTILINE)
RUN = re.compile(r"^%run[ \t]+(?:-\w+[ \t]+)*[\"']?(\w+)\.(?:py|ipynb)\b.*$", re.MULTILINE)
IN_CELLS = ShortName()  # a file of tests comes before tests in a notebook
OF_EXERCISES = re.compile(rb"^(?:from|import) exercises\b", re.MULTILINE)

Parts = tuple[str, ...]


@dataclass(frozen=True, eq=False)
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
        """The path of the file in the student's work."""
        return "/".join(self.parts)

    @property
    def name(self) -> str:
        """The name that the student gave the file."""
        return own_name(self.parts[-1])

    @property
    def own_path(self) -> str:
        """The name that the student gave the file, with its folders."""
        return "/".join([*self.parts[:-1], self.name])

    @property
    def renamed(self) -> bool:
        """Whether the file does not have the exercise's own filename."""
        suffix = "ipynb" if self.extract else "py"
        return self.parts[-1] != f"{self.slug}.{suffix}"

    @property
    def begun(self) -> bool:
        """Whether anything is written: a stub of another version, or with remarks, is a stub."""
        if self.extract:
            return self.extract.begun
        exercise = exercises()[self.slug]
        try:
            text = decoded(exercise.filename, self.content)
            return not not_started(parse(exercise.stub, text), exercise)
        except UnusableError:
            return True

    @property
    def upload(self) -> tuple[int, ...]:
        """Whether the file is in an archive, and how late either was uploaded."""
        archive, order = number(self.archive), name_parts(self.parts[-1]).order
        return (bool(self.archive), -archive, -order)

    @property
    def kind(self) -> tuple[int, int, int]:
        """The rank of the file's kind: files before notebooks, by how clearly they are named."""
        if self.extract is None:
            return (int(self.short is not None), 0, 0)
        order = {True: 2, False: 3, None: 4}[self.extract.named]
        return (order, len(self.extract.missing), int(not self.script))

    def place(self, line: int) -> tuple[int, int] | None:
        """Return the cell of a line, and the line in it; None if the student did not write it."""
        return self.extract.places.get(line) if self.extract else (1, line)

    def place_in_words(self, line: int) -> tuple[str, int] | None:
        """Return the file or the cell of a line, in words, and the line in it."""
        if place := self.place(line):
            name, in_cells = printable(self.name), self.extract and not self.script
            return f"{name}, code cell {place[0]}" if in_cells else name, place[1]
        return None


def own_name(name: str) -> str:
    """Return the student's name for a file, also if Canvas' files were sorted by hand."""
    parts = name_parts(name)
    return parts.file if parts.numbered else name


@dataclass
class Contents:
    """The files of one folder or archive, as far as it has been looked through."""

    count: int = 0
    size: int = 0
    files: list[File] = field(default_factory=list)  # for exercises
    proofs: list[File] = field(default_factory=list)
    notebooks: dict[File, Notebook] = field(default_factory=dict)
    modules: list[File] = field(default_factory=list)  # Python files with other names
    scripts: list[File] = field(default_factory=list)  # modules that may hold exercises
    spares: list[File] = field(default_factory=list)  # named after one exercise, and hold others
    helpers: list[File] = field(default_factory=list)  # modules that are tests or notes
    swapped: dict[Parts, str] = field(default_factory=dict)  # path → the exercise of a wrong name
    refused: dict[str, dict[Parts, int]] = field(default_factory=dict)  # reason → path → line
    encoded: dict[str, list[Parts]] = field(default_factory=dict)  # by encoding, if not UTF-8
    strays: list[Parts] = field(default_factory=list)
    unused: list[Parts] = field(default_factory=list)
    kata: set[Parts] = field(default_factory=set)  # folders that contain a folder `exercises`

    # -- adding one entry after the other

    def look_at(self, entry: Entry) -> None:
        """Keep an entry that may count."""
        inner, outer = parts_of(entry.path), parts_of(entry.inside) or ()
        if any(map(is_foreign, inner or ())):
            return
        self.count += 1
        if self.count > MOST:
            raise too_many(MOST)
        if inner is None:
            self._refuse(OUTSIDE, (*outer, entry.path))
        elif inner and not entry.path.endswith("/") and len(outer + inner) <= DEEPEST + 1:
            self._sort_in(entry, File("", outer + inner, b"", "/".join(outer)))

    def _sort_in(self, entry: Entry, file: File) -> None:
        if "exercises" in file.parts[:-1]:
            self.kata.add(file.parts[: file.parts.index("exercises")])
        if entry.refused:
            self._refuse(entry.refused, file.parts)
        elif file.parts[-1].casefold().endswith(NOTEBOOK):
            self._take_notebook(entry, file)
        elif slug := slug_of(file.name):
            self._take_named(entry, replace(file, slug=slug))
        elif is_python(file.parts[-1]):
            self._take_script(entry, file)
        else:
            self.unused.append(file.parts)

    def _take_named(self, entry: Entry, file: File) -> None:
        content = self._read(entry, file.parts, WIDEST * LARGEST)
        text = as_text(content or b"")
        if content is None or not self._is_text(text, file):
            return
        self._add(len(text.content))
        file, slug = replace(file, content=text.content), file.slug
        if _is_proof(file):
            self.proofs.append(file)
        elif is_of_another(slug, text_of(file.content)):
            self.swapped[file.parts] = slug
            self.scripts.append(replace(file, slug="", short=ShortName(), script=True))
        else:
            file = replace(file, content=as_answer(file.content, slug))
            self.files.append(file)
            if defined(text_of(file.content)) - asked_of(slug):
                name = ShortName(slug)
                self.spares.append(replace(file, slug="", short=name, script=True, spare=True))

    def _take_script(self, entry: Entry, file: File) -> None:
        """Keep a Python file with another name if it may hold exercises."""
        name = short_name(file.name)
        content = self._read(entry, file.parts, WIDEST * LARGEST_CODE)
        text = as_text(content or b"", LARGEST_CODE)
        file = replace(file, slug=name.slug, content=text.content, short=name, script=True)
        if not text.refused:
            self._keep_module(file)
        if not content or not _seems_to_define(content):
            self._set_aside(file)
        elif not self._is_text(text, file):
            return
        elif file.slug and _is_proof(file):
            self.proofs.append(file)
        elif name.helper:
            self.helpers.append(file)
            self.unused.append(file.parts)
        elif sum(len(script.content) for script in self.scripts) < MOST_KEPT:
            self.scripts.append(file)

    def _take_notebook(self, entry: Entry, file: File) -> None:
        if len(self.notebooks) >= MOST_NOTEBOOKS:
            return self._refuse(f"more than {MOST_NOTEBOOKS} notebooks", file.parts)
        content = self._read(entry, file.parts, LARGEST_NOTEBOOK)
        if content is None:
            return None
        try:
            book = notebook(content)
        except NotebookError as error:
            return self._refuse(str(error), file.parts)
        self._add(sum(len(cell.text) for cell in book.cells))
        self.notebooks[file] = book
        text = "\n".join(cell.text for cell in book.cells).encode("utf-8", "surrogatepass")
        return self._keep_module(replace(file, content=text))

    def _keep_module(self, file: File) -> None:
        """Keep a Python file that answers may import, unless it is large or the kata's own."""
        is_own = not KATA_FOLDERS.intersection(file.parts[:-1])
        if is_own and len(file.content) <= LARGEST and len(self.modules) < MOST_MODULES:
            self.modules.append(file)

    def _set_aside(self, file: File) -> None:
        name = file.short or ShortName()
        stray = not name.helper and (name.slug or is_stray(file.parts[-1]))
        (self.strays if stray else self.unused).append(file.parts)

    def _read(self, entry: Entry, parts: Parts, limit: int) -> bytes | None:
        try:
            return entry.read(limit)
        except OSError as error:
            self._refuse(unreadable(error), parts)
        except RefusedError as error:
            if not entry.inside:
                raise
            self._refuse(str(error), parts_of(entry.inside) or ())
        return None

    def _is_text(self, text: AsText, file: File) -> bool:
        if text.refused:
            self._refuse(text.refused, file.parts, text.line)
        elif text.encoding:
            self.encoded.setdefault(text.encoding, []).append(file.parts)
        return not text.refused

    def _refuse(self, reason: str, parts: Parts, line: int = 0) -> None:
        self.refused.setdefault(reason, {})[parts] = line

    def _add(self, size: int) -> None:
        self.size += size
        if self.size > LARGEST_WORK:
            raise too_large(LARGEST_WORK)

    # -- taking out the exercises, once all entries are there

    def look_into(self) -> None:
        """Leave out what is not the student's own, and take exercises out of what holds several."""
        self._leave_out()
        reason = f"more than {MOST_SCRIPTS} Python files that may hold exercises"
        for script in self.scripts[MOST_SCRIPTS:]:
            self._refuse(reason, script.parts)
        del self.scripts[MOST_SCRIPTS:]
        self.files += [*self._from_notebooks(), *self._from_scripts()]
        for spare in self.spares[:MOST_SCRIPTS]:
            self.files += [file for file in _exercises_in(spare) if file.extract]
        for file, book in self.notebooks.items():
            self.proofs += [replace(file, slug=slug, content=text, short=IN_CELLS)
                            for slug, text in proofs_in(book, slug_of(file.name))]  # fmt: skip

    def _leave_out(self) -> None:
        """Drop the kata's own files, which some students submit as well, and damaged archives."""
        damaged = tuple(f"{'/'.join(parts)}/" for paths in self.refused.values() for parts in paths)

        def counts(file: File) -> bool:
            return not (f"{file.archive}/".startswith(damaged) or self._is_ours(file.parts))

        self.notebooks = {file: book for file, book in self.notebooks.items() if counts(file)}
        for files in (
            self.files, self.proofs, self.modules, self.scripts, self.spares, self.helpers
        ):  # fmt: skip
            files[:] = filter(counts, files)
        for paths in (self.strays, self.unused, *self.encoded.values()):
            paths[:] = (parts for parts in paths if not self._is_ours(parts))
        self.refused = {
            reason: rest for reason, refused in self.refused.items()
            if (rest := {parts: refused[parts] for parts in refused if not self._is_ours(parts)})
        }  # fmt: skip

    def _is_ours(self, parts: Parts) -> bool:
        folders = range(len(parts) - 1)
        return any(parts[at] in KATA_FOLDERS and parts[:at] in self.kata for at in folders)

    def _from_notebooks(self) -> Iterator[File]:
        for file, book in self.notebooks.items():
            texts = [RUN.sub(r"from \1 import *", cell.text) for cell in book.cells]
            cells = tuple(replace(cell, text=with_own_imports(text))
                          for cell, text in zip(book.cells, texts, strict=True))  # fmt: skip
            extracts = exercises_in(file.name, replace(book, cells=cells))
            if not extracts:
                self.unused.append(file.parts)
            for extract in extracts:
                yield replace(file, slug=extract.slug, content=extract.text, extract=extract)

    def _from_scripts(self) -> Iterator[File]:
        """Yield the exercises in Python files with other names."""
        for file in self.scripts:
            files = [*_exercises_in(file)]
            yield from files
            if not files:
                self._set_aside(file)


def _exercises_in(file: File) -> Iterator[File]:
    """Yield the whole file for the exercise in its name, and parts of it for others."""
    name = file.short or ShortName()
    content = as_answer(file.content)
    text = text_of(content)
    if asked_of(name.slug) & defined(text):
        yield replace(file, slug=name.slug, content=content[: LARGEST + 1], script=False)
    part = replace(file, spare=file.spare or name.last)
    for extract in exercises_in_script(name, text):
        if extract.slug != name.slug:
            yield replace(part, slug=extract.slug, content=extract.text, extract=extract)


def _is_proof(file: File) -> bool:
    """Return whether a file is a proof, by its folder or, as platforms may drop that, by its text.

    No file of an exercise may import in this way; a file that defines what an exercise asks for is
    an answer, whatever it tests and whatever its texts say.
    """
    if PROOFS in file.parts[-2:-1]:
        return True
    if not (TESTS.search(file.content) and OF_EXERCISES.search(file.content)):
        return False
    return not asked_of(file.slug) & _seems_to_define(file.content)


def _seems_to_define(content: bytes) -> set[str]:
    return defined(content.decode("latin-1").replace("\0", ""))
