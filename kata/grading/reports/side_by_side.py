"""`grades/alike.html`: the works that are most alike, two by two, each beside the other.

`run` calls `write`. The page shows students' code and names, and is for the instructor alone.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from keyword import iskeyword
from pathlib import Path

from kata.course.curriculum import exercises
from kata.course.source import UnusableError, decoded
from kata.files import replacing
from kata.grading.similarity.alike import TwoWorks
from kata.markup import environment
from kata.text import clean

FILE = "alike.html"
TEMPLATES = Path(__file__).with_name("templates")
NAME = re.compile(r"[^\W\d]\w*")
COMMENT = re.compile(r"\s*#.*")
MOST_LINES = 1000  # of a text


@dataclass(frozen=True)
class Row:
    """A line of each text, or none; `same` if they differ in names and spaces alone."""

    left: str
    right: str
    same: bool


def write(
    pairs: Sequence[TwoWorks], files: Callable[[str], Mapping[str, bytes]], grades: Path
) -> None:
    """Write the page, or one that says that nobody is alike.

    Args:
        pairs: of students, with the exercise.
        files: what a student handed in.
        grades: the folder to write to.
    """
    template = environment(TEMPLATES).get_template("alike.html.jinja")
    people = [(pair.one, pair.other) for pair in pairs]
    with replacing(grades / FILE) as file:
        file.writelines(template.generate(pairs=[
            _side_by_side(pair, people.count((pair.one, pair.other)), files) for pair in pairs
        ]))  # fmt: skip


def _side_by_side(
    pair: TwoWorks, count: int, files: Callable[[str], Mapping[str, bytes]]
) -> dict[str, object]:
    """What the template shows; `count` is in how many exercises these two are alike."""
    exercise = exercises()[pair.exercise]
    left, right = (clean(_text(pair.exercise, files(name))) for name in (pair.one, pair.other))
    table = rows(left, right)
    return {
        "title": f"{exercise.short}: {exercise.title}",
        "names": (clean(pair.one), clean(pair.other)),
        "percent": int(100 * pair.near),
        "again": count,
        "rows": table,
        "same": sum(row.same for row in table),
        "lines": sum(bool(_bare(row.left) or _bare(row.right)) for row in table),
    }


def _text(slug: str, files: Mapping[str, bytes]) -> str:
    try:
        return decoded(slug, files[slug])
    except (KeyError, UnusableError):  # changed since it was compared
        return ""


def rows(left: str, right: str) -> list[Row]:
    """Both texts, with lines beside each other that do the same under other names."""
    a, b = (text.splitlines()[:MOST_LINES] for text in (left, right))
    matcher = SequenceMatcher(None, [*map(_bare, a)], [*map(_bare, b)], autojunk=False)
    return [
        Row(*pair, same=kind == "equal" and bool(_bare(pair[0])))
        for kind, a_start, a_end, b_start, b_end in matcher.get_opcodes()
        for pair in zip_longest(a[a_start:a_end], b[b_start:b_end], fillvalue="")
    ]


def _bare(line: str) -> str:
    """A line without names, spaces and comments."""
    code = COMMENT.sub("", line)
    return "".join(NAME.sub(_word, code).split())


def _word(name: re.Match[str]) -> str:
    return f" {name[0]} " if iskeyword(name[0]) else "x"
