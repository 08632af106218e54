"""Showing code to the leader of a room by a key of `kata watch`."""

from collections.abc import Iterator
from pathlib import Path

from kata.course.source import UnusableError
from kata.errors import UserError
from kata.learner.attending.joining import share
from kata.learner.progress import Progress, learner


def share_by_key(folder: Path, slug: str) -> Iterator[str]:
    """Share the code, and yield the outcome; nothing is sent before somebody asks for that line."""
    try:
        text = learner(folder, Progress(folder)).source(slug).text
        yield share(folder, slug, text)
    except (UserError, UnusableError) as error:
        yield str(error)
