"""Python files that are not UTF-8: read where no doubt is left about what they say, else refused.

A byte order mark, or a NUL beside every letter, shows UTF-16 or UTF-32. Of any other file, only
comments and docstrings can be in an unknown encoding without changing what the code does.
"""

import codecs
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from kata.course.source import LARGEST, UnusableError, decoded
from kata.words import say

# The longer marks first: that of UTF-32 begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16",
}  # fmt: skip
MARK = "\ufeff"
WIDEST = 4  # bytes of an ASCII letter in any of them
MOST = 0.9  # of the letters of a program are ASCII: one of their two bytes in UTF-16 is NUL
FEW = 0.1
COOKIE = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+", re.ASCII)
WESTERN = "cp1252"  # a letter for each byte; which one matters to nobody in a comment
BETWEEN = {tokenize.NEWLINE, tokenize.INDENT, tokenize.ENCODING}  # a docstring follows one of them
PLAIN_STRING = re.compile(r"[rub]{0,2}[\"']", re.IGNORECASE)  # an f-string holds code
IGNORED = {tokenize.NL, tokenize.COMMENT, tokenize.DEDENT}


@dataclass(frozen=True)
class AsText:
    """A file as Python reads it.

    Attributes:
        content: in UTF-8, or unchanged; cut one byte over the limit of an exercise's file.
        encoding: what it was, if Python could not have read it; its name is for messages.
        refused: why it cannot be read; empty if it can.
        line: where the first byte is that is not text, if there is one.
    """

    content: bytes
    encoding: str = ""
    refused: str = ""
    line: int = 0


def as_text(content: bytes, most: int = LARGEST) -> AsText:
    """What a file says that may be in any encoding, of which at most `most` bytes count."""
    if name := _wide(content):
        return _of_wide(content, name, most)
    if len(content) > most or _is_readable(content):
        return AsText(content[: most + 1])
    if b"\0" in content:
        return AsText(content, refused=say("collecting.binary"))
    if _odd_only_in_remarks(text := content.decode(WESTERN, "replace")):
        return AsText(text.encode()[: most + 1], say("collecting.western"))
    return AsText(content, refused=say("collecting.not-utf8"), line=_odd_line(content))


def _odd_line(content: bytes) -> int:
    """The line of the first byte that is none of UTF-8; 0 if there is none."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return 1 + content.count(b"\n", 0, error.start)
    return 0


def _wide(content: bytes) -> str:
    """UTF-16 or UTF-32, if it is one of them; else empty."""
    marks = (name for mark, name in MARKS.items() if content.startswith(mark))
    return next(marks, "") or ("UTF-16" if _unmarked(content) else "")


def _unmarked(content: bytes) -> str:
    """The byte order of UTF-16 without a mark, in which NULs stand at every other place."""
    half = len(content) // 2
    if not half:
        return ""
    first, second = content[::2].count(0) / half, content[1::2].count(0) / half
    if second >= MOST and first <= FEW:
        return "utf-16-le"
    return "utf-16-be" if first >= MOST and second <= FEW else ""


def _of_wide(content: bytes, name: str, most: int) -> AsText:
    # One byte more than fits was read: what was cut is too long anyway.
    whole = content[: WIDEST * most] if len(content) > WIDEST * most else content
    try:
        text = whole.decode(_unmarked(content) or name).removeprefix(MARK)
    except UnicodeError:
        return AsText(content, refused=say("collecting.not-utf8"))
    if "\0" in text:
        return AsText(content, refused=say("collecting.binary"))
    return AsText(_with_cookies(text).encode("utf-8", "surrogatepass")[: most + 1], name)


def _with_cookies(text: str) -> str:
    """Lines that declare an encoding declare what the text is in now."""
    first, *rest = text.splitlines(keepends=True) or [""]
    lines = [first, *rest[:1]]
    return "".join([*(COOKIE.sub(r"\1utf-8", each) for each in lines), *rest[1:]])


def _is_readable(content: bytes) -> bool:
    """Whether Python can decode it, or refuses it for a coding line that it does not know."""
    try:
        decoded("", content)
    except UnusableError:
        return b"\0" not in content and _is_utf8(content)
    return True


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeError:
        return False
    return True


def _odd_only_in_remarks(text: str) -> bool:
    """Whether all letters that are not ASCII stand in comments and docstrings."""
    lines = io.StringIO(_with_cookies(text), newline=None).readline
    try:
        return all(each.string.isascii() for each in _code(tokenize.generate_tokens(lines)))
    except (SyntaxError, tokenize.TokenError, ValueError, RecursionError, MemoryError):
        return False


def _code(tokens: Iterator[tokenize.TokenInfo]) -> Iterator[tokenize.TokenInfo]:
    """Everything but comments and statements that are a string."""
    before = tokenize.NEWLINE
    held: tokenize.TokenInfo | None = None
    for each in tokens:
        if each.type in IGNORED:
            continue
        if held and each.type != tokenize.NEWLINE:
            yield held
        held = each if before in BETWEEN and PLAIN_STRING.match(each.string) else None
        if not held:
            yield each
        before = each.type
