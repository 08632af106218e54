"""The layout of a learner's folder: `kata init` makes it, and `kata update` renews it."""

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from kata.course.contract import stub
from kata.course.curriculum import EXERCISES, exercises
from kata.files import read_named, read_note, write_file, write_note
from kata.proofs.proof import proof_stub

FILES = Path(__file__).with_name("files")
# The names of the files here, and in the learner's folder.
NAMES = {
    "README.md": "README.md",
    "AGENTS.md": "AGENTS.md",
    "pytest.ini": "pytest.ini",
    "gitignore": ".gitignore",
    "vscode-settings.json": ".vscode/settings.json",
}
CONFTEST = "conftest.py"
PYTEST_INI = "pytest.ini"
# Files whose settings of pytest a pytest.ini would hide.
OTHER_SETTINGS = ("pyproject.toml", "tox.ini", "setup.cfg")
NAME = Path(".kata", "laid-out.json")
FORM = 1  # version of the file format; a file in another format is ignored
NEWER = ".new.txt"  # the ending of the kata's version beside a file with the learner's work


def layout(home: Path) -> dict[str, bytes]:
    """Return the contents of all files, by their paths in this folder."""
    contents = {name: (FILES / source).read_bytes() for source, name in NAMES.items()}
    if any((home / name).exists() for name in OTHER_SETTINGS):
        del contents[PYTEST_INI]
    contents[f"exercises/{CONFTEST}"] = (EXERCISES / CONFTEST).read_bytes()
    for exercise in exercises().values():
        contents[f"exercises/{exercise.filename}"] = stub(exercise).encode()
    for exercise in exercises().values():
        contents[f"proofs/{exercise.filename}"] = proof_stub(exercise).encode()
    return contents


class LayoutRecord:
    """The digests of the files as the kata wrote them, in `.kata/laid-out.json`.

    Without this record, every existing file counts as the learner's.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._digests = self._read()

    @classmethod
    def exists(cls, home: Path) -> bool:
        """Return whether this folder was laid out by the kata."""
        return (home / NAME).is_file()

    @property
    def paths(self) -> list[str]:
        """The files that the kata has written here."""
        return sorted(self._digests)

    def is_untouched(self, path: str) -> bool:
        """Return whether a file is still as the kata wrote it."""
        # It may be no plain file any more.
        with suppress(OSError):
            return _digest(read_named(self._home / path)) == self._digests.get(path)
        return False

    def has(self, path: str, content: bytes) -> bool:
        """Return whether a file was laid out with this content, whatever it holds by now."""
        return self._digests.get(path) == _digest(content)

    def note(self, contents: Mapping[str, bytes]) -> None:
        """Add files that were laid out."""
        self._digests |= {path: _digest(content) for path, content in contents.items()}

    def forget(self, path: str) -> None:
        """Forget a file: from now on it is the learner's."""
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
    """Return whether a path stays in the folder."""
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


@dataclass
class Outcome:
    """The paths in the folder, by what was done about them.

    Attributes:
        made: the files that are new.
        there: the files that existed, and were left alone.
        renewed: the files that were replaced.
        beside: the files with the learner's work, beside which the newer version lies now.
        removed: the files that the kata has no longer.
        kept: such files that hold the learner's work, and were left alone.
    """

    made: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def lay_out(home: Path) -> Outcome:
    """Make the files that do not exist; nothing is overwritten."""
    outcome, contents, record = Outcome(), layout(home), LayoutRecord(home)
    for path, content in contents.items():
        if (home / path).exists():
            outcome.there.append(path)
        else:
            write_file(home / path, content)
            outcome.made.append(path)
    record.note({path: contents[path] for path in outcome.made})
    record.save()
    return outcome


def renew(home: Path, backup: Path) -> Outcome:
    """Replace files without a learner's work, add new files, and remove files that are no more."""
    outcome, contents, record = Outcome(), layout(home), LayoutRecord(home)
    for path, content in contents.items():
        _list_for(outcome, home, path, content, record).append(path)
    # The kata has laid out no links, so that a link is the learner's.
    for path in record.paths:
        if path in contents or not _is_plain(home, path):
            continue
        if record.is_untouched(path):
            _remove(home, path, backup)
            outcome.removed.append(path)
        else:
            outcome.kept.append(path)
        record.forget(path)
    written = (*outcome.made, *outcome.renewed, *outcome.beside)
    record.note({path: contents[path] for path in written})
    record.save()
    return outcome


def _list_for(
    outcome: Outcome, home: Path, path: str, content: bytes, record: LayoutRecord
) -> list[str]:
    """Write a file where that costs no work, and return the list to which its path belongs."""
    file = home / path
    if not file.exists():
        write_file(file, content)
        return outcome.made
    is_foreign = path not in record.paths and not path.startswith("exercises/")
    if is_foreign or _has_content(file, content) or record.has(path, content):
        return outcome.there
    if record.is_untouched(path):
        write_file(file, content)
        return outcome.renewed
    write_file(file.with_name(file.name + NEWER), content)
    return outcome.beside


def _has_content(file: Path, content: bytes) -> bool:
    # It may be no plain file.
    with suppress(OSError):
        return read_named(file) == content
    return False


def _is_plain(home: Path, path: str) -> bool:
    steps = [Path(path), *Path(path).parents[:-1]]
    return (home / path).is_file() and not any((home / step).is_symlink() for step in steps)


def _remove(home: Path, path: str, backup: Path) -> None:
    (backup / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.move(home / path, backup / path)
