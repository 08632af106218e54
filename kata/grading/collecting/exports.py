"""How learning platforms name what they export, and which of them named a folder.

The front of such a name, written by the platform, says whose work it is; a student chose the rest.
So a name is split at its first mark, and all names in a folder are read as one platform's. The
forms were checked against source code: Moodle's downloader.php, nbgrader for Blackboard, and
Canvas' content_zipper.rb.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kata.grading.collecting.entries import opened
from kata.grading.collecting.names import (
    LONGEST,
    NameParts,
    is_archive,
    is_file,
    is_junk,
    plain_parts,
)

GRADESCOPE = "submission_metadata.yml"
LINE = 1 << 12  # bytes; the lines of Gradescope's metadata that count are shorter
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
        matches = (re.fullmatch(form, name, re.DOTALL) for form in self.forms)
        return next(filter(None, matches), None)


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
    votes = {platform: _votes(platform, names) for platform in PLATFORMS}
    best = max(PLATFORMS, key=lambda platform: votes[platform])
    return best if votes[best][0] else None


def _votes(platform: Platform, names: Sequence[Name]) -> tuple[int, int, int]:
    """How many names have the platform's form, of how many uploads, and how early their marks come.

    A title like `Lab_1_2` looks like the number of an upload to Canvas, the same for everybody.
    """
    matches = [match for name in names if (match := platform.match(*name))]
    key = "order" if platform.counts_uploads else ""
    uploads = {match.groupdict().get(key) or match[0] for match in matches}
    return len(matches), len(uploads), -sum(match.start("mark") for match in matches)


def split(platform: Platform | None, names: Sequence[Name]) -> list[NameParts | None]:
    """The parts of each name that has the platform's form; None for every other name."""
    matches = [platform.match(*name) if platform else None for name in names]
    start = 0
    if platform and platform.titled:  # the assignment's title, which all `TITLE_STUDENT` begin with
        heads = [match["student"] for match in matches if match]
        start = len(common_prefix(heads, "_"))
    return [_from_match(match, start) if match else None for match in matches]


def common_prefix(names: Iterable[str], end: str) -> str:
    """The longest common prefix that ends so."""
    same = os.path.commonprefix([*names])  # noqa: RUF071  # letter by letter, as wanted here
    return same[: same.rfind(end) + 1]


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


# -- Gradescope, which names folders by numbers, and people in a file


def submitters(lines: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Names and numbers of the students of each folder, from Gradescope's submission_metadata.yml.

    Only Gradescope's own structure is read: a folder without indentation, its sections indented by
    two spaces, a list of people in the section `:submitters:`. What students printed is indented
    further, so it cannot be mistaken for a name.
    """
    folders: dict[str, dict[str, list[str]]] = {}
    folder = section = ""
    for line in lines:
        if match := re.match(r"([^\s:#-][^:]*):\s*$", line):
            folder, section = match[1], ""
        elif match := re.match(r"  (:\w+:)", line):
            section = match[1]
        elif section == ":submitters:" and (match := re.match(r"  [ -] +:(name|sid): (.+)", line)):
            folders.setdefault(folder, {}).setdefault(match[1], []).append(_unquoted(match[2]))
    return {
        folder: (", ".join(people["name"]), ", ".join(people.get("sid", [])))
        for folder, people in folders.items()
        if any(people.get("name", []))
    }


def _unquoted(value: str) -> str:
    """A YAML string without its quotes."""
    value = value.strip()
    if value.startswith('"'):
        try:
            return str(json.loads(value))
        except ValueError:  # an escape that only YAML has
            return value.strip('"')
    return value[1:-1].replace("''", "'") if value.startswith("'") else value


def gradescope_lines(path: Path) -> Iterator[str]:
    """The lines of its metadata, cut after so many bytes: students print lines of any length."""
    with opened(path) as file:
        whole = True
        while line := file.readline(LINE):
            if whole:
                yield line.decode("utf-8", "replace")
            whole = line.endswith(b"\n")
