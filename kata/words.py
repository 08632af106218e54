"""Every text that is shown. Each room has its own in words.toml: a translation touches no code."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from kata.text import clean

DEPTHS = ("", "*/", "*/*/")  # a room may lie in another one


def say(key: str, **values: object) -> str:
    """The text of this key, `room.name` or `room.section.name`, with these values in it."""
    place, _, name = key.rpartition(".")
    text: str = _texts(place)[name]
    return text.format(**{name: _clean(value) for name, value in values.items()})


def _clean(value: object) -> object:
    """Names, lines and reasons may be a stranger's: no terminal is to obey them."""
    if isinstance(value, (str, Path, Exception)):
        return clean(str(value))
    return value


@cache
def _texts(place: str) -> dict[str, Any]:
    """What a room's words.toml holds, or one section of it."""
    room, _, section = place.partition(".")
    if section:
        found: dict[str, Any] = _texts(room)[section]
        return found
    here = Path(__file__).parent
    path = next(each for depth in DEPTHS for each in here.glob(f"{depth}{room}/words.toml"))
    return tomllib.loads(path.read_text(encoding="utf-8"))
