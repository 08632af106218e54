"""The names of files and folders: they tell the exercise, the student, and which file is later.

Called all over `collecting`; `people`, `plan`, `late`, `reports` and `kata submit` use parts of it.
It looks at strings alone, and opens nothing.

The front of a name that a learning platform has made tells the student; a student chose the rest,
of any length in an archive. So such a name is split at its first mark, and all names in a folder
are read as one platform's. The forms were checked against source code: Moodle's downloader.php,
nbgrader for Blackboard, and Canvas' content_zipper.rb.
"""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import chain, count

from kata.course.curriculum import exercises
from kata.text import printable

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
# Next to `exercises/`, these folders belong to the kata, not to the student.
KATA_FOLDERS = {"benchmarks", "bugs", "docs", "kata", "solutions", "tests"}
COPY = re.compile(
    r"(?:copy of )?(.+?)(?: ?\(\d+\)| ?- copy| copy| \d+|[-_]\d+_?)*\.(?:py(?:\.txt)?|ipynb)",
    re.IGNORECASE,
)
STRAY = re.compile(r"ex\d.*\.py", re.IGNORECASE | re.DOTALL)
NUMBER = re.compile(r".*[-_. (](\d+)\)?\.\D[^-_ ]*")
REPEATED = re.compile(r"(.+?) ?\((\d+)\)")
SHORT = re.compile(r"ex\d\d?(?: ?\(\d+\))?\.(?:py(?:\.txt)?|ipynb)", re.IGNORECASE)
PREFIXED = re.compile(r"(?P<student>.+?)[-_ ]+(?P<file>ex\d.+)", re.DOTALL | re.IGNORECASE)
VERSION = re.compile(r"(?:(.*)[-_. ])?v(?:er(?:sion)?)?[-_. ]?(\d{1,4})", re.IGNORECASE)
# No letter before it, and no digit after: `index05` and `ex051` name no exercise.
EXERCISE = re.compile(r"(?<![^\W\d_])ex(?:ercise)?[\s_.-]*0*(\d{1,2})(?!\d)", re.IGNORECASE)
# No underscores in words: `test_ex05` has two. No case: `ex05Test` has two, too.
WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])")
LETTERS = re.compile(r"[^\W\d_]+")
DIGIT = re.compile(r"\d")
OLDER = {"old", "older", "backup", "bak", "orig", "original", "draft", "wip", "broken", "before",
         "previous", "prev", "first", "unfinished"}  # fmt: skip
HELPERS = {
    "test", "tests", "testing", "tester", "check", "checks", "checker", "conftest", "note", "notes",
    "scratch", "util", "utils", "helper", "helpers", "plot", "plots", "demo", "demos", "debug",
    "benchmark", "bench", "experiment", "experiments", "example", "examples", "setup", "grader",
    "template", "starter", "playground", "sandbox",
}  # fmt: skip
# Names that some people give to their only file; files with other names count before it.
LAST = {"util", "utils", "helper", "helpers", "starter", "template"}
COPIED = {"copy", "of"}  # by a browser or a desktop, if it has not written a number


def slug_of(name: str) -> str:
    """Return the exercise of a file, also if a browser or a desktop numbered a copy of it."""
    match = COPY.fullmatch(name) if len(name) <= LONGEST else None
    return _slugs().get(fold(match[1]), "") if match else ""


@cache
def _slugs() -> dict[str, str]:
    return {fold(slug): slug for slug in exercises()}


def is_stray(name: str) -> bool:
    """Return whether this is a Python file named like an exercise that does not exist."""
    return len(name) <= LONGEST and STRAY.fullmatch(name) is not None


def is_archive(name: str) -> bool:
    """Return whether the name is that of an archive."""
    return name.casefold().endswith(ARCHIVES)


def is_container(name: str) -> bool:
    """Return whether the name is that of an archive of files, unlike `data.gz`."""
    folded = name.casefold()
    return is_archive(name) and (".tar." in folded or not folded.endswith(ALONE))


def is_junk(name: str) -> bool:
    """Return whether an operating system left this behind, so that it is no part of the work."""
    return name.startswith(".") or name.casefold() in JUNK


def is_foreign(name: str) -> bool:
    """Return whether this may lie in a student's folder without being the student's own work."""
    return is_junk(name) or name.casefold() in TOOLS


def is_file(name: str) -> bool:
    """Return whether this is a kind of file that students submit under their own names."""
    return name.casefold().endswith(FILES)


def is_python(name: str) -> bool:
    """Return whether the name is that of a Python file, perhaps with an editor's suffix."""
    return name.casefold().endswith(PYTHON)


def without_suffix(name: str) -> str:
    """Strip the name of an archive or a file of its suffix."""
    suffixes = [suffix for suffix in (*ARCHIVES, *FILES) if name.casefold().endswith(suffix)]
    return name[: -len(max(suffixes, key=len))] if suffixes else name


def parts_of(path: str) -> tuple[str, ...] | None:
    """Split a path into its folders and the name; None if it leads out of its archive."""
    parts = path.replace("\\", "/").split("/")  # some zips from Windows have backslashes
    absolute = len(parts) > 1 and not parts[0]
    if absolute or ".." in parts or re.match(r"[A-Za-z]:", path):
        return None
    return tuple(part for part in parts if part not in {"", "."})


def fold(name: str) -> str:
    """Return a key that is equal for names that differ only in case or Unicode normalization."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def unique_names(names: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Make names unique, also if case is ignored: if needed, with a number or a counter."""
    everybody = list(names)
    namesakes, taken = Counter(fold(name) for name, _ in everybody), set[str]()
    for name, number in everybody:
        numbered = f"{name} ({number})" if number and namesakes[fold(name)] > 1 else name
        candidates = chain([numbered], (f"{numbered} [{number}]" for number in count(2)))
        unique = next(name for name in candidates if fold(name) not in taken)
        taken.add(fold(unique))
        yield unique


def few(names: Iterable[str]) -> str:
    """List the first few names for a message, and how many more there are."""
    different = [printable(name) for name in dict.fromkeys(names)]
    more = f" and {len(different) - FEW} more" if len(different) > FEW else ""
    return ", ".join(different[:FEW]) + more


def shorts(slugs: Iterable[str]) -> str:
    """List exercises for a message: `ex01, ex05`."""
    return ", ".join(exercises()[slug].short for slug in slugs)


# -- names that a learning platform has made in an export


Name = tuple[str, bool]  # of an entry of a folder, and whether that is a folder itself
# How a folder is named after unpacking a student's zip from Canvas; team_1_2_b is something else.
FOLDER = re.compile(r".*_(?:assignsubmission|attempt|\d{3,}_\d{3,})(?:_.*)?", re.DOTALL)


@dataclass(frozen=True)
class NameParts:
    """The parts of the name of a file, folder or archive, and what they say about the work."""

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


@dataclass(frozen=True)
class Platform:
    """A learning platform: its name, and the forms of the names that it gives to files."""

    name: str
    forms: tuple[str, ...]
    counts_uploads: bool = False  # no two files have the same `order`
    titled: bool = False  # the assignment's title stands before the student's name

    def match(self, name: str, folder: bool = False) -> re.Match[str] | None:
        """Split a name at its first mark; None if this platform does not name files so."""
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
    """Find the platform that named a folder, judging by all names in it; None if none did.

    Every name that it made has its form, whatever else students add to some of them. If the forms
    of two platforms fit equally many names, the platform with the earlier marks counts.
    """
    votes = {platform: _votes(platform, names) for platform in PLATFORMS}
    best = max(PLATFORMS, key=lambda platform: votes[platform])
    return best if votes[best][0] else None


def _votes(platform: Platform, names: Sequence[Name]) -> tuple[int, int, int]:
    """Count the names with the platform's form, their uploads, and how early their marks come.

    A title like `Lab_1_2` looks like the number of an upload to Canvas, the same for everybody.
    """
    matches = [match for name in names if (match := platform.match(*name))]
    key = "order" if platform.counts_uploads else ""
    uploads = {match.groupdict().get(key) or match[0] for match in matches}
    return len(matches), len(uploads), -sum(match.start("mark") for match in matches)


def split(platform: Platform | None, names: Sequence[Name]) -> list[NameParts | None]:
    """Split all names that have the platform's form; None for every other name."""
    matches = [platform.match(*name) if platform else None for name in names]
    start = 0
    if platform and platform.titled:  # the assignment's title, which all `TITLE_STUDENT` begin with
        heads = [match["student"] for match in matches if match]
        start = len(common_prefix(heads, "_"))
    return [_from_match(match, start) if match else None for match in matches]


def common_prefix(names: Iterable[str], end: str) -> str:
    """Return the longest common prefix that ends so."""
    prefix = os.path.commonprefix([*names])  # noqa: RUF071  # letter by letter, as wanted here
    return prefix[: prefix.rfind(end) + 1]


def _from_match(match: re.Match[str], start: int) -> NameParts:
    groups = match.groupdict(default="")
    order = int(re.sub(r"\D", "", groups.get("order", "")) or 0)
    student = groups["student"][start:] or groups["student"]
    late = bool(groups.get("late"))
    return NameParts(student.strip() or student, groups["file"], groups.get("id", ""), order, late)


def name_parts(name: str, folder: bool = False) -> NameParts:
    """Split the name of a file, an archive or a folder that lies alone."""
    (parts,) = split(platform_of([(name, folder)]), [(name, folder)])
    return parts or unmarked(name, folder)


def unmarked(name: str, folder: bool = False) -> NameParts:
    """Split a name that no platform made; that of a folder is the student's."""
    if folder:
        return NameParts(name, f"{name}/", decorated=False)
    match = PREFIXED.fullmatch(name) if len(name) <= LONGEST else None
    if match and (slug_of(match["file"]) or SHORT.fullmatch(match["file"])):
        return NameParts(match["student"].strip() or match["student"], match["file"])
    return NameParts(without_suffix(name).strip() or name, name, decorated=False)


def is_leftover(name: str) -> bool:
    """Return whether an operating system left this behind, and no platform named it."""
    return is_junk(name) and (name.startswith("._") or platform_of([(name, False)]) is None)


# -- names that say which is later: `hw_v2.zip` is later than `hw_v1.zip`, `old/` is earlier


def ages(paths: Sequence[str]) -> list[tuple[bool, int]]:
    """Rank paths by age: whether a word such as `old` is there, and the version; lower is later.

    A version counts only if another path is the same but for its number.
    """
    words, bases, versions = [], [], []
    for path in paths:
        stems = [without_suffix(part[-LONGEST:]) for part in path.split("/")]
        words.append({word.casefold() for stem in stems for word in LETTERS.findall(stem)})
        names, numbers = zip(*map(version_in, stems), strict=True)
        bases.append("/".join(map(fold, names)))
        versions.append(sum(numbers))
    versions_of = Counter(base for base, _ in {*zip(bases, versions, strict=True)})
    return [(bool(spoken & OLDER), -version if versions_of[base] > 1 else 0)
            for spoken, base, version in zip(words, bases, versions, strict=True)]  # fmt: skip


def version_in(name: str) -> tuple[str, int]:
    """Split a name from the number of its version; 0 if it has none."""
    match = VERSION.fullmatch(name[-LONGEST:])
    return (match[1] or "", int(match[2])) if match else (name, 0)


def number(name: str) -> int:
    """Return the number of `submission.1.zip` or `submission-1.zip`; 0 if it has none."""
    match = NUMBER.fullmatch(name[-LONGEST:])
    return int(match[1]) if match else 0


# -- names that are not an exercise's own: `ex05.py`, `Exercise 5.py`, `jane_ex05 (1).py`


class Nearness(IntEnum):
    """The distance of a name from that of the exercise's own file, which has 0, and a copy 1."""

    SHORT = 2  # ex05.py
    NUMBERED = 3  # ex05 (1).py
    OLDER = 4  # ex05_old.py


@dataclass(frozen=True)
class ShortName:
    """The claims of a name; whether the file counts depends on what it defines."""

    slug: str = ""  # the only exercise that it names
    nearness: Nearness = Nearness.SHORT
    wordy: bool = False  # it has words of its own, such as `final`, which do not tell what is later
    helper: bool = False  # it is called a test, notes or the like, and so no answer
    last: bool = False  # it counts only where nothing else does: `utils.py`


def short_name(name: str) -> ShortName:
    """Read the name of a Python file, if it is not an exercise's own."""
    stem, _ = version_in(without_suffix(name[-LONGEST:]))
    rest = EXERCISE.sub(" ", stem)
    words = {word.casefold() for word in WORDS.findall(rest)}
    slug = slug_in(stem)
    extra = words - {*WORDS.findall(slug), *COPIED}
    copied = not extra and (words & COPIED or DIGIT.search(rest))
    nearness = Nearness.NUMBERED if copied else Nearness.SHORT
    helping = extra & HELPERS
    last = not slug and bool(helping) and helping <= LAST
    return ShortName(
        slug,
        Nearness.OLDER if extra & OLDER else nearness,
        wordy=bool(extra),
        helper=bool(helping) and not last,
        last=last,
    )


def names_exercise(name: str) -> bool:
    """Return whether a name is `ex05_causal_masks.py`, or like `ex05.py` and names no person."""
    short = short_name(name)
    return bool(slug_of(name) or (is_python(name) and short.slug and not short.wordy))


def slug_in(text: str) -> str:
    """Return the only exercise that a text names: `ex05`, `Exercise 5`, but not `ex01-ex05`."""
    named = {f"ex{int(digits):02}" for digits in EXERCISE.findall(text)}
    return _by_short().get(named.pop(), "") if len(named) == 1 else ""


@cache
def _by_short() -> dict[str, str]:
    return {exercise.short: slug for slug, exercise in exercises().items()}
