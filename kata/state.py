"""What the kata keeps for a user, out of reach of whoever prepared the folder they work in.

Here are memberships of rooms, rooms that are kept, and the key of journals of grades; nothing else.
What is about a folder is found by the folder's real path, so that a copy of it has nothing.
"""

import os
import secrets
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from kata.files import read_file, write_file

OWN = "attention-kata"  # the folder
KEY = "key"
LENGTH = 32  # bytes of a key
NOWHERE = Path(os.devnull)  # nothing lies in it, and nothing can be written there


def state_folder() -> Path:
    """The kata's own folder among those that the system has for the state of programs."""
    asked = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (asked if asked.is_absolute() else _usual()) / OWN


def kept_of(folder: Path, ending: str) -> Path:
    """The file of this kind about a folder."""
    digest = sha256(os.fsencode(os.path.realpath(folder))).hexdigest()
    return state_folder() / f"{digest[:LENGTH]}{ending}"


def own_key() -> bytes:
    """What only this user knows on this machine; raises OSError if it cannot be kept."""
    path = state_folder() / KEY
    with suppress(FileNotFoundError):
        if len(key := read_file(path)) == LENGTH:
            return key
    write_file(path, secrets.token_bytes(LENGTH), private=True)
    return read_file(path)


def _usual() -> Path:
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  # Path.home() fails for who has none
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home)
    if not home.is_absolute():
        return NOWHERE
    return home / ("Library/Application Support" if sys.platform == "darwin" else ".local/state")
