"""How learning platforms name what they export, and which of them named a folder.

The front of such a name, written by the platform, says whose work it is; a student chose the rest.
So a name is split at its first mark, and all names in a folder are read as one platform's. The
forms were checked against source code: Moodle's downloader.php, nbgrader for Blackboard, and
Canvas' content_zipper.rb.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kata.grading.collecting.names import (
    LONGEST,
    NameParts,
    is_archive,
    is_file,
    is_junk,
    plain_parts,
)

Name = tuple[str, bool]  # of an entry of a folder, and whether that is a folder itself
# How a folder is named after unpacking a student's zip from Canvas; team_1_2_b is something else.
FOLDER = re.compile(r".*_(?:assignsubmission|attempt|\d{3,}_\d{3,})(?:_.*)?", re.DOTALL)


@dataclass(frozen=True)
class Platform:
    """A learning platform: its name, and the forms of the names that it gives to files."""

    name: str
    forms: tuple[str, ...]
    counts_uploads: bool = False  # no two files have the same `order`
    titled: bool = False  # the assignment's title stands before the student's name

    def match(self, name: str, folder: bool = False) -> re.Match[str] | None:
        """The name, split at its first mark; None if this platform does not name files so."""
        if len(name) > LONGEST or (folder and not FOLDER.fullmatch(name)):
            return None
        found = (re.fullmatch(form, name, re.DOTALL) for form in self.forms)
        return next(filter(None, found), None)


MOODLE = Platform(
    "Moodle",
    (r"(?>(?P<student>.+?)(?:_(?P<id>\d+))?(?P<mark>_assignsubmission_))[a-z]+(?:_(?P<file>.*))?",),
)
BLACKBOARD = Platform(
    "Blackboard",
    (
        r"(?>(?P<student>.+?)(?P<mark>_attempt_)(?P<order>\d{4}(?:-\d\d){5}))"
        r"(?:_(?P<file>.+)|\.txt)?",
    ),
    titled=True,
)
ANONYMOUS = Platform(
    "Canvas (anonymous)",
    (r"(?P<late>LATE_)?(?P<mark>anon_)(?P<student>[^_]+)_(?P<order>\d+)_(?P<file>.+)",),
    counts_uploads=True,
)
CANVAS = Platform(
    "Canvas",
    (
        r"(?>(?P<student>.+?)(?P<late>_LATE)?(?P<mark>_)(?P<id>\d+)_(?P<order>\d+)_)(?P<file>.+)",
        r"(?P<student>.+?)(?P<late>_LATE)?(?P<mark>_)(?P<id>\d+)_(?P<file>(?:text|link)\.html)",
    ),
    counts_uploads=True,
)
PLATFORMS = (MOODLE, BLACKBOARD, ANONYMOUS, CANVAS)


def platform_of(names: Sequence[Name]) -> Platform | None:
    """The platform that named a folder, judging by all names in it; None if none did.

    Every name that it made has its form, whatever else students add to some of them. If the forms
    of two platforms fit equally many names, that counts whose marks come first.
    """
    votes = {each: _votes(each, names) for each in PLATFORMS}
    best = max(PLATFORMS, key=lambda each: votes[each])
    return best if votes[best][0] else None


def _votes(platform: Platform, names: Sequence[Name]) -> tuple[int, int, int]:
    """How many names have the platform's form, of how many uploads, and how early their marks come.

    A title like `Lab_1_2` looks like the number of an upload to Canvas, the same for everybody.
    """
    found = [match for each in names if (match := platform.match(*each))]
    key = "order" if platform.counts_uploads else ""
    uploads = {match.groupdict().get(key) or match[0] for match in found}
    return len(found), len(uploads), -sum(match.start("mark") for match in found)


def split(platform: Platform | None, names: Sequence[Name]) -> list[NameParts | None]:
    """The parts of each name that has the platform's form; None for every other name."""
    found = [platform.match(*each) if platform else None for each in names]
    heads = [match["student"] for match in found if match]
    start = len(_title(heads)) if platform and platform.titled else 0
    return [_from_match(match, start) if match else None for match in found]


def _title(heads: Iterable[str]) -> str:
    """The assignment's title, which `TITLE_STUDENT` have in common; neither is without `_`."""
    same = os.path.commonprefix([*heads])  # noqa: RUF071  # letter by letter, as wanted here
    return same[: same.rfind("_") + 1]


def _from_match(match: re.Match[str], start: int) -> NameParts:
    groups = match.groupdict(default="")
    order = int(re.sub(r"\D", "", groups.get("order", "")) or 0)
    student = groups["student"][start:] or groups["student"]
    late = bool(groups.get("late"))
    return NameParts(student.strip() or student, groups["file"], groups.get("id", ""), order, late)


def name_parts(name: str, folder: bool = False) -> NameParts:
    """The parts of the name of a file, an archive or a folder that nothing else lies beside."""
    (parts,) = split(platform_of([(name, folder)]), [(name, folder)])
    return parts or unmarked(name, folder)


def unmarked(name: str, folder: bool = False) -> NameParts:
    """The parts of a name that no platform made; that of a folder is the student's."""
    return NameParts(name, f"{name}/", decorated=False) if folder else plain_parts(name)


def borrowed(parts: NameParts) -> Platform | None:
    """The platform after whose files a student has named their own, if there is one."""
    suitable = is_archive(parts.file) or is_file(parts.file)
    return platform_of([(parts.file, False)]) if parts.numbered and suitable else None


def is_leftover(name: str) -> bool:
    """Whether an operating system left it behind; a platform's name may begin with a dot, too."""
    return is_junk(name) and (name.startswith("._") or platform_of([(name, False)]) is None)
