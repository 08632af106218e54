"""What a class is graded with, kept beside its grades for the next run.

An option that is given again counts; one that is left out is what it was before. The file is TOML
that a person can edit: what is deleted there is forgotten.
"""

import json
import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kata.errors import UserError
from kata.files import write_file
from kata.grading.rubric import is_worth, read_settings
from kata.text import shown

NAME = "settings.toml"
KINDS: dict[str, type] = {
    "only": list,
    **dict.fromkeys(("track", "deadline", "late", "scale", "column"), str),
    **dict.fromkeys(("roster", "overrules", "names", "weights", "rubric", "gradebook"), Path),
    "proofs": float,
    "seed": int,
    "resubmissions": bool,
}
GRADEBOOK = "gradebook"  # which is filled in again, so that it never has older marks
PLATFORM = "platform"  # that named what was graded: no option, but names would change with it
TOGETHER = {"only", "track"}  # they choose the exercises: who gives one of them means no other
HEAD = """\
# What this class is graded with, as the last run was told. A run takes up what it is not
# given; delete a line, and it is forgotten. Paths begin in this folder.
"""


def take_up(options: Namespace) -> Iterator[str]:
    """Fill in what is not given from the last run; gives a line on that, and on what has changed.

    Grades that lie inside of what is graded say nothing: anybody may have put them there.
    """
    path = options.grades / NAME
    is_inside = options.grades.resolve().is_relative_to(options.submissions.resolve())
    if not path.is_file() or is_inside:
        return
    kept = {name: _value(name, value, path) for name, value in _checked(path).items()}
    options.platform = kept.pop(PLATFORM, "")
    if any(getattr(options, name) for name in TOGETHER):
        kept = {name: value for name, value in kept.items()
                if name not in TOGETHER or getattr(options, name)}  # fmt: skip
    gone = GRADEBOOK in kept and not kept[GRADEBOOK].is_file()
    if gone or options.explain or options.anonymous:
        export = kept.pop(GRADEBOOK, None)
        kept.pop("column", None)
        if gone:
            yield f"{export} is gone, so gradebook.csv may have marks of an earlier run"
    missing = {name: value for name, value in kept.items() if not getattr(options, name)}
    for name, value in missing.items():
        setattr(options, name, value)
    if missing:
        words = " ".join(_words(missing))
        yield f"as in the last run: {words}; {path} keeps it"
    for name, value in kept.items():
        if name not in missing:
            yield from _change(name, value, getattr(options, name))


def keep(options: Namespace, platform: str = "") -> str:
    """Write down what this run was given, and who named the files; gives a line if that changed."""
    given = {name: value for name in KINDS if (value := getattr(options, name))}
    given |= {PLATFORM: platform} if platform else {}
    path = options.grades / NAME
    if given:
        lines = (f"{name} = {_written(value, path)}\n" for name, value in given.items())
        write_file(path, "".join([HEAD, *lines]))
    else:
        path.unlink(missing_ok=True)
    before = getattr(options, PLATFORM, "")
    return "".join(_change(PLATFORM, before, platform or "none")) if before else ""


def _change(name: str, before: Any, now: Any) -> Iterator[str]:
    """A line if an option is another one than in the last run."""
    if now.resolve() != before.resolve() if isinstance(now, Path) else now != before:
        yield f"{name} was {before} in the last run, and is {now} from now on"


def _checked(path: Path) -> dict[str, Any]:
    settings = read_settings(path)
    for name, value in settings.items():
        if name not in {*KINDS, PLATFORM}:
            raise UserError(f"{path}: there is no setting {shown(name)}")
        if not _is_possible(name, value):
            raise UserError(f"{path}: {name} = {shown(repr(value))} is no such setting")
    return settings


def _is_possible(name: str, value: Any) -> bool:
    kind = KINDS.get(name, str)
    if kind is float:
        return is_worth(value)
    if kind is int:
        return type(value) is int and value > 0
    if kind is list:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, str if kind is Path else kind)


def _value(name: str, value: Any, path: Path) -> Any:
    """A path is told from the folder of the grades, which may move together with it."""
    if KINDS.get(name) is not Path:
        return value
    place = Path(os.path.normpath(path.parent.absolute() / value))
    here = Path.cwd()
    return place.relative_to(here) if place.is_relative_to(here) else place


def _written(value: Any, path: Path) -> str:
    """As TOML has it, which writes such values as JSON does."""
    if isinstance(value, Path):
        value = Path(os.path.relpath(value, path.parent)).as_posix()
    return json.dumps(value, ensure_ascii=False)


def _words(options: Mapping[str, Any]) -> Iterator[str]:
    """As they are given: `--roster roster.csv --resubmissions`."""
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            if item is True:
                yield f"--{name}"
            else:
                yield f'--{name} "{item}"' if " " in str(item) else f"--{name} {item}"
