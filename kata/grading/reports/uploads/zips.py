"""A zip whose bytes depend on its content alone."""

import io
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from kata.files import new_file

DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold
READABLE = 0o644 << 16


def write(path: Path, contents: Iterable[tuple[str, bytes]]) -> None:
    """Write a zip of these files in one step: if anything fails, it stays as it was."""
    with new_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, content in contents:
            archive.writestr(_entry(name), content)


def zipped(name: str, content: bytes) -> bytes:
    """One file in a zip."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        archive.writestr(_entry(name), content)
    return into.getvalue()


def tarred(name: str, content: bytes) -> bytes:
    """One file in a tar, which readers take for any kind of tar: they look at what is in it."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return into.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = READABLE
    return entry
