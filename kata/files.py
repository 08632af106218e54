"""Files in a folder that somebody else may have prepared, and what is kept out of its reach."""

import errno
import json
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import FileIO, TextIOWrapper
from pathlib import Path
from typing import IO, Any

LARGEST = 1 << 24  # bytes that are read of such a file
OWN, USUAL = 0o600, 0o666  # who may read and write a new file; the user's mask is taken off
LINKED = "it is a link, and no link is followed"
DEEP = "it is nested too deeply"
FOREIGN = "it belongs to another user"
ROOT = 0  # the administrator, whose links, such as /tmp of a Mac, are the system's own
ROOM = ".room"  # the ending of a file on the live room that a folder has joined
OWNED = "attention-kata"  # the folder
KEY = "key"
KEY_LENGTH = 32  # bytes of a key
NOWHERE = Path(os.devnull)  # nothing lies in it, and nothing can be written there


# Not every system has all of them.
NO_LINK, BINARY, WITHOUT_WAITING = (
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_BINARY", "O_NONBLOCK")
)


NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | BINARY
PLAIN = os.O_RDONLY | NO_LINK | BINARY | WITHOUT_WAITING


def write_file(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Replace a file in one step, and make the folders above it; raises OSError.

    What is private only its owner may read.
    """
    path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    with new_file(path, private=private) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def new_file(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """A file that takes the place of this one if nothing fails; what it may be used for stays."""
    _refuse(path.parent, _linked(path.parent))
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with os.fdopen(os.open(part, NEW, OWN if private else USUAL), "wb") as file:
            if (mode := _mode(path)) and not private:
                part.chmod(mode)
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[IO[str]]:
    """Replace a file by a text in one step: if anything fails, it stays as it was."""
    with (
        new_file(path, private=private) as content,
        TextIOWrapper(content, encoding="utf-8", newline="") as file,
    ):
        yield file
        file.flush()
        os.fsync(file.fileno())


def append_to(path: Path) -> FileIO:
    """A plain file to which lines are added, each at once; raises OSError for anything else."""
    _refuse(path.parent, _linked(path.parent))
    odd = NO_LINK | WITHOUT_WAITING
    file = FileIO(path, "ab", opener=lambda name, flags: os.open(name, flags | odd, USUAL))
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))


def write_note(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file in a folder of the kata's own, which git leaves alone; raises OSError."""
    folder = path.parent
    folder.mkdir(exist_ok=True)
    _refuse(folder, distrusted_notes(folder))
    write_file(folder / ".gitignore", "*\n")
    write_file(path, text, private=private)


def delete_note(path: Path) -> None:
    """Delete a file, or a link, in a folder of the kata's own; raises OSError."""
    _refuse(path.parent, distrusted_notes(path.parent))
    path.unlink(missing_ok=True)


def read_file(path: Path) -> bytes:
    """The content of a plain file; raises OSError for anything else, and for one too large."""
    with os.fdopen(os.open(path, PLAIN), "rb") as file:
        fstat = os.fstat(file.fileno())
        if not stat.S_ISREG(fstat.st_mode) or fstat.st_size > LARGEST:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        return file.read(LARGEST)


def read_named(path: Path, most: int = LARGEST) -> bytes:
    """The content of a file that somebody has named, by a link or not; raises OSError."""
    with os.fdopen(os.open(path, os.O_RDONLY | BINARY | WITHOUT_WAITING), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def read_table(path: Path) -> dict[str, Any]:
    """The JSON object in a plain file; raises OSError or ValueError for anything else."""
    try:
        value = json.loads(read_file(path))
    except RecursionError:
        raise ValueError(DEEP) from None
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")  # all that is wrong with a file is one error
    return value


def read_note(path: Path) -> dict[str, Any]:
    """The JSON object in a folder of the kata's own; raises OSError or ValueError."""
    _refuse(path.parent, distrusted_notes(path.parent))
    return read_table(path)


def distrusted(folder: Path, *owners: int) -> str:
    """Say why a folder is not used before somebody names it; empty if it is one's own.

    It is a link, or belongs neither to oneself nor to these others.
    """
    if _linked(folder):
        return LINKED
    if hasattr(os, "geteuid") and folder.stat().st_uid not in {os.geteuid(), *owners}:
        return FOREIGN
    return ""


def distrusted_notes(folder: Path) -> str:
    """Say why a folder of the kata's own is not used; it goes with the one that it lies in."""
    return distrusted(folder, folder.parent.stat().st_uid)


def _linked(folder: Path) -> str:
    lstat = folder.lstat()
    own = not hasattr(os, "geteuid") or lstat.st_uid != ROOT or os.geteuid() == ROOT
    return LINKED if stat.S_ISLNK(lstat.st_mode) and own else ""


def _refuse(folder: Path, reason: str) -> None:
    if reason:
        raise OSError(errno.ELOOP, reason, str(folder))


def _mode(path: Path) -> int:
    """The rights to a plain file that is there; else none."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        return stat.S_IMODE(mode) if stat.S_ISREG(mode) else 0
    return 0


def state_folder() -> Path:
    """The kata's own folder among those that the system has for the state of programs."""
    asked = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (asked if asked.is_absolute() else _usual()) / OWNED


def kept_of(folder: Path, ending: str) -> Path:
    """The file of this kind about a folder."""
    digest = sha256(os.fsencode(os.path.realpath(folder))).hexdigest()
    return state_folder() / f"{digest[:KEY_LENGTH]}{ending}"


def own_key() -> bytes:
    """What only this user knows on this machine; raises OSError if it cannot be kept."""
    path = state_folder() / KEY
    with suppress(FileNotFoundError):
        if len(key := read_file(path)) == KEY_LENGTH:
            return key
    write_file(path, secrets.token_bytes(KEY_LENGTH), private=True)
    return read_file(path)


def _usual() -> Path:
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  # Path.home() fails for who has none
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home)
    if not home.is_absolute():
        return NOWHERE
    return home / ("Library/Application Support" if sys.platform == "darwin" else ".local/state")


def places(folder: Path, ending: str) -> list[Path]:
    """Where a file about a folder may be, the usual place first."""
    folder = folder.absolute()
    return [path / ".kata" / f"{folder.name}{ending}" for path in (folder.parent, folder)]


def room_membership(folder: Path) -> Path:
    """The user's own file on the live room that a folder has joined; without it, in none."""
    return kept_of(folder, ROOM)


def planted_membership(folder: Path) -> Path | None:
    """A file in the folder that says the same; it is not believed: anybody may have put it."""
    planted = (path for path in places(folder, ROOM) if os.path.lexists(path))
    return next((path for path in planted if not distrusted_notes(path.parent)), None)
