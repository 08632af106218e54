"""A zip whose bytes depend on its content alone."""

import io
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold
READABLE = 0o644 << 16


def write(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write a zip of these files in one step: if anything fails, it stays as it was."""
    draft = path.with_name(f".{path.name}.part")
    draft.unlink(missing_ok=True)
    try:
        with draft.open("xb") as file, zipfile.ZipFile(file, "w") as archive:
            for name, content in files:
                archive.writestr(_entry(name), content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


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
