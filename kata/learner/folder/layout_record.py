"""A record of what was laid out in a learner's folder, to tell which files they worked on."""

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from kata.files import read_named, read_note, write_note

NAME = Path(".kata", "laid-out.json")
FORM = 1  # version of the file format; a file in another format is ignored


class LayoutRecord:
    """The digest of each file as the kata wrote it, in `.kata/laid-out.json`.

    Without the file, every file that is there counts as the learner's.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._digests = self._read()

    @classmethod
    def is_known(cls, home: Path) -> bool:
        """Whether this folder was laid out by the kata."""
        return (home / NAME).is_file()

    @property
    def paths(self) -> list[str]:
        """All files that the kata has written here."""
        return sorted(self._digests)

    def is_untouched(self, path: str) -> bool:
        """Whether a file is still as the kata wrote it."""
        try:
            return _digest(read_named(self._home / path)) == self._digests.get(path)
        except OSError:  # it is no plain file any more
            return False

    def has(self, path: str, content: bytes) -> bool:
        """Whether this is what was laid out, whatever has become of it."""
        return self._digests.get(path) == _digest(content)

    def note(self, contents: Mapping[str, bytes]) -> None:
        """Add files that were laid out."""
        self._digests |= {path: _digest(content) for path, content in contents.items()}

    def forget(self, path: str) -> None:
        """Forget a file: it is the learner's alone from now on."""
        self._digests.pop(path, None)

    def save(self) -> None:
        """Write the digests to disk."""
        write_note(self._home / NAME, json.dumps({"form": FORM, "files": self._digests}))

    def _read(self) -> dict[str, str]:
        with suppress(OSError, ValueError, TypeError):
            data = read_note(self._home / NAME)
            if data.get("form") == FORM:
                digests = dict(data.get("files", {})).items()
                return {path: str(digest) for path, digest in digests if is_inside(path)}
        return {}


def is_inside(path: str) -> bool:
    """Whether it is a name in the folder, and not a way out of it."""
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
