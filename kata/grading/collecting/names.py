"""What names say: which exercise a file is, and whose work a file, folder or archive is."""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from kata.course.curriculum import exercises
from kata.words import say

LONGEST = 255  # letters of a name; no disk has longer ones, an archive may
SHOWN = 80  # characters of a name in a line for people
FEW = 3  # names in a line for people
ARCHIVES = (
    ".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz",
    ".rar", ".7z", ".tar.zst", ".gz", ".bz2", ".xz", ".zst",
)  # fmt: skip
FILES = (".py", ".py.txt", ".ipynb")
JUNK = {"__macosx", "__pycache__", "thumbs.db", "desktop.ini"}
TOOLS = {"venv", "env", "node_modules", "site-packages"}
COPY = re.compile(
    r"(?:copy of )?(.+?)(?: ?\(\d+\)| ?- copy| copy| \d+|[-_]\d+_?)*\.py(?:\.txt)?", re.IGNORECASE
)
STRAY = re.compile(r"ex\d.*\.py", re.IGNORECASE | re.DOTALL)
NUMBER = re.compile(r".*[-_. (](\d+)\)?\.\D[^-_ ]*")
REPEATED = re.compile(r"(.+?) ?\((\d+)\)")

# How an LMS names what it gives out, the first that fits; each checked against its source code or
# its documents: Moodle's downloader.php, nbgrader for Blackboard, Canvas' content_zipper.rb.
LMS = [
    re.compile(each, re.DOTALL)
    for each in (
        r"(?P<student>.+?)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+(?:_(?P<file>.*))?",
        r".+_(?P<student>[^_]+)_attempt_(?P<order>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)?",
        r"(?P<late>LATE_)?anon_(?P<student>[^_]+)_(?P<order>\d+)_(?P<file>.+)",
        r"(?P<student>.+?)(?P<late>_LATE)?_(?P<id>\d+)_(?P<order>\d+)_(?P<file>.+)",
        r"(?P<student>.+?)(?P<late>_LATE)?_(?P<id>\d+)_(?P<file>(?:text|link)\.html)",
    )
]
# A folder is called so by an instructor who has unpacked Canvas' zips; team_1_2_b is not.
FOLDER = re.compile(r".*_(?:assignsubmission|attempt|\d{3,}_\d{3,})(?:_.*)?", re.DOTALL)
PREFIXED = re.compile(r"(?P<student>.+?)[-_ ]+(?P<file>ex\d.+)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class NameParts:
    """What the name of a file, folder or archive says about the work in it."""

    student: str
    file: str  # what the student called it
    id: str = ""  # tells students of the same name apart
    order: int = 0  # the higher, the later
    late: bool = False
    decorated: bool = True

    @property
    def numbered(self) -> bool:
        """Whether a learning platform has named it, which people hardly do in this way."""
        return bool(self.id or self.order)


def label(name: str) -> NameParts:
    """The student and the rest, where a learning platform has put them into the name."""
    patterns = [*LMS, PREFIXED] if len(name) <= LONGEST else []
    matches = (pattern.fullmatch(name) for pattern in patterns)
    for match in filter(None, matches):
        if match.re is not PREFIXED or slug_of(match["file"]):
            return _label(match.groupdict(default=""))
    return NameParts(without_suffix(name).strip() or name, name, decorated=False)


def label_of_folder(name: str) -> NameParts:
    """The same for a folder, whose name is its student's if no learning platform has made it."""
    return label(name) if FOLDER.fullmatch(name) else NameParts(name, f"{name}/", decorated=False)


def _label(said: dict[str, str]) -> NameParts:
    order = re.sub(r"\D", "", said.get("order", ""))
    student = said["student"].strip() or said["student"]
    late = bool(said.get("late"))
    return NameParts(student, said["file"], said.get("id", ""), int(order or 0), late)


def slug_of(name: str) -> str:
    """The exercise of this file; copies that a browser or a desktop has numbered are one, too."""
    match = COPY.fullmatch(name) if len(name) <= LONGEST else None
    return _slugs().get(fold(match[1]), "") if match else ""


@cache
def _slugs() -> dict[str, str]:
    return {fold(slug): slug for slug in exercises()}


def is_stray(name: str) -> bool:
    """A Python file that is called like an exercise that there is not."""
    return len(name) <= LONGEST and STRAY.fullmatch(name) is not None


def is_archive(name: str) -> bool:
    """Whether the name says that it holds other files."""
    return name.casefold().endswith(ARCHIVES)


def is_junk(name: str) -> bool:
    """What systems leave behind: nobody hands it in."""
    return name.startswith(".") or name.casefold() in JUNK


def is_foreign(name: str) -> bool:
    """What may be in the work of a student and is not the student's own."""
    return is_junk(name) or name.casefold() in TOOLS


def number(name: str) -> int:
    """The number of `submission.1.zip` or `submission-1.zip`; 0 if it has none."""
    match = NUMBER.fullmatch(name[-LONGEST:])
    return int(match[1]) if match else 0


def is_file(name: str) -> bool:
    """Whether it is of a kind that somebody may have handed in under their own name."""
    return name.casefold().endswith(FILES)


def without_suffix(name: str) -> str:
    """An archive's or a Python file's name as that of a person."""
    suffixes = (*ARCHIVES, *FILES)
    found = [each for each in suffixes if name.casefold().endswith(each)]
    return name[: -len(max(found, key=len))] if found else name


def parts_of(path: str) -> tuple[str, ...] | None:
    """The folders and the name, or None if the path leads out of what it is in."""
    parts = path.replace("\\", "/").split("/")  # some zips from Windows have backslashes
    absolute = len(parts) > 1 and not parts[0]
    if absolute or ".." in parts or re.match(r"[A-Za-z]:", path):
        return None
    return tuple(each for each in parts if each not in {"", "."})


def fold(name: str) -> str:
    """What is the same for names that differ in nothing but case or Unicode's way to write them."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def shown(name: str) -> str:
    """A name in one line of printable letters, not too long."""
    if len(name) > SHOWN:
        name = f"{name[: SHOWN // 2]}…{name[-SHOWN // 2 :]}"
    return "".join(each if each.isprintable() else _escaped(each) for each in name)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def few(names: Iterable[str]) -> str:
    """The first names, and how many more there are."""
    each = [shown(name) for name in dict.fromkeys(names)]
    more = say("collecting.more", count=len(each) - FEW) if len(each) > FEW else ""
    return ", ".join(each[:FEW]) + more


def submitters(lines: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Names and numbers of the students of each folder, from Gradescope's submission_metadata.yml.

    Only what Gradescope writes is read: a folder at the margin, its sections two spaces in, a list
    of people in the section `:submitters:`. What students have printed stands further in.
    """
    found: dict[str, dict[str, list[str]]] = {}
    folder = section = ""
    for line in lines:
        if match := re.match(r"([^\s:#-][^:]*):\s*$", line):
            folder, section = match[1], ""
        elif match := re.match(r"  (:\w+:)", line):
            section = match[1]
        elif section == ":submitters:" and (match := re.match(r"  [ -] +:(name|sid): (.+)", line)):
            found.setdefault(folder, {}).setdefault(match[1], []).append(_plain(match[2]))
    return {
        folder: (", ".join(people["name"]), ", ".join(people.get("sid", [])))
        for folder, people in found.items()
        if any(people.get("name", []))
    }


def _plain(value: str) -> str:
    """A YAML string without its quotes."""
    value = value.strip()
    if value.startswith('"'):
        try:
            return str(json.loads(value))
        except ValueError:  # an escape of YAML's own
            return value.strip('"')
    return value[1:-1].replace("''", "'") if value.startswith("'") else value
