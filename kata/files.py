"""Files in a folder that somebody else may have prepared, and the user's own files out of reach."""

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

LARGEST = 1 << 24  # bytes of a file that is read
PRIVATE_MODE, MODE = 0o600, 0o666  # of a new file, before the user's mask is taken off
LINKED = "it is a link, and no link is followed"
DEEP = "it is nested too deeply"
FOREIGN = "it belongs to another user"
ROOT = 0  # the administrator, whose links, such as /tmp of a Mac, are the system's own
STATE = "attention-kata"  # the kata's folder among those for the state of programs
ROOM = ".room"  # the ending of a file about the live room that a folder has joined
KEY = "key"
KEY_LENGTH = 32  # bytes
NOWHERE = Path(os.devnull)  # a folder in which nothing lies, and nothing can be written

# Not every system has all of them.
NO_LINK, BINARY, WITHOUT_WAITING = (
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_BINARY", "O_NONBLOCK")
)
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | BINARY
PLAIN = os.O_RDONLY | NO_LINK | BINARY | WITHOUT_WAITING


def write_file(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Replace a file in one step, and make the folders above it; raise OSError.

    Only its owner may read a private file.
    """
    path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    with new_file(path, private=private) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def new_file(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of this one if nothing fails; the mode stays."""
    _refuse(path.parent, _linked(path.parent))
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with os.fdopen(os.open(part, NEW, PRIVATE_MODE if private else MODE), "wb") as file:
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
    """Open a plain file to which lines are added, unbuffered; raise OSError for anything else."""
    _refuse(path.parent, _linked(path.parent))
    extra = NO_LINK | WITHOUT_WAITING
    file = FileIO(path, "ab", opener=lambda name, flags: os.open(name, flags | extra, MODE))
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))


def write_note(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file in a folder of the kata's own, which git leaves alone; raise OSError."""
    folder = path.parent
    folder.mkdir(exist_ok=True)
    _refuse(folder, distrusted_notes(folder))
    write_file(folder / ".gitignore", "*\n")
    write_file(path, text, private=private)


def delete_note(path: Path) -> None:
    """Delete a file, or a link, in a folder of the kata's own; raise OSError."""
    _refuse(path.parent, distrusted_notes(path.parent))
    path.unlink(missing_ok=True)


def read_file(path: Path) -> bytes:
    """Return the content of a plain file that is not too large; raise OSError for anything else."""
    with os.fdopen(os.open(path, PLAIN), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        return file.read(LARGEST)


def read_named(path: Path, most: int = LARGEST) -> bytes:
    """Return the content of a file that a user has named, by a link or not; raise OSError."""
    with os.fdopen(os.open(path, os.O_RDONLY | BINARY | WITHOUT_WAITING), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def read_table(path: Path) -> dict[str, Any]:
    """Return the JSON object in a plain file; raise OSError or ValueError for anything else."""
    try:
        value = json.loads(read_file(path))
    except RecursionError:
        raise ValueError(DEEP) from None
    if not isinstance(value, dict):
        # A TypeError would be one more error for callers to handle.
        raise ValueError("it is no JSON object")
    return value


def read_note(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file of the kata's own; raise OSError or ValueError."""
    _refuse(path.parent, distrusted_notes(path.parent))
    return read_table(path)


def distrusted(folder: Path, *owners: int) -> str:
    """Say why a folder is not used unless the user names it; empty if it is the user's own.

    It is a link, or belongs neither to the user nor to one of the owners.
    """
    if _linked(folder):
        return LINKED
    if hasattr(os, "geteuid") and folder.stat().st_uid not in {os.geteuid(), *owners}:
        return FOREIGN
    return ""


def distrusted_notes(folder: Path) -> str:
    """Say why a folder of the kata's own is not used; the owner of the folder above may own it."""
    return distrusted(folder, folder.parent.stat().st_uid)


def _linked(folder: Path) -> str:
    status = folder.lstat()
    by_system = hasattr(os, "geteuid") and status.st_uid == ROOT != os.geteuid()
    return LINKED if stat.S_ISLNK(status.st_mode) and not by_system else ""


def _refuse(folder: Path, reason: str) -> None:
    if reason:
        raise OSError(errno.ELOOP, reason, str(folder))


def _mode(path: Path) -> int:
    """Return the mode of an existing plain file; else 0."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        return stat.S_IMODE(mode) if stat.S_ISREG(mode) else 0
    return 0


def state_folder() -> Path:
    """Return the kata's folder among those that the system has for the state of programs."""
    configured = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (configured if configured.is_absolute() else _default_state_folder()) / STATE


def _default_state_folder() -> Path:
    # Path.home() fails for a user who has none.
    home = Path(os.path.expanduser("~"))  # noqa: PTH111
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home)
    if not home.is_absolute():
        return NOWHERE
    return home / ("Library/Application Support" if sys.platform == "darwin" else ".local/state")


def state_file(folder: Path, ending: str) -> Path:
    """Return the path of the user's own file about a folder, with this ending."""
    digest = sha256(os.fsencode(os.path.realpath(folder))).hexdigest()
    return state_folder() / f"{digest[:KEY_LENGTH]}{ending}"


def own_key() -> bytes:
    """Return a secret of this user on this machine; raise OSError if it cannot be saved."""
    path = state_folder() / KEY
    with suppress(FileNotFoundError):
        if len(key := read_file(path)) == KEY_LENGTH:
            return key
    write_file(path, secrets.token_bytes(KEY_LENGTH), private=True)
    return read_file(path)


def note_paths(folder: Path, ending: str) -> list[Path]:
    """Return the paths that a note about a folder may have, the usual path first."""
    folder = folder.absolute()
    return [path / ".kata" / f"{folder.name}{ending}" for path in (folder.parent, folder)]


def room_membership(folder: Path) -> Path:
    """Return the user's own file about the live room of a folder; it exists only in a room."""
    return state_file(folder, ROOM)


def planted_membership(folder: Path) -> Path | None:
    """Return such a file in the folder itself, which is not believed: anybody may have put it."""
    planted = (path for path in note_paths(folder, ROOM) if os.path.lexists(path))
    return next((path for path in planted if not distrusted_notes(path.parent)), None)
