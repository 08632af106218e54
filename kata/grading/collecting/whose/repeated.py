"""`alice (1).zip`, `alice_v2.zip`: a later upload of `alice.zip`, or another person?"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from kata.grading.collecting.names import REPEATED, few, fold
from kata.grading.collecting.places import Location
from kata.grading.collecting.versions import numbered
from kata.words import say

MORE = 2  # versions of one name, or it is a name like any other


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
    """Take numbers in brackets, and of versions, for later uploads.

    Browsers write the first into names of files, and people the second. Nobody numbers folders so
    but a person who sorts them: `Wei Zhang (2)` is another Wei Zhang, unless the instructor says
    that it is a re-submission.
    """
    own = [each.label.student for each in places if not each.label.decorated]
    names, rows = {*map(fold, own)}, Counter(fold(numbered(each)[0]) for each in own)
    for each in places:
        student = each.label.student
        bracket, (base, number) = REPEATED.fullmatch(student), numbered(student)
        if bracket and fold(bracket[1]) in names:
            base, number = bracket[1], int(bracket[2])
        elif not base or rows[fold(base)] < MORE:
            number = 0
        if each.label.decorated or not number:
            yield each
        elif is_folder(each) and not resubmissions:
            others.append(student)
            yield each
        else:
            yield replace(each, label=replace(each.label, student=base, order=number))


def is_folder(place: Location) -> bool:
    """Whether it is a folder that somebody has named."""
    return place.label.file.endswith("/")
