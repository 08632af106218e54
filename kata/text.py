"""Texts that strangers have written, made safe and short for any reader."""

import re
from typing import Any, ClassVar

MORE = "…"  # where a text was cut
LONGEST_NAME = 80  # characters of a name in a message
MISSING = "\ufffd"  # stands for a character that cannot be shown
# What a terminal would obey: colours and the like, titles of windows, the rest.
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
# Controls and halves of characters, what XML 1.0 does not hold, what says nothing, and what turns
# the direction of lines.
ODD = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    r"\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff]"
)


def clean(text: str) -> str:
    """The text without what a terminal, a parser or a reader would stumble over."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return ODD.sub(MISSING, ESCAPES.sub("", lines))


def line(text: str) -> str:
    """The same in one line."""
    return " ".join(clean(text).split())


def cut(text: str, most: int, end: str) -> str:
    """No more than so many characters; `end` tells the reader that there was more."""
    return text if len(text) <= most else text[: most - len(end)] + end


def printable(name: str) -> str:
    """Return a name as a message prints it: in one line, without controls, not too long."""
    if len(name) > LONGEST_NAME:
        name = f"{name[: LONGEST_NAME // 2]}…{name[-LONGEST_NAME // 2 :]}"
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in name)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


class Bounded:
    """A frozen dataclass that cleans and cuts its texts, whoever makes it and from whatever.

    Attributes:
        longest: characters of a text, by the name of its field; of each text of a field with many.
        at_most: how many texts a field may hold, by its name.
    """

    longest: ClassVar[dict[str, int]] = {}
    at_most: ClassVar[dict[str, int]] = {}

    def __post_init__(self) -> None:
        """Take out what a reader would stumble over, and cut what is too long."""
        for name, longest in self.longest.items():
            value = getattr(self, name)
            bounded = _bounded(value, longest, self.at_most.get(name, 0))
            if bounded is not value:
                object.__setattr__(self, name, bounded)


def _bounded(value: Any, longest: int, most: int) -> Any:
    if isinstance(value, str):
        return cut(clean(value), longest, MORE)
    bounded = type(value)(cut(clean(text), longest, MORE) for text in value[:most])
    return value if bounded == value else bounded
