"""The texts of the figures, from texts.toml."""

import tomllib
from functools import cache
from pathlib import Path

from kata.handouts.drawing import Drawing, Figure


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def label(slug: str, name: str, **values: object) -> str:
    """One text in or beside a figure, with these values in it."""
    return _texts()[slug][name].format(**values)


def finished(page: Drawing, slug: str, **values: object) -> Figure:
    """A drawing with the three texts that go with it."""
    title, alt, caption = (label(slug, name, **values) for name in ("title", "alt", "caption"))
    return page.figure(title, alt, caption)
