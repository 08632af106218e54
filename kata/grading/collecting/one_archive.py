"""Does a single archive hold the work of a whole class?"""

from itertools import islice
from pathlib import Path

from kata.grading.collecting.archives import MOST, RefusedError, archived
from kata.grading.collecting.exports import name_parts
from kata.grading.collecting.folders import opened
from kata.grading.collecting.names import fold, is_junk, parts_of
from kata.grading.collecting.places import GRADESCOPE


def students_in(path: Path) -> int:
    """How many students' work is in an archive, if a learning platform named all of it; else 0."""
    try:
        with opened(path) as file:
            paths = [each.path for each in islice(archived(file, path.name), MOST)]
    except (OSError, RefusedError):  # reported later, as a problem of this student's archive
        return 0
    files = [parts for each in paths if not each.endswith("/") and (parts := parts_of(each))]
    own = [each for each in files if each[-1] != GRADESCOPE and not any(map(is_junk, each))]
    owners = {_owner(each) for each in own}
    return 0 if "" in owners else len(owners)


def _owner(parts: tuple[str, ...]) -> str:
    """Whose file this is, in an export, which may have one folder around everything."""
    for part in parts[:2]:
        named = name_parts(part)
        if named.numbered:
            return f"{fold(named.student)} {named.id}"
        if part.startswith("submission_"):
            return part
    return ""
