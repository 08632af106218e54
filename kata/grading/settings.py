"""What a class is graded with, kept beside its grades for the next run.

An option that is given again counts; one that is left out is what it was before. The file is TOML
that a person can edit: what is deleted there is forgotten.
"""

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kata.errors import UserError
from kata.files import write_file
from kata.grading.rubric import is_worth, table_in
from kata.text import shown
from kata.words import say

NAME = "settings.toml"
FILES = ("roster", "overrules", "names", "weights", "rubric", "gradebook")
TEXTS = ("track", "deadline", "late", "scale", "column")
LISTS = ("only",)
NUMBERS = ("proofs",)
COUNTS = ("seed",)
SWITCHES = ("resubmissions",)
GRADEBOOK = "gradebook"  # which is filled in again, so that it never has older marks
PLATFORM = "platform"  # that named what was graded: no option, but names would change with it
KINDS: Mapping[str, type] = {
    **dict.fromkeys(LISTS, list),
    **dict.fromkeys((*TEXTS, *FILES), str),
    **dict.fromkeys(NUMBERS, float),
    **dict.fromkeys(COUNTS, int),
    **dict.fromkeys(SWITCHES, bool),
}
TOGETHER = {"only", "track"}  # they choose the exercises: who gives one of them means no other


def take_up(chosen: Namespace) -> Iterator[str]:
    """Fill in what is not given from the last run; gives a line on that, and on what has changed.

    Grades that lie inside of what is graded say nothing: anybody may have put them there.
    """
    path = chosen.grades / NAME
    if not path.is_file() or _is_inside(chosen):
        return
    kept = {name: _value(name, value, path) for name, value in _checked(path).items()}
    chosen.platform = kept.pop(PLATFORM, "")
    if any(getattr(chosen, name) for name in TOGETHER):
        kept = {name: value for name, value in kept.items()
                if name not in TOGETHER or getattr(chosen, name)}  # fmt: skip
    gone = GRADEBOOK in kept and not kept[GRADEBOOK].is_file()
    if gone or chosen.explain or chosen.anonymous:
        export = kept.pop(GRADEBOOK, None)
        kept.pop("column", None)
        yield from [say("grading.export-gone", path=export)] if gone else []
    before = {name: value for name, value in kept.items() if not getattr(chosen, name)}
    for name, value in before.items():
        setattr(chosen, name, value)
    if before:
        yield say("grading.as-before", path=path, options=_as_words(before))
    for name, value in kept.items():
        if name not in before and not _is_same(name, now := getattr(chosen, name), value):
            yield say("grading.setting-changed", name=name, before=value, now=now)


def keep(chosen: Namespace, platform: str = "") -> str:
    """Write down what this run was given, and who named the files; gives a line if that changed."""
    given = {name: value for name in KINDS if (value := getattr(chosen, name))}
    given |= {PLATFORM: platform} if platform else {}
    path = chosen.grades / NAME
    if given:
        head = [f"# {line}" for line in say("grading.settings").splitlines()]
        lines = [f"{name} = {_written(name, value, path)}" for name, value in given.items()]
        write_file(path, "\n".join([*head, *lines]) + "\n")
    else:
        path.unlink(missing_ok=True)
    before = getattr(chosen, PLATFORM, "")
    if before in {"", platform}:
        return ""
    now = platform or say("grading.no-platform")
    return say("grading.setting-changed", name=PLATFORM, before=before, now=now)


def _is_same(name: str, now: Any, before: Any) -> bool:
    return bool(now.resolve() == before.resolve() if name in FILES else now == before)


def _is_inside(chosen: Namespace) -> bool:
    return bool(chosen.grades.resolve().is_relative_to(chosen.submissions.resolve()))


def _checked(path: Path) -> dict[str, Any]:
    settings = table_in(path)
    for name, value in settings.items():
        if name not in {*KINDS, PLATFORM}:
            raise UserError(say("grading.no-setting", path=path, name=shown(name)))
        if not _is_possible(name, value):
            text = shown(repr(value))
            raise UserError(say("grading.no-value", path=path, name=name, value=text))
    return settings


def _is_possible(name: str, value: Any) -> bool:
    if name in NUMBERS:
        return is_worth(value)
    if name in COUNTS:
        return type(value) is int and value > 0
    if name in LISTS and isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return isinstance(value, KINDS.get(name, str))


def _value(name: str, value: Any, path: Path) -> Any:
    """A path is told from the folder of the grades, which may move together with it."""
    if name not in FILES:
        return value
    place = Path(os.path.normpath(path.parent.absolute() / value))
    here = Path.cwd()
    return place.relative_to(here) if place.is_relative_to(here) else place


def _written(name: str, value: Any, path: Path) -> str:
    if name in FILES:
        value = Path(os.path.relpath(value, path.parent)).as_posix()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_quoted, value))}]"
    return str(value) if isinstance(value, int | float) else _quoted(str(value))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _as_words(options: Mapping[str, Any]) -> str:
    """As they are given: `--roster roster.csv --resubmissions`."""
    return " ".join(
        _as_word(name, each)
        for name, value in options.items()
        for each in (value if isinstance(value, list) else [value])
    )


def _as_word(name: str, value: Any) -> str:
    if value is True:
        return f"--{name}"
    return f'--{name} "{value}"' if " " in str(value) else f"--{name} {value}"
