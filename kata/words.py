"""Every text that is shown, from words.toml: a translation is another file and no code."""

import tomllib
from functools import cache
from pathlib import Path


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def say(key: str, **values: object) -> str:
    """The text of this key, `section.name`, with these values in it."""
    section, name = key.split(".")
    return _texts()[section][name].format(**values)
