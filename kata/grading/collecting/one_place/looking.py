"""What is in one folder or archive: every file of it is looked at once."""

import re
from collections.abc import Iterator
from dataclasses import replace

from kata.course.curriculum import exercises
from kata.course.notebooks.notebook_file import LARGEST_NOTEBOOK, NotebookError, notebook
from kata.course.source import LARGEST, contract
from kata.grading.collecting.archives import MIB, MOST, Entry, RefusedError
from kata.grading.collecting.folders import DEEPEST, entries, unreadable
from kata.grading.collecting.handed_text.encodings import WIDEST, as_text
from kata.grading.collecting.handed_text.own_imports import own_imports, with_own_imports
from kata.grading.collecting.handed_text.plots import without_plots
from kata.grading.collecting.handed_text.scripts import (
    LARGEST_SCRIPT,
    defined,
    exercises_in_script,
    is_of_another,
    text_of,
)
from kata.grading.collecting.handed_text.short_names import ShortName, short_name
from kata.grading.collecting.names import (
    few,
    is_foreign,
    is_notebook,
    is_python,
    is_stray,
    parts_of,
    slug_of,
)
from kata.grading.collecting.notebooks import exercises_in
from kata.grading.collecting.one_place import remarks
from kata.grading.collecting.one_place.choosing import chosen
from kata.grading.collecting.one_place.files import File, Found, Parts, Search, own_name
from kata.grading.collecting.places import Location
from kata.grading.collecting.tests_in_notebooks import proofs_in
from kata.words import say

LARGEST_WORK = 64 * MIB  # of all exercises in one place, with all copies
MOST_NOTEBOOKS = 50  # in one place
MOST_SCRIPTS = 50  # that are looked into
MOST_KEPT = 16 * MIB  # of Python files that may be scripts; most are a clone's own
PROOFS = "proofs"
TESTS = re.compile(rb"^def test", re.MULTILINE)
RUN = re.compile(r"^%run[ \t]+(?:-\w+[ \t]+)*[\"']?(\w+)\.(?:py|ipynb)\b.*$", re.MULTILINE)
IN_CELLS = ShortName()  # a file of tests comes before tests in a notebook
OF_EXERCISES = re.compile(rb"^(?:from|import) exercises\b", re.MULTILINE)


def look_through(place: Location) -> Found:
    """Everything that counts in this place, and notes about the rest."""
    search = Search()
    try:
        for entry in entries(place.path, place.label.file):
            _look_at(search, entry)
    except RefusedError as error:
        return Found(place, {}, {}, (), refused=str(error))
    search.files += [*_from_notebooks(search), *_from_scripts(search), *_from_spares(search)]
    search.proofs += _proofs_from_notebooks(search)
    choices, proofs = chosen(search, search.files), chosen(search, search.proofs)
    files = [file for file, _ in choices if file]
    unread = {slug: note for slug, (file, note) in zip(exercises(), choices, strict=True)
              if note and not file}  # fmt: skip
    notes = [note for _, note in (*choices, *proofs) if note]
    refused = search.unread({*unread, *(each.slug for each in files)})
    unread |= {slug: say("collecting.left", names=few(["/".join(parts)]), reason=reason)
               for slug, parts, reason in refused}  # fmt: skip
    notes += remarks.on_names(files, decorated=place.label.decorated)
    notes += [*remarks.on_mixed(search, files), *remarks.on_the_rest(search, files)]
    others = tuple("/".join(each) for each in search.others if not search.is_ours(each))
    proven = {each.slug: each for each, _ in proofs if each}
    modules = tuple(filter(search.counts, search.modules))
    own = {each.slug: each for each in files}
    return Found(place, own, proven, tuple(notes), others, modules=modules, unread=unread)


def _look_at(search: Search, entry: Entry) -> None:
    inner, outer = parts_of(entry.path), parts_of(entry.inside) or ()
    if any(map(is_foreign, inner or ())):
        return
    search.seen += 1
    if search.seen > MOST:
        raise RefusedError(say("collecting.many", count=MOST))
    if inner is None:
        search.refuse(say("collecting.outside"), (*outer, entry.path))
    elif inner and not entry.path.endswith("/") and len(outer + inner) <= DEEPEST + 1:
        _sort_in(search, entry, outer + inner)


def _sort_in(search: Search, entry: Entry, parts: Parts) -> None:
    if "exercises" in parts[:-1]:
        search.kata.add(parts[: parts.index("exercises")])
    if entry.refused:
        search.refuse(entry.refused, parts)
    elif is_notebook(parts[-1]):
        _open_notebook(search, entry, parts)
    elif slug := slug_of(own_name(parts[-1])):
        _take(search, entry, parts, slug)
    elif is_python(parts[-1]):
        _take_script(search, entry, parts)
    else:
        search.others.append(parts)


def _take(search: Search, entry: Entry, parts: Parts, slug: str) -> None:
    content = _read_text(search, entry, parts, LARGEST)
    if content is None:
        return
    _count(search, len(content))
    if _is_proof(parts, content):
        search.proofs.append(File(slug, parts, content, _archive(entry)))
    elif is_of_another(slug, text_of(content)):
        search.swapped[parts] = slug
        script = File("", parts, content, _archive(entry), short=ShortName(), script=True)
        search.scripts.append(script)
    else:
        text = without_plots(own_imports(content, slug))
        search.files.append(File(slug, parts, text, _archive(entry)))
        if defined(text_of(text)) - {*contract(exercises()[slug]).names}:
            name = ShortName(slug)
            spare = File("", parts, text, _archive(entry), short=name, script=True, spare=True)
            search.spares.append(spare)


def _read_text(search: Search, entry: Entry, parts: Parts, limit: int) -> bytes | None:
    """The content of a Python file, as Python reads it; None if it cannot be read."""
    content = _read(search, entry, parts, WIDEST * limit)
    if content is None:
        return None
    found = as_text(content, limit)
    if found.refused:
        search.refuse(found.refused, parts, found.line)
    elif found.encoding:
        search.encoded.setdefault(found.encoding, []).append(parts)
    return None if found.refused else found.content


def _take_script(search: Search, entry: Entry, parts: Parts) -> None:
    """Keep a Python file with another name if it may hold exercises."""
    name = short_name(own_name(parts[-1]))
    content = _read(search, entry, parts, WIDEST * LARGEST_SCRIPT)
    found = as_text(content or b"", LARGEST_SCRIPT)
    kept = File(name.slug, parts, found.content, _archive(entry), short=name, script=True)
    if not found.refused:
        search.keep_module(kept)
    if not content or not defined(content.decode("latin-1").replace("\0", "")):
        _set_aside(search, parts, name)
    elif found.refused:
        search.refuse(found.refused, parts, found.line)
    else:
        _keep_script(search, kept, found.encoding)


def _keep_script(search: Search, file: File, encoding: str) -> None:
    if file.slug and _is_proof(file.parts, file.content):
        search.proofs.append(file)
    elif file.short and file.short.helper:
        search.helpers.append(file)
        search.others.append(file.parts)
    elif sum(len(each.content) for each in search.scripts) < MOST_KEPT:
        search.scripts.append(file)
    if encoding:
        search.encoded.setdefault(encoding, []).append(file.parts)


def _set_aside(search: Search, parts: Parts, name: ShortName) -> None:
    """It belongs to no exercise; a name that looks like one deserves a note."""
    stray = not name.helper and (name.slug or is_stray(parts[-1]))
    (search.strays if stray else search.others).append(parts)


def _is_proof(parts: Parts, content: bytes) -> bool:
    """Whether it is tests of an exercise: some platforms take no folders, so its text tells, too.

    No file of an exercise may import in this way; one that defines what an exercise asks for is
    an answer, whatever it tests and whatever its texts say.
    """
    if PROOFS in parts[-2:-1]:
        return True
    if not (TESTS.search(content) and OF_EXERCISES.search(content)):
        return False
    slug = slug_of(own_name(parts[-1])) or short_name(own_name(parts[-1])).slug
    asked = {*contract(exercises()[slug]).names} if slug else set()
    return not asked & defined(content.decode("latin-1").replace("\0", ""))


def _open_notebook(search: Search, entry: Entry, parts: Parts) -> None:
    """Keep the code of a notebook; what cannot be read is a note, and costs nothing else."""
    if len(search.notebooks) >= MOST_NOTEBOOKS:
        return search.refuse(say("collecting.notebooks", count=MOST_NOTEBOOKS), parts)
    content = _read(search, entry, parts, LARGEST_NOTEBOOK)
    if content is None:
        return None
    try:
        found = notebook(content)
    except NotebookError as error:
        return search.refuse(str(error), parts)
    _count(search, sum(len(each.text) for each in found.cells))
    search.notebooks.append((File("", parts, b"", _archive(entry)), found))
    text = "\n".join(cell.text for cell in found.cells).encode("utf-8", "surrogatepass")
    search.keep_module(File("", parts, text, _archive(entry)))
    return None


def _read(search: Search, entry: Entry, parts: Parts, limit: int) -> bytes | None:
    """The content; None if it cannot be read, which is noted."""
    try:
        return entry.read(limit)
    except OSError as error:
        search.refuse(unreadable(error), parts)
    except RefusedError as error:
        if not entry.inside:
            raise
        search.refuse(str(error), parts_of(entry.inside) or ())
    return None


def _count(search: Search, size: int) -> None:
    search.size += size
    if search.size > LARGEST_WORK:
        raise RefusedError(say("collecting.unpacked", size=LARGEST_WORK // MIB))


def _archive(entry: Entry) -> str:
    """The archive that contains it, if that lies in a folder."""
    return "/".join(parts_of(entry.inside) or ())


def _from_notebooks(search: Search) -> Iterator[File]:
    for file, found in search.notebooks:
        if not search.counts(file):
            continue
        cells = tuple(
            replace(each, text=with_own_imports(RUN.sub(r"from \1 import *", each.text)))
            for each in found.cells
        )
        held = exercises_in(own_name(file.parts[-1]), replace(found, cells=cells))
        if not held:
            search.others.append(file.parts)
        for each in held:
            yield replace(file, slug=each.slug, content=each.text, taken=each)


def _proofs_from_notebooks(search: Search) -> Iterator[File]:
    for file, found in search.notebooks:
        if search.counts(file):
            for slug, text in proofs_in(found, slug_of(own_name(file.parts[-1])) or ""):
                yield replace(file, slug=slug, content=text, short=IN_CELLS)


def _from_scripts(search: Search) -> Iterator[File]:
    """What Python files with other names hold; those of the kata itself hold nothing."""
    counting = [each for each in search.scripts if search.counts(each)]
    search.scripts = counting[:MOST_SCRIPTS]
    for file in counting[MOST_SCRIPTS:]:
        search.refuse(say("collecting.scripts", count=MOST_SCRIPTS), file.parts)
    for file in search.scripts:
        held = [*_held(file)]
        yield from held
        if not held:
            _set_aside(search, file.parts, file.short or ShortName())


def _from_spares(search: Search) -> Iterator[File]:
    """The whole of other exercises that files hold which are named after one."""
    for file in filter(search.counts, search.spares[:MOST_SCRIPTS]):
        yield from (each for each in _held(file) if each.taken)


def _held(file: File) -> Iterator[File]:
    """The whole file for the exercise in its name, and parts of it for others."""
    name = file.short or ShortName()
    content = without_plots(own_imports(file.content))
    text = text_of(content)
    asked = {*contract(exercises()[name.slug]).names} if name.slug else set()
    if asked & defined(text):
        yield replace(file, content=content[: LARGEST + 1], script=False)
    for each in exercises_in_script(name, text):
        if each.slug != name.slug:
            spare = file.spare or name.last
            yield replace(file, slug=each.slug, content=each.text, taken=each, spare=spare)
