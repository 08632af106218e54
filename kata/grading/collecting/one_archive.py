"""Does a single archive hold the work of a whole class?"""

from itertools import islice
from pathlib import Path
from zipfile import BadZipFile

from kata.grading.collecting.archives import MOST, RefusedError, archived
from kata.grading.collecting.exports import name_parts
from kata.grading.collecting.folders import opened
from kata.grading.collecting.names import LONGEST, fold, is_archive, is_file, is_junk, parts_of
from kata.grading.collecting.packed.class_export import listed
from kata.grading.collecting.places import CLASSROOM, GRADESCOPE

EXPORTED = "submissions"  # how Canvas calls the zip of a class


def students_in(path: Path) -> int:
    """How many students' work is in an archive, if a learning platform named all of it; else 0."""
    files = [parts for each in _paths(path) if not each.endswith("/") and (parts := parts_of(each))]
    own = [each for each in files if each[-1] != GRADESCOPE and not any(map(is_junk, each))]
    owners = [(_owner(each), each[-1]) for each in own]
    if any(not owner and (is_archive(name) or is_file(name)) for owner, name in owners):
        return 0
    return len({owner for owner, _ in owners if owner})


def class_in(path: Path) -> int:
    """The same for the zip of a class; one student is a class if the platform's marks are plain."""
    count = students_in(path)
    sure = path.name.casefold().startswith(EXPORTED) or any("_assign" in e for e in _paths(path))
    return count if count > 1 or sure else 0


def _paths(path: Path) -> list[str]:
    """All paths in an archive; none if it cannot be listed, which is reported when it is read."""
    try:
        if path.name.casefold().endswith(".zip"):
            return [each.filename for each in listed(path)]
        with opened(path) as file:
            return [each.path for each in islice(archived(file, path.name), MOST)]
    except (OSError, RefusedError, BadZipFile, ValueError, NotImplementedError):
        return []


def _owner(parts: tuple[str, ...]) -> str:
    """Whose file this is, in an export, which may have one folder around everything."""
    if len(parts) > 2 and parts[0].endswith(CLASSROOM):
        return fold(parts[1])
    for part in parts[:2]:
        named = name_parts(part[:LONGEST])  # students choose how long it gets
        if named.numbered:
            return f"{fold(named.student)} {named.id}"
        if part.startswith("submission_"):
            return part
    return ""
