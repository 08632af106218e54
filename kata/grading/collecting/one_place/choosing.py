"""Which of several files for one exercise counts."""

from collections.abc import Iterable
from dataclasses import dataclass

from kata.course.curriculum import exercises
from kata.grading.collecting.names import few
from kata.grading.collecting.one_place.files import File, Search, own_name, preferred
from kata.grading.collecting.one_place.joining import joined, note
from kata.grading.collecting.one_place.stubs import normalized
from kata.grading.collecting.versions import orders
from kata.words import say


def chosen(search: Search, files: list[File]) -> list[tuple[File | None, str]]:
    """For each exercise the file that counts, and a note if another one differs from it."""
    counting = [each for each in files if search.counts(each)]
    return [choice(slug, preferred(each for each in counting if each.slug == slug))
            for slug in exercises()]  # fmt: skip


@dataclass(frozen=True)
class Ranked:
    """One of several files for an exercise in one place.

    Attributes:
        folder: what the names of folders and archives say about when it was made.
        name: what its own name says.
    """

    file: File
    folder: tuple[int, int]
    name: tuple[int, int]

    @property
    def rank(self) -> tuple[int, ...]:
        """The lowest counts."""
        later, own = (tuple(-each for each in order) for order in (self.folder, self.name))
        file = self.file
        return (*file.upload, *later, *file.kind, *own, file.nearness, len(file.parts))

    def is_rival(self, other: "Ranked") -> bool:
        """Whether no name tells which of the two is later."""
        alike = (self.folder, self.name) == (other.folder, other.name)
        return self.rank == other.rank or (alike and self.file.is_unranked(other.file))


def choice(slug: str, files: list[File]) -> tuple[File | None, str]:
    """The file that counts, and a note if another one differs from it.

    Files outside of archives come first, then later uploads, then files before notebooks, then the
    exercise's own filename, then fewer folders. Dates are not looked at: exports change them. A
    stub never replaces written work. If nothing ranks two files that differ, neither counts.
    """
    if len(files) < 2:  # nearly always
        return next(iter(files), None), ""
    written = _ranked(written_among(files))
    best = min(written, key=lambda each: each.rank)
    same = normalized(best.file.content)
    others = [each for each in written if normalized(each.file.content) != same]
    parts = [best.file, *(each.file for each in others)]
    if whole := joined(slug, parts):
        return whole, note(slug, parts)
    exercise = exercises()[slug]
    odd = any(each.file.taken or each.file.short for each in written)
    filename = exercise.short if odd else exercise.filename
    if rivals := [each for each in others if best.is_rival(each)]:
        return None, say("collecting.twice", filename=filename, names=_paths([best, *rivals]))
    left = say("collecting.taken", filename=filename, taken=_paths([best]), left=_paths(others))
    return best.file, left if others else ""


def _ranked(files: list[File]) -> list[Ranked]:
    folders = orders(["/".join(each.parts[:-1]) for each in files])
    names = orders([own_name(each.parts[-1]) for each in files])
    return [Ranked(*each) for each in zip(files, folders, names, strict=True)]


def written_among(files: list[File]) -> list[File]:
    """Those in which anything is written; if in none, the files, which notebooks only repeat."""
    if len(files) < 2:
        return files
    begun = [each for each in files if each.begun]
    return begun or [each for each in files if not each.taken] or files[:1]


def _paths(files: Iterable[Ranked]) -> str:
    return few("/".join(each.file.parts) for each in files)
