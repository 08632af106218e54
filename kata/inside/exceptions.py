"""An exception of the learner's code as plain data, which can be sent between processes."""

import re
import traceback
from dataclasses import dataclass

from kata.text import MORE, cut
from kata.words import say

LONGEST_TEXT = 300
LONGEST_NAME = 60  # of a class
MOST_KINDS = 50  # of which a class is one


@dataclass(frozen=True)
class Frame:
    """One line of a traceback."""

    file: str
    line: int
    function: str


class Raised(Exception):  # noqa: N818  # it is not an error by itself, but carries one
    """An error of the learner's code: the names of its classes, its text, its traceback."""

    def __init__(self, kinds: list[str], text: str, frames: list[Frame]) -> None:
        super().__init__(kinds, text)
        self.kinds = kinds
        self.text = text
        self.frames = frames


def raised(error: BaseException) -> Raised:
    """The same error, without references to objects of the process that raised it."""
    if isinstance(error, Raised):
        return error
    kinds = [cut(each.__name__, LONGEST_NAME, MORE) for each in type(error).__mro__[:MOST_KINDS]]
    walked = traceback.walk_tb(error.__traceback__)
    places = [(each.f_code.co_filename, line, each.f_code.co_name) for each, line in walked]
    return Raised(kinds, _text(error), [Frame(*place) for place in places])


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # a learner's exception class may do anything
        return say("inside.unreadable")
    text = re.sub(r"'kata_target_\w+\.(\w+)' \(.*?\)", r"`.\1`", text)  # the package is ours
    if len(text) <= LONGEST_TEXT:
        return text
    return say("inside.cut", text=text[:LONGEST_TEXT], length=len(text))
