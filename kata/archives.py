"""Archives of fixed bytes: the same files always make the same zip and the same tar."""

import io
import tarfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass

DEFAULT_DATE = (2020, 1, 1, 0, 0, 0)  # of a file, if no other date is given
LINUX = 3  # the system for whose permissions a zip has a field
PLAIN, EXECUTABLE = 0o100644, 0o100755


@dataclass(frozen=True)
class ArchiveFile:
    """A file in an archive."""

    path: str
    content: bytes
    mode: int = PLAIN


def zipped(files: Iterable[ArchiveFile], date: tuple[int, ...] = DEFAULT_DATE) -> bytes:
    """Return a zip of these files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for file in files:
            add_to_zip(archive, file, date)
    return content.getvalue()


def add_to_zip(
    archive: zipfile.ZipFile, file: ArchiveFile, date: tuple[int, ...] = DEFAULT_DATE
) -> None:
    """Write one more file into the zip."""
    info = zipfile.ZipInfo(file.path, date)  # type: ignore[arg-type]  # six numbers
    info.create_system = LINUX
    info.external_attr = file.mode << 16
    archive.writestr(info, file.content, zipfile.ZIP_DEFLATED)


def tarred(files: Iterable[ArchiveFile]) -> bytes:
    """Return a tar of these files."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for file in files:
            info = tarfile.TarInfo(file.path)
            info.size, info.mode = len(file.content), file.mode
            archive.addfile(info, io.BytesIO(file.content))
    return content.getvalue()
