"""What names say: which exercise a file belongs to, and whose work a file or folder is."""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from kata.course.curriculum import exercises
from kata.text import shown
from kata.words import say

LONGEST = 255  # letters of a name; file systems allow no longer ones, archives do
FEW = 3  # names in a message
ARCHIVES = (
    ".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz",
    ".rar", ".7z", ".tar.zst", ".gz", ".bz2", ".xz", ".zst",
)  # fmt: skip
ALONE = (".gz", ".bz2", ".xz", ".zst")  # one file, compressed, unless it is a tar
NOTEBOOK = ".ipynb"
PYTHON = (".py", ".py.txt")
FILES = (*PYTHON, NOTEBOOK)
JUNK = {"__macosx", "__pycache__", "thumbs.db", "desktop.ini"}
TOOLS = {"venv", "env", "node_modules", "site-packages"}
COPY = re.compile(
    r"(?:copy of )?(.+?)(?: ?\(\d+\)| ?- copy| copy| \d+|[-_]\d+_?)*\.(?:py(?:\.txt)?|ipynb)",
    re.IGNORECASE,
)
STRAY = re.compile(r"ex\d.*\.py", re.IGNORECASE | re.DOTALL)
NUMBER = re.compile(r".*[-_. (](\d+)\)?\.\D[^-_ ]*")
REPEATED = re.compile(r"(.+?) ?\((\d+)\)")
SHORT = re.compile(r"ex\d\d?(?: ?\(\d+\))?\.(?:py(?:\.txt)?|ipynb)", re.IGNORECASE)
PREFIXED = re.compile(r"(?P<student>.+?)[-_ ]+(?P<file>ex\d.+)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class NameParts:
    """What the name of a file, folder or archive says about the work in it."""

    student: str
    file: str  # the name that the student gave it
    id: str = ""  # tells students with the same name apart
    order: int = 0  # the higher, the later
    late: bool = False
    decorated: bool = True  # whether the name says more than who the student is

    @property
    def numbered(self) -> bool:
        """Whether a learning platform made the name: people hardly write such numbers."""
        return bool(self.id or self.order)


def plain_parts(name: str) -> NameParts:
    """The parts of the name of a file or an archive that no learning platform made."""
    match = PREFIXED.fullmatch(name) if len(name) <= LONGEST else None
    if match and (slug_of(match["file"]) or SHORT.fullmatch(match["file"])):
        return NameParts(match["student"].strip() or match["student"], match["file"])
    return NameParts(without_suffix(name).strip() or name, name, decorated=False)


def slug_of(name: str) -> str:
    """The exercise that a file belongs to, also if a browser or a desktop numbered a copy of it."""
    match = COPY.fullmatch(name) if len(name) <= LONGEST else None
    return _slugs().get(fold(match[1]), "") if match else ""


@cache
def _slugs() -> dict[str, str]:
    return {fold(slug): slug for slug in exercises()}


def is_stray(name: str) -> bool:
    """Whether this is a Python file named like an exercise that does not exist."""
    return len(name) <= LONGEST and STRAY.fullmatch(name) is not None


def is_archive(name: str) -> bool:
    """Whether the name is that of an archive."""
    return name.casefold().endswith(ARCHIVES)


def is_container(name: str) -> bool:
    """Whether it is that of an archive of files, unlike `data.gz`."""
    folded = name.casefold()
    return is_archive(name) and (".tar." in folded or not folded.endswith(ALONE))


def is_junk(name: str) -> bool:
    """Whether an operating system left it behind, so that it is no part of the work."""
    return name.startswith(".") or name.casefold() in JUNK


def is_foreign(name: str) -> bool:
    """Whether it may lie in a student's folder without being the student's own work."""
    return is_junk(name) or name.casefold() in TOOLS


def number(name: str) -> int:
    """The number of `submission.1.zip` or `submission-1.zip`; 0 if it has none."""
    match = NUMBER.fullmatch(name[-LONGEST:])
    return int(match[1]) if match else 0


def is_file(name: str) -> bool:
    """Whether it is a kind of file that a student may hand in under their own name."""
    return name.casefold().endswith(FILES)


def is_python(name: str) -> bool:
    """Whether the name is that of a Python file, perhaps with a suffix that an editor has added."""
    return name.casefold().endswith(PYTHON)


def is_notebook(name: str) -> bool:
    """Whether the name is that of a notebook."""
    return name.casefold().endswith(NOTEBOOK)


def without_suffix(name: str) -> str:
    """The name of an archive or a file without its suffix."""
    suffixes = (*ARCHIVES, *FILES)
    found = [each for each in suffixes if name.casefold().endswith(each)]
    return name[: -len(max(found, key=len))] if found else name


def parts_of(path: str) -> tuple[str, ...] | None:
    """The folders and the name in a path, or None if it leads out of its archive."""
    parts = path.replace("\\", "/").split("/")  # some zips from Windows have backslashes
    absolute = len(parts) > 1 and not parts[0]
    if absolute or ".." in parts or re.match(r"[A-Za-z]:", path):
        return None
    return tuple(each for each in parts if each not in {"", "."})


def fold(name: str) -> str:
    """A key that is equal for names that differ only in case or Unicode normalization."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def few(names: Iterable[str]) -> str:
    """The first few names for a message, and how many more there are."""
    each = [shown(name) for name in dict.fromkeys(names)]
    more = say("collecting.more", count=len(each) - FEW) if len(each) > FEW else ""
    return ", ".join(each[:FEW]) + more


def submitters(lines: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Names and numbers of the students of each folder, from Gradescope's submission_metadata.yml.

    Only Gradescope's own structure is read: a folder without indentation, its sections indented by
    two spaces, a list of people in the section `:submitters:`. What students printed is indented
    further, so it cannot be mistaken for a name.
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
        except ValueError:  # an escape that only YAML has
            return value.strip('"')
    return value[1:-1].replace("''", "'") if value.startswith("'") else value
