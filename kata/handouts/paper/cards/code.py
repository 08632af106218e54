"""The wrong line of a card as its author wrote it, broken where a card has no room for it."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kata.course.catalogue import Bug, changed
from kata.course.curriculum import Exercise
from kata.handouts.examples import ExampleError
from kata.handouts.site.wrong_lines import excerpts

WIDTH = 46  # characters of a line
INDENT = 4
NOTHING: Mapping[str, str] = MappingProxyType({})
BREAK = re.compile(r"(?<=\S)(, |\()")  # after a comma or a bracket


def code(
    exercise: Exercise, bug: Bug, chosen: Sequence[str], renamed: Mapping[str, str] = NOTHING
) -> str:
    """The lines in which these texts stand, after a renaming; or those that make it wrong."""
    whole = changed(exercise, bug)
    for name, other in renamed.items():
        whole = whole.replace(name, other)
    lines = [_line_with(text, whole) for text in chosen] or _wrong_lines(exercise, bug)
    return "\n".join(part for line in lines for part in broken(line))


def _wrong_lines(exercise: Exercise, bug: Bug) -> list[str]:
    return [
        line for excerpt in excerpts(exercise, bug) for line in excerpt.code.splitlines() if line
    ]


def _line_with(text: str, whole: str) -> str:
    """The one line with this text, without its remark."""
    candidates = [line for line in whole.splitlines() if text in line]
    if len(candidates) != 1:
        raise ExampleError(f"poster: {text!r} stands in {len(candidates)} lines")
    return re.sub(r"\s+# .*", "", candidates[0]).strip()


def broken(line: str, width: int = WIDTH) -> list[str]:
    """The line in parts that there is room for; all but the first are indented once more."""
    indent = " " * (len(line) - len(line.lstrip()) + INDENT)
    parts = []
    while len(line) > width:
        at = max(_breaks(line[:width], width // 3), default=(False, len(line)))[1]
        parts.append(line[:at].rstrip())
        line = indent + line[at:].lstrip()
    return [*parts, line] if line.strip() else parts


def _breaks(line: str, first: int) -> list[tuple[bool, int]]:
    """The places to break it: a comma that does not stand at its start before any bracket."""
    return [
        (match[0] == ", " and match.end() > first, match.end()) for match in BREAK.finditer(line)
    ]
