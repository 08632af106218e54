"""The places with students' work in a folder, judging by names alone.

`students` calls `recognised`; `submissions` and `late` use its `Location`. No work is opened: the
only file that is read is Gradescope's metadata.
"""

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from kata.grading.collecting.entries import (
    CLASSROOM_SUFFIX,
    GRADESCOPE,
    MOST,
    RefusedError,
    opened,
)
from kata.grading.collecting.names import (
    BLACKBOARD,
    KATA_FOLDERS,
    MOODLE,
    Name,
    NameParts,
    Platform,
    common_prefix,
    is_archive,
    is_file,
    is_leftover,
    name_parts,
    names_exercise,
    platform_of,
    split,
    unmarked,
)

LONGEST_LINE = 1 << 12  # bytes; the lines of Gradescope's metadata that count are shorter
OF_GRADESCOPE = re.compile(r"assignment_\d+_export")
# Folders of the whole kata, which some students submit.
PARTS_OF_KATA = {*KATA_FOLDERS, "exercises", "notebooks", "proofs"}
Item = os.DirEntry[str]


@dataclass(frozen=True)
class Location:
    """A folder, an archive or a file with work in it."""

    path: Path
    label: NameParts  # what its name says
    remarks: tuple[str, ...] = ()  # on its name, which replaces `{names}` in them
    time: str = ""  # of submission, as the platform has written it beside the work

    @property
    def title(self) -> str:
        """Its name in a message about several places of one student."""
        return self.label.file or self.path.name


@dataclass(frozen=True)
class Recognised:
    """The interpretation of a folder, judging by names alone."""

    places: list[Location]  # with everything that may be a student's work
    platform: str = ""  # that named it; empty if none did
    left_out: tuple[str, ...] = ()  # entries beside the work of students
    people: tuple[str, ...] = ()  # folders in one person's work that look like other people's


def recognised(folder: Path, grades: Path | None = None) -> Recognised:
    """Find the places with work in a folder, leaving out the folder of the grades."""
    items = [item for item in _listed(folder) if not _leads_to(item, grades)]
    if MOODLE.match(folder.name, folder=True) or _is_work(folder, items):
        time = gradescope(folder.parent)[folder.name].time
        place = Location(folder, name_parts(folder.name, folder=True), time=time)
        return Recognised([place], people=tuple(_people(items)))
    if any(item.name == GRADESCOPE for item in items):
        return Recognised([*_of_gradescope(folder, items)], "Gradescope")
    if len(items) == 1 and _is_export(items[0]):
        return recognised(Path(items[0].path))
    work = [item for item in items if _may_be_work(item)]
    platform = platform_of([*map(_named, work)])
    classroom = "GitHub Classroom" if folder.name.endswith(CLASSROOM_SUFFIX) else ""
    left_out = tuple(item.name for item in items if item not in work)
    name = platform.name if platform else classroom
    return Recognised([*_of_class(folder, work)], name, left_out)


def _listed(folder: Path) -> list[Item]:
    with os.scandir(folder) as listed:
        items = sorted(listed, key=lambda item: item.name)
    return [item for item in items if not is_leftover(item.name)]


def _leads_to(item: Item, folder: Path | None) -> bool:
    with suppress(OSError, RuntimeError):  # a link that leads to itself leads nowhere
        return item.is_dir() and Path(item.path).resolve() == folder
    return False


def _named(item: Item) -> Name:
    return item.name, item.is_dir(follow_symlinks=False)


def _may_be_folder(item: Item) -> bool:
    """Return whether an item is a folder, or a link that could lead to one, but is not followed."""
    return item.is_symlink() or item.is_dir(follow_symlinks=False)


def _may_be_work(item: Item) -> bool:
    """Return whether an item may be a student's work, unlike a list of grades, for example."""
    suitable = is_archive(item.name) or is_file(item.name)
    return suitable or _may_be_folder(item) or name_parts(item.name).decorated


def _is_work(folder: Path, items: list[Item]) -> bool:
    """Return whether this is the work of one student: exercises, or the kata with `exercises`.

    An export of a class stays one even if an exercise lies among the files that the platform named.
    """
    if platform_of([*map(_named, items)]):
        return False
    kata = [item for item in items if item.name == "exercises" and _may_be_folder(item)]
    inside = _listed(folder / "exercises") if kata and not kata[0].is_symlink() else []
    return any(names_exercise(item.name) for item in (*items, *inside))


def _people(items: Iterable[Item]) -> Iterator[str]:
    """Yield folders and archives that may be other people's: the kata's own are none."""
    for item in items:
        if item.name in PARTS_OF_KATA:
            continue
        if is_archive(item.name):
            yield item.name
        elif item.is_dir(follow_symlinks=False):
            with suppress(OSError), os.scandir(item.path) as inside:
                if any(names_exercise(file.name) for file in inside):
                    yield item.name


def _is_export(item: Item) -> bool:
    """Return whether this folder is an export, unpacked into the folder to grade.

    Only its own name tells: what is in it may be the work of the only student.
    """
    if not item.is_dir(follow_symlinks=False):
        return False
    metadata = os.path.lexists(Path(item.path, GRADESCOPE))
    return item.name.endswith(CLASSROOM_SUFFIX) or bool(
        metadata and OF_GRADESCOPE.fullmatch(item.name)
    )


def _of_class(folder: Path, items: list[Item]) -> Iterator[Location]:
    names = [*map(_named, items)]
    platform, prefix = platform_of(names), _assignment(folder, items)
    labels = split(platform, names)
    mostly = 2 * sum(map(bool, labels)) >= len(names)
    for item, name, marked in zip(items, names, labels, strict=True):
        label = marked or unmarked(*name)
        if _may_be_folder(item) and not label.decorated:
            label = replace(label, student=label.student.removeprefix(prefix) or label.student)
        remarks = [*_on_form(name, marked, platform, mostly), *_on_rest(label, platform)]
        if len(items) == 1:
            remarks += _on_export(item)
        yield Location(Path(item.path), label, tuple(remarks))


def _assignment(folder: Path, items: list[Item]) -> str:
    """Return the prefix that GitHub Classroom puts before the names of students.

    `gh classroom clone` makes `masks-submissions/masks-STUDENT`. In a folder with another name,
    clones of one assignment have a common prefix.
    """
    if folder.name.endswith(CLASSROOM_SUFFIX):
        return f"{folder.name.removesuffix(CLASSROOM_SUFFIX)}-"
    clones = [item.name for item in items if os.path.lexists(Path(item.path, ".git"))]
    return common_prefix(clones, "-") if len(clones) > 1 else ""


# -- remarks


def _on_form(
    name: Name, marked: NameParts | None, platform: Platform | None, mostly: bool
) -> Iterator[str]:
    """Remark on a name in another platform's form, or in the rarer of two forms of a folder."""
    if platform and not marked and (rival := platform_of([name])):
        form = f"named as {rival.name} names files, but {platform.name}"
        yield f"{form} named others here: {{names}}"
    elif platform and marked and not mostly:
        yield f"named as {platform.name} names files, as most others here are not: {{names}}"
    elif platform and mostly and not marked:
        yield f"not named by {platform.name}, as most others here are: {{names}}"


def _on_rest(label: NameParts, platform: Platform | None) -> Iterator[str]:
    """Remark on what only an attacker or a wrong clock writes into a name."""
    is_work = is_archive(label.file) or is_file(label.file)
    if label.numbered and is_work and (rival := platform_of([(label.file, False)])):
        looks = f"the student's own part of the name looks like a file from {rival.name}"
        yield f"{looks}; it does not say whose work this is: {{names}}"
    tomorrow = datetime.now() + timedelta(days=1)  # enough for all time zones
    if platform is BLACKBOARD and label.order > int(tomorrow.strftime("%Y%m%d%H%M%S")):
        yield "its date is in the future: {names}"


def _on_export(item: Item) -> Iterator[str]:
    """Remark on the only student's folder, if it looks like an export of several students."""
    if not item.is_dir(follow_symlinks=False):
        return
    with suppress(OSError), os.scandir(item.path) as inside:
        names = [_named(file) for file in islice(inside, MOST)]
        platform = platform_of(names)
        people = {label.student for label in split(platform, names) if label}
        if platform and len(people) > 1:
            looks = f"{{names}} looks like an export of {platform.name} with several students"
            yield f"{looks}; if it is one, grade the folder {{names}} itself"


# -- Gradescope names folders by numbers, and people and times in a file


@dataclass
class Metadata:
    """Gradescope's metadata of a submission: its students, their numbers, and its time."""

    names: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    time: str = ""


def gradescope(folder: Path) -> defaultdict[str, Metadata]:
    """Read submission_metadata.yml, by the folders beside it; nothing if it is unreadable.

    Only Gradescope's own structure is read: a folder without indentation, its sections indented by
    two spaces, a list of people in the section `:submitters:`. What students printed is indented
    further, so it cannot be mistaken for a name or a time.
    """
    submissions: defaultdict[str, Metadata] = defaultdict(Metadata)
    name = section = ""
    with suppress(OSError, RefusedError):
        for line in _lines(folder / GRADESCOPE):
            if match := re.match(r"([^\s:#-][^:]*):\s*$", line):
                name, section = match[1], ""
            elif match := re.match(r"  (:\w+:)(?: (.+))?", line):
                section = match[1]
                if section == ":created_at:" and match[2]:
                    submissions[name].time = _unquoted(match[2])
            elif match := re.match(r"  [ -] +:(name|sid): (.+)", line):
                metadata = submissions[name]
                if section == ":submitters:":
                    texts = metadata.names if match[1] == "name" else metadata.numbers
                    texts.append(_unquoted(match[2]))
    return submissions


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines, cut after so many bytes: students print lines of any length."""
    with opened(path) as file:
        is_start = True
        while line := file.readline(LONGEST_LINE):
            if is_start:
                yield line.decode("utf-8", "replace")
            is_start = line.endswith(b"\n")


def _unquoted(value: str) -> str:
    """Strip a YAML string of its quotes."""
    value = value.strip()
    if value.startswith('"'):
        try:
            return str(json.loads(value))
        except ValueError:  # an escape that only YAML has
            return value.strip('"')
    return value[1:-1].replace("''", "'") if value.startswith("'") else value


def _of_gradescope(folder: Path, items: list[Item]) -> Iterator[Location]:
    """Yield folders as submissions, also if two people chose the same name."""
    metadata = gradescope(folder)
    folders = filter(_may_be_folder, items)
    owners = {item: _owner(item.name, metadata[item.name]) for item in folders}
    counts = Counter(owners.values())
    for item, (name, number) in owners.items():
        alone = counts[name, number] == 1
        label = NameParts(name, item.name, number if alone else item.name)
        namesake = "several submissions have the same name and number: {names}"
        remarks = () if alone else (namesake,)
        yield Location(Path(item.path), label, remarks, metadata[item.name].time)


def _owner(folder: str, metadata: Metadata) -> tuple[str, str]:
    """Return names and numbers of a submission's students; if none is named, that of its folder."""
    if not any(metadata.names):
        return folder, ""
    return ", ".join(metadata.names), ", ".join(metadata.numbers)
