"""Which of several files for one exercise counts."""

from collections.abc import Iterable

from kata.course.curriculum import exercises
from kata.grading.collecting.names import few
from kata.grading.collecting.one_place.files import File, Search
from kata.grading.collecting.one_place.stubs import normalized
from kata.words import say


def chosen(search: Search, files: list[File]) -> list[tuple[File | None, str]]:
    """For each exercise the file that counts, and a note if another one differs from it."""
    counting = [each for each in files if search.counts(each)]
    return [choice(slug, [each for each in counting if each.slug == slug]) for slug in exercises()]


def choice(slug: str, files: list[File]) -> tuple[File | None, str]:
    """The file that counts, and a note if another one differs from it.

    Files outside of archives come first, then later uploads, then files before notebooks, then the
    exercise's own filename, then fewer folders. Dates are not looked at: exports change them. A
    stub never replaces written work. If nothing ranks two files that differ, neither counts.
    """
    written = written_among(files)
    if not written:
        return None, ""
    best = min(written, key=lambda each: each.rank)
    others = [each for each in written if normalized(each.content) != normalized(best.content)]
    exercise = exercises()[slug]
    filename = exercise.short if any(_is_odd(each) for each in written) else exercise.filename
    if rivals := [each for each in others if each.rank == best.rank or best.is_unranked(each)]:
        return None, say("collecting.twice", filename=filename, names=_paths([best, *rivals]))
    left = say("collecting.taken", filename=filename, taken=_paths([best]), left=_paths(others))
    return best, left if others else ""


def _is_odd(file: File) -> bool:
    return bool(file.taken or file.short)


def written_among(files: list[File]) -> list[File]:
    """Those in which anything is written; if in none, the files, which notebooks only repeat."""
    if len(files) < 2:
        return files
    begun = [each for each in files if each.begun]
    return begun or [each for each in files if not each.taken] or files[:1]


def _paths(files: Iterable[File]) -> str:
    return few("/".join(each.parts) for each in files)
