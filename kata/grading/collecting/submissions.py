"""The work of one student, read from all its places, with one file for every exercise.

`run` reads with `reading`, in a process with limits (see `reader`): hostile work may take long, or
crash Python. No student's work may stop a run: what cannot be read becomes a note about the
student, or their problem. The judges, the journal and `plan` work with `Submission`.

Names tell which of several files is later; what a disk or an archive gives as its date does not. A
stub never replaces written work. Parts of one exercise, each with other functions of it, count
together: `part1.ipynb`, `part2.ipynb`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace

from kata.course.curriculum import exercises, stray
from kata.grading.collecting.contents import Contents, File, Parts, own_name
from kata.grading.collecting.entries import RefusedError, entries
from kata.grading.collecting.modules import joined, with_modules
from kata.grading.collecting.names import Nearness, ages, few, is_file, short_name, shorts, slug_of
from kata.grading.collecting.notebooks import Extract, asked_of, defined
from kata.grading.collecting.places import Location
from kata.grading.collecting.python_files import text_of
from kata.grading.collecting.reader import Reader, UnreadError
from kata.grading.collecting.students import Student, listing
from kata.text import printable

__all__ = ["Origin", "Submission", "listing", "read", "reading"]


@dataclass(frozen=True)
class Origin:
    """The notebook, or the file of several exercises, from which a file was put together."""

    name: str
    places: Mapping[int, tuple[int, int]]  # line of the file → code cell, and line in it
    script: bool = False  # whether it is a file, which has no cells
    modules: Mapping[int, tuple[str, int]] = field(default_factory=dict)  # line → of another file

    def renamed(self, rename: Callable[[str], str]) -> "Origin":
        """Return the origin with other names of files."""
        modules = {at: (rename(name), line) for at, (name, line) in self.modules.items()}
        return replace(self, name=rename(self.name), modules=modules)


@dataclass(frozen=True)
class Submission:
    """The work of one student."""

    student: str  # straight from a file name, so it has to be escaped wherever it is printed
    # By exercise: a notebook as one file, and with imports of own modules and of plots rewritten.
    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()  # lines of what the instructor should know
    problem: str = ""  # why nothing can be graded, one line
    id: str = ""  # the learning platform's number for the student
    notebooks: Mapping[str, Origin] = field(default_factory=dict)  # by exercise
    proofs: Mapping[str, bytes] = field(default_factory=dict)  # by exercise
    settled: Mapping[str, bool] = field(default_factory=dict)  # what is judged, and if it passed
    unread: Mapping[str, str] = field(default_factory=dict)  # by exercise: why its file is not read


@contextmanager
def reading() -> Iterator[Callable[[Student], Submission]]:
    """Read in a process with limits; what exceeds them is a problem of this student alone."""
    with closing(Reader(read)) as reader:

        def bounded(student: Student) -> Submission:
            try:
                submission: Submission = reader.ask(student)
            except UnreadError as error:
                return Submission(student.name, {}, tuple(student.notes), str(error), student.id)
            return submission

        yield bounded


def read(student: Student) -> Submission:
    """Read the work of one student, from all its places."""
    parts = [*map(_selection, student.places)]
    answers = _choices([(part.place, part.answers) for part in parts])
    proofs = _choices([(part.place, part.proofs) for part in parts])
    refusals = [part.refusal if len(parts) == 1 else _not_read([part.place.title], part.refusal)
                for part in parts if part.refusal]  # fmt: skip
    notes = [*refusals, *(note for part in parts for note in part.notes)]
    on_names = tuple(student.notes)
    if not (answers or proofs):
        unused = few("/".join(path) for part in parts for path in part.unused)
        nothing = "it contains no exercise" + (f", only {unused}" if unused else "")
        problem = "; ".join([*([] if refusals else [nothing]), *notes])
        return Submission(student.name, {}, on_names, problem, student.id)
    if problem := _unclear([*answers, *proofs]):
        return Submission(student.name, {}, (*on_names, *notes), problem, student.id)
    files, on_files = _whole(answers, parts)
    on_choices = [*_on_choices(answers)] or [*_on_places(student)]
    return Submission(
        student.name,
        {slug: file.content for slug, file in files.items()},
        (*on_names, *on_choices, *notes, *on_files),
        id=student.id,
        notebooks={
            slug: Origin(printable(file.name), extract.places, file.script, file.elsewhere)
            for slug, file in files.items() if (extract := file.extract)
        },
        proofs={choice.slug: choice.file.content for choice in proofs},
        unread={slug: reason for part in parts for slug, reason in part.unread.items()
                if slug not in files},
    )  # fmt: skip


def _whole(
    answers: Iterable["Choice"], parts: Iterable["Selection"]
) -> tuple[dict[str, File], list[str]]:
    by_time = sorted(parts, key=lambda part: part.place.label.order)
    modules = [module for part in by_time for module in part.modules]
    files = {choice.slug: choice.file for choice in answers}
    notes = [choice.note for choice in answers if choice.note]
    for slug, file in files.items():
        if whole := with_modules(file, modules):
            files[slug] = whole[0]
            notes.append(whole[1])
    return files, notes


def _on_places(student: Student) -> Iterator[str]:
    """Note work in several places, unless a learning platform put it there."""
    if len(student.places) > 1 and not any(place.label.decorated for place in student.places):
        yield f"found in more than one place: {few(place.title for place in student.places)}"


# -- the choice among files in several places


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


def _choices(places: Sequence[tuple[Location, Mapping[str, File]]]) -> list[Choice]:
    """Choose the files that count for the exercises in these places.

    The later one counts, where names tell which is later: Canvas numbers its files, Blackboard adds
    the date, `alice (1).zip` came after `alice.zip`. If the names do not tell, a file counts before
    a notebook; of two files nothing is graded: the instructor decides.
    """
    owners = {slug: {files[slug]: place for place, files in places if slug in files}
              for slug in exercises()}  # fmt: skip
    return [_choice(slug, place_of) for slug, place_of in owners.items() if place_of]


def _choice(slug: str, place_of: Mapping[File, Location]) -> Choice:
    files = _candidates(place_of)
    if whole := joined(files):
        return Choice(slug, whole[0], next(iter(place_of.values())), note=whole[1])
    # The lowest counts: the latest, and of those just as late a file before a notebook.
    names = ages([file.name for file in files])
    ranks = {file: (-place_of[file].label.order, *file.kind, *name)
             for file, name in zip(files, names, strict=True)}  # fmt: skip
    best = min(files, key=lambda file: ranks[file])
    first, rest = ranks[best], [(ranks[file], place_of[file]) for file in _unlike(best, files)]
    return Choice(
        slug,
        best,
        place_of[best],
        rivals=tuple(place for rank, place in rest if rank == first),
        earlier=tuple(place for rank, place in rest if rank[0] > first[0]),
        beside=tuple(place for rank, place in rest if rank[0] == first[0] and rank != first),
    )


def _candidates(files: Iterable[File]) -> list[File]:
    """Return the files that are begun; if there are none, those which notebooks only repeat.

    Spare files, which count only where nothing else does, are candidates only then.
    """
    every = [*files]
    chosen = [file for file in every if not file.spare] or every
    if len(chosen) < 2:
        return chosen
    begun = [file for file in chosen if file.begun]
    return begun or [file for file in chosen if not file.extract] or chosen[:1]


def _unlike(best: File, files: Iterable[File]) -> list[File]:
    content = _normalized(best.content)
    return [file for file in files if _normalized(file.content) != content]


def _normalized(content: bytes) -> bytes:
    """Give content the same line endings on every system."""
    return b"\n".join(content.rstrip().splitlines())


def _unclear(choices: Iterable[Choice]) -> str:
    """Say why work cannot be graded, if no name tells which of its files is later; else nothing."""
    unclear = [choice for choice in choices if choice.rivals]
    names = few(place.title for choice in unclear for place in (choice.place, *choice.rivals))
    slugs = shorts(choice.slug for choice in unclear)
    problem = "handed in more than once, and the names do not tell which is later"
    return f"{problem}: {names} differ in {slugs}" if unclear else ""


def _on_choices(choices: Iterable[Choice]) -> Iterator[str]:
    """Note the places from which a later version, or one that says more, was taken."""
    for rank, counts in (("earlier", "is later, and counts"), ("beside", "counts")):
        groups: dict[tuple[Location, tuple[Location, ...]], list[str]] = {}
        for choice in choices:
            groups.setdefault((choice.place, getattr(choice, rank)), []).append(choice.slug)
        for (place, rivals), slugs in groups.items():
            if rivals:
                decision = f"{shorts(slugs)} handed in more than once: {few([place.title])}"
                yield f"{decision} {counts}, not {few(rival.title for rival in rivals)}"


# -- the choice among files in one folder or archive


@dataclass(frozen=True)
class Selection:
    """The files that count in one place, and notes about the rest."""

    place: Location
    refusal: str = ""  # why it could not be read to the end; then nothing in it counts
    answers: Mapping[str, File] = field(default_factory=dict)  # by exercise
    proofs: Mapping[str, File] = field(default_factory=dict)  # by exercise
    notes: tuple[str, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)  # by exercise, why its file is not read
    modules: Sequence[File] = ()  # that answers may import
    unused: Sequence[Parts] = ()


def _selection(place: Location) -> Selection:
    contents = Contents()
    try:
        for entry in entries(place.path, place.label.file):
            contents.look_at(entry)
    except RefusedError as error:
        return Selection(place, str(error))
    contents.look_into()
    of_answers, of_proofs = map(_choices_in_place, (contents.files, contents.proofs))
    answers = {slug: file for slug, (file, _) in of_answers.items() if file}
    unread = {slug: note for slug, (file, note) in of_answers.items() if note and not file}
    notes = [
        *(note for _, note in (*of_answers.values(), *of_proofs.values()) if note),
        *([] if place.label.decorated else _on_names(answers)), *_on_short_names(answers),
        *_on_mixed(contents, answers), *_on_unread(contents), *_on_helpers(contents, answers),
        # No more than there are exercises.
        *map(_on_stray, contents.strays[: len(exercises())]),
    ]  # fmt: skip
    proofs = {slug: file for slug, (file, _) in of_proofs.items() if file}
    unread |= _reasons(contents, {*unread, *answers})
    return Selection(place, "", answers, proofs, tuple(notes), unread, contents.modules,
                     contents.unused)  # fmt: skip


def _choices_in_place(files: Sequence[File]) -> dict[str, tuple[File | None, str]]:
    return {slug: _choice_in_place(slug, [file for file in files if file.slug == slug])
            for slug in exercises()}  # fmt: skip


def _choice_in_place(slug: str, files: Iterable[File]) -> tuple[File | None, str]:
    """Choose the file that counts, with a note if another one differs from it.

    Files outside of archives come first, then later uploads, then files before notebooks, then the
    exercise's own filename, then fewer folders. If nothing ranks two files that differ, neither
    counts.
    """
    candidates = _candidates(files)
    if len(candidates) < 2:  # nearly always
        return next(iter(candidates), None), ""
    folders = ages(["/".join(file.parts[:-1]) for file in candidates])
    names = ages([file.name for file in candidates])
    ranks = {file: ((*file.upload, *folder, *file.kind, *name), _nearness(file), len(file.parts))
             for file, folder, name in zip(candidates, folders, names, strict=True)}  # fmt: skip
    best = min(candidates, key=lambda file: ranks[file])
    rest = _unlike(best, candidates)
    if whole := joined([best, *rest]):
        return whole
    exercise = exercises()[slug]
    odd = any(file.extract or file.short for file in candidates)
    problem = f"{exercise.short if odd else exercise.filename} was found more than once"
    # No name tells which of these is later.
    rivals = [file for file in rest if ranks[file] == ranks[best]
              or (ranks[file][::2] == ranks[best][::2] and _are_unranked(file, best))]  # fmt: skip
    if rivals:
        paths = few(file.path for file in (best, *rivals))
        return None, f"{problem} with different content, so none counts: {paths}"
    paths = few(file.path for file in rest)
    return best, f"{problem}: {few([best.path])} counts, not {paths}" if rest else ""


def _nearness(file: File) -> int:
    """Return how near a file's name comes to that of the exercise's own file."""
    return file.short.nearness if file.short else int(file.renamed)


def _are_unranked(*files: File) -> bool:
    """Return whether two short names leave open which is later: `ex05.py`, `ex05_final.py`."""
    shorts = [file.short for file in files if file.short and not file.extract]
    old = any(short.nearness == Nearness.OLDER for short in shorts)
    return len(shorts) == 2 and not old and any(short.wordy for short in shorts)


def _reasons(contents: Contents, counting: set[str]) -> dict[str, str]:
    """Return why files of exercises are not read, where none counts."""
    reasons = {}
    for reason, refused in contents.refused.items():
        for parts, line in refused.items():
            name = own_name(parts[-1])
            slug = slug_of(name) or (short_name(name).slug if is_file(name) else "")
            if slug and slug not in counting:
                where = f" (line {line})" if line else ""
                reasons[slug] = _not_read(["/".join(parts)], f"{reason}{where}")
    return reasons


# -- notes


def _not_read(names: Iterable[str], reason: str) -> str:
    return f"not read: {few(names)}: {reason}"


def _on_names(answers: Mapping[str, File]) -> Iterator[str]:
    """Note files that count under other names; a platform's additions are no news."""
    for slug, file in answers.items():
        if file.renamed and not (file.short or file.extract):
            yield f"{printable(file.parts[-1])} counts as {exercises()[slug].filename}"


def _on_short_names(answers: Mapping[str, File]) -> Iterator[str]:
    if short := [file.path for file in answers.values() if file.short and not file.extract]:
        claim = "count for the exercises in their names, as they define what these ask for"
        yield f"{claim}: {few(short)}"


def _on_mixed(contents: Contents, answers: Mapping[str, File]) -> Iterator[str]:
    """Note notebooks and files with several exercises: what counts, and what does not."""
    for parts, slug in contents.swapped.items():
        if counts := shorts(held for held, file in answers.items() if file.parts == parts):
            short = exercises()[slug].short
            defines = f"it defines what {counts} asks for, and nothing of {short}"
            yield f"{printable('/'.join(parts))} counts for {counts}, not for {short}: {defines}"
    odd = {file.parts: book.odd for file, book in contents.notebooks.items()}
    for mixed in (*contents.notebooks, *contents.scripts, *contents.spares):
        if mixed.parts not in contents.swapped:
            extracts = [file.extract for file in answers.values()
                        if file.extract and file.parts == mixed.parts]  # fmt: skip
            yield from _on_extracts(mixed, extracts, odd.get(mixed.parts, 0))


def _on_extracts(mixed: File, extracts: Sequence[Extract], odd: int) -> Iterator[str]:
    name = printable(mixed.path)
    if news := [part.slug for part in extracts if mixed.script or not part.named]:
        yield f"{name} counts for {shorts(news)}"
    if extracts and odd:
        yield f"{name} lists things that are not cells, which were left out: {odd}"
    if shared := {word for part in extracts for word in part.shared}:
        parts = f"definitions in {name}" if mixed.script else f"cells of {name}"
        means = "headings or libraries" if mixed.script else "names, tags or libraries"
        decision = f"which {parts} are for which was told by {means}"
        yield f"several exercises ask for {few(sorted(shared))}: {decision}"
    for at in sorted({cell for part in extracts for cell in part.broken}):
        slugs = shorts(part.slug for part in extracts if at in part.broken)
        place = f"what begins at line {at}" if mixed.script else f"code cell {at}"
        unread = "was not read, or not all of it, as it is not Python or too long"
        yield f"{place} of {name} {unread}; it seems to define something of {slugs}"


def _on_unread(contents: Contents) -> Iterator[str]:
    for encoding, files in contents.encoded.items():
        if files:
            names = few(map("/".join, files))
            yield f"read, though not UTF-8 text but {encoding}; save it as UTF-8: {names}"
    for reason, refused in contents.refused.items():
        yield _not_read(map("/".join, refused), reason)


def _on_helpers(contents: Contents, answers: Mapping[str, File]) -> Iterator[str]:
    """Note files that define what no other does, but are called tests or notes."""
    for helper in contents.helpers:
        names = defined(text_of(helper.content))
        slugs = [slug for slug in exercises() if names & asked_of(slug)]
        if slugs and not answers.keys() & slugs:
            uncounted = f"{printable(helper.path)} does not count for {shorts(slugs)}"
            reason = "by its name it is a test, notes or the like"
            yield f"{uncounted}, though it defines something of it: {reason}"


def _on_stray(parts: Parts) -> str:
    name, slug = printable("/".join(parts)), short_name(parts[-1]).slug
    if slug:
        short = exercises()[slug].short
        return f"{name} does not count for {short}: it defines nothing that {short} asks for"
    return stray(name, parts[-1].removesuffix(".py"))
