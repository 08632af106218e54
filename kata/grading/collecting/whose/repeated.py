"""`alice (1).zip`: a later upload of `alice.zip`, or another person?"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from kata.grading.collecting.names import REPEATED, few, fold
from kata.grading.collecting.places import Location
from kata.words import say


def repeated(
    places: list[Location], tell: Callable[[str], object], *, resubmissions: bool
) -> list[Location]:
    """The same places, with later uploads told as such; who may be two people is told once.

    No student reads it on a page: it names another one.
    """
    others: list[str] = []
    found = [*_repeated(places, others, resubmissions=resubmissions)]
    if others:
        tell(say("collecting.two-people", names=few(others)))
    return found


def _repeated(
    places: list[Location], others: list[str], *, resubmissions: bool
) -> Iterator[Location]:
    """Take numbers in brackets for later uploads: browsers write them into names of files.

    Nobody numbers folders so but a person who sorts them: `Wei Zhang (2)` is another Wei Zhang,
    unless the instructor says that it is a re-submission.
    """
    names = {fold(each.label.student): each for each in places if not each.label.decorated}
    for each in places:
        match = REPEATED.fullmatch(each.label.student)
        first = names.get(fold(match[1])) if match and not each.label.decorated else None
        if not match or not first:
            yield each
        elif is_folder(each) and not resubmissions:
            others.append(each.label.student)
            yield each
        else:
            later = replace(each.label, student=match[1], order=int(match[2]))
            yield replace(each, label=later)


def is_folder(place: Location) -> bool:
    """Whether it is a folder that somebody has named."""
    return place.label.file.endswith("/")
