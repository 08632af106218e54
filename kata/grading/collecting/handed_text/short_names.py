"""Names that say which exercise a Python file is for, but not as the exercise is called.

`ex05.py`, `Exercise 5.py`, `ex05_final.py`, `jane_ex05 (1).py`. Such a name is only a claim:
whether the file counts depends on what it defines.
"""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from kata.course.curriculum import exercises
from kata.grading.collecting.names import LONGEST, is_python, without_suffix
from kata.grading.collecting.versions import OLDER, numbered

# No letter before it, and no digit after: `index05` and `ex051` name no exercise.
NUMBERED = re.compile(r"(?<![^\W\d_])ex(?:ercise)?[\s_.-]*0*(\d{1,2})(?!\d)", re.IGNORECASE)
# No underscores in words: `test_ex05` has two. No case: `ex05Test` has two, too.
WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])")
HELPERS = {
    "test", "tests", "testing", "tester", "check", "checks", "checker", "conftest", "note", "notes",
    "scratch", "util", "utils", "helper", "helpers", "plot", "plots", "demo", "demos", "debug",
    "benchmark", "bench", "experiment", "experiments", "example", "examples", "setup", "grader",
    "template", "starter", "playground", "sandbox",
}  # fmt: skip
COPIED = {"copy", "of"}  # by a browser or a desktop, if it has not written a number
DIGIT = re.compile(r"\d")


class Nearness(IntEnum):
    """How near a name comes to that of the exercise's own file; the lowest counts."""

    FULL = 0  # ex05_causal_masks.py, and copies of it
    SHORT = 2  # ex05.py
    NUMBERED = 3  # ex05 (1).py
    OLDER = 4  # ex05_old.py


# Files that people call so although they are all that there is; what others are called comes first.
LAST = {"util", "utils", "helper", "helpers", "starter", "template"}


@dataclass(frozen=True)
class ShortName:
    """What a name says.

    Attributes:
        slug: of the only exercise that it names; empty if there is none.
        nearness: how near it comes to the name of the exercise's file.
        wordy: whether it has words of its own, such as `final`, which do not tell what is later.
        helper: whether it is called a test, notes or the like, and so no answer.
        last: whether it counts only where nothing else does: `utils.py`.
    """

    slug: str = ""
    nearness: Nearness = Nearness.SHORT
    wordy: bool = False
    helper: bool = False
    last: bool = False


def short_name(name: str) -> ShortName:
    """What the name of a Python file says, if it is not an exercise's own."""
    stem, _ = numbered(without_suffix(name[-LONGEST:]))
    words = {each.casefold() for each in WORDS.findall(NUMBERED.sub(" ", stem))}
    slug = slug_in(stem)
    extra = words - {*WORDS.findall(slug), *COPIED}
    if extra & OLDER:
        nearness = Nearness.OLDER
    else:
        copied = not extra and (words & COPIED or DIGIT.search(NUMBERED.sub(" ", stem)))
        nearness = Nearness.NUMBERED if copied else Nearness.SHORT
    last = not slug and bool(extra & HELPERS) and extra & HELPERS <= LAST
    helper = bool(extra & HELPERS) and not last
    return ShortName(slug, nearness, bool(extra), helper, last)


def is_plainly_short(name: str) -> bool:
    """Whether it is `ex05.py` or the like, and says nothing about a person."""
    found = short_name(name) if is_python(name) else ShortName()
    return bool(found.slug) and not found.wordy


def slug_in(stem: str) -> str:
    """The only exercise that a text names: `ex05`, `Exercise 5`, but not `ex01-ex05`."""
    shorts = {f"ex{int(each):02}" for each in NUMBERED.findall(stem)}
    return _by_short().get(shorts.pop(), "") if len(shorts) == 1 else ""


@cache
def _by_short() -> dict[str, str]:
    return {each.short: slug for slug, each in exercises().items()}
