"""Which of several files for one exercise counts: in one place, and of those in several places."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from kata.course.curriculum import exercises
from kata.grading.collecting.files import File, normalized, preferred, written_among
from kata.grading.collecting.modules import joined
from kata.grading.collecting.names import few, orders, shorts
from kata.grading.collecting.places import Location


def choice_in_place(slug: str, files: Iterable[File]) -> tuple[File | None, str]:
    """The file that counts, and a note if another one differs from it.

    Files outside of archives come first, then later uploads, then files before notebooks, then the
    exercise's own filename, then fewer folders. Dates are not looked at: exports change them. A
    stub never replaces written work. If nothing ranks two files that differ, neither counts.
    """
    candidates = preferred(files)
    if len(candidates) < 2:  # nearly always
        return next(iter(candidates), None), ""
    written = written_among(candidates)
    folders = orders(["/".join(file.parts[:-1]) for file in written])
    names = orders([file.name for file in written])
    later = {id(file): order for file, *order in zip(written, folders, names, strict=True)}
    ranks = {id(file): _rank_in_place(file, *later[id(file)]) for file in written}
    best = min(written, key=lambda file: ranks[id(file)])
    same = normalized(best.content)
    others = [file for file in written if normalized(file.content) != same]
    if whole := joined([best, *others]):
        return whole
    exercise = exercises()[slug]
    odd = any(file.taken or file.short for file in written)
    twice = f"{exercise.short if odd else exercise.filename} was found more than once"
    # No name tells which of these is later.
    rivals = [file for file in others if ranks[id(file)] == ranks[id(best)]
              or (later[id(file)] == later[id(best)] and best.is_unranked(file))]  # fmt: skip
    if rivals:
        names_of_all = few(file.path for file in (best, *rivals))
        return None, f"{twice} with different content, so none counts: {names_of_all}"
    left = few(file.path for file in others)
    return best, f"{twice}: {few([best.path])} counts, not {left}" if others else ""


def _rank_in_place(file: File, folder: tuple[int, int], name: tuple[int, int]) -> tuple[int, ...]:
    """The lowest counts; what its folder and its name say about when it was made is the higher the
    later.
    """
    later, own = (tuple(-part for part in order) for order in (folder, name))
    return (*file.upload, *later, *file.kind, *own, file.nearness, len(file.parts))


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


def choices(places: list[tuple[Location, Mapping[str, File]]]) -> list[Choice]:
    """Of each exercise that is in any of these places.

    The later one counts, where names tell which is later: Canvas numbers its files, Blackboard adds
    the date, `alice (1).zip` came after `alice.zip`. A stub never replaces written work. If the
    names do not tell, a file counts before a notebook; of two files nothing is graded: the
    instructor decides.
    """
    return [choice for slug in exercises() if (choice := _choice(slug, places))]


def _choice(slug: str, places: list[tuple[Location, Mapping[str, File]]]) -> Choice | None:
    there = [(place, files[slug]) for place, files in places if slug in files]
    if not there:
        return None
    if len(there) == 1:  # nearly always
        return Choice(slug, there[0][1], there[0][0])
    kept = preferred(file for _, file in there)
    candidates = [(place, file) for place, file in there if file in kept]
    written = written_among([file for _, file in candidates])
    if whole := joined([file for _, file in candidates if file in written]):
        return Choice(slug, whole[0], candidates[0][0], note=whole[1])
    names = orders([file.name for _, file in candidates])
    ranked = [(_rank(place, file, order), place, file)
              for (place, file), order in zip(candidates, names, strict=True)
              if file in written]  # fmt: skip
    best, taken, chosen = min(ranked, key=lambda candidate: candidate[0])
    same = normalized(chosen.content)
    others = [(rank, place) for rank, place, file in ranked if normalized(file.content) != same]
    return Choice(
        slug,
        chosen,
        taken,
        rivals=tuple(place for rank, place in others if rank == best),
        earlier=tuple(place for rank, place in others if rank[0] > best[0]),
        beside=tuple(place for rank, place in others if rank[0] == best[0] and rank != best),
    )


def _rank(place: Location, file: File, order: tuple[int, int]) -> tuple[int, ...]:
    """The lowest counts: the latest, and of those just as late a file before a notebook."""
    return (-place.label.order, *file.kind, *(-part for part in order))


def unclear(made: list[Choice]) -> str:
    """Why work that was handed in more than once cannot be graded: no name tells which is later."""
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
