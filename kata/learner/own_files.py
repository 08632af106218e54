"""Files of the learner's own: read and written, and never overwritten without a copy."""

import os
from pathlib import Path

from kata.errors import UserError, unwritable
from kata.files import read_named, write_file
from kata.text import clean


def read_own(path: Path) -> bytes:
    """Return the content of a plain file; raise UserError if it cannot be read."""
    try:
        return read_named(path)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


def write(path: Path, content: str | bytes) -> None:
    """Write a file and the folders above it; raise UserError if that fails."""
    try:
        write_file(path, content)
    except OSError as error:
        raise unwritable(error, path) from None


def keep_copy(content: bytes, path: Path) -> str:
    """Write the learner's version to this path with a number, and return the sentence about it."""
    copy = unused(path)
    write(copy, content)
    return clean(f"your version is kept as {copy}")


def unused(path: Path) -> Path:
    """Return this path with the first number that is free, so that nothing is overwritten."""
    numbered = (path.with_name(f"{path.stem}.{n}{path.suffix}") for n in range(1, 10_000))
    return next(candidate for candidate in numbered if not os.path.lexists(candidate))
