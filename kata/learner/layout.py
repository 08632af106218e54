"""The files that `kata init` lays out in a learner's folder, and how `kata update` renews them."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from kata.course.contract import stub
from kata.course.curriculum import EXERCISES, exercises
from kata.files import read_named, read_note, write_file, write_note
from kata.proofs.proof import proof_stub

FILES = Path(__file__).with_name("files")
NAMES = {  # of the files here, and there
    "README.md": "README.md",
    "AGENTS.md": "AGENTS.md",
    "pytest.ini": "pytest.ini",
    "gitignore": ".gitignore",
    "vscode-settings.json": ".vscode/settings.json",
}
CONFTEST = "conftest.py"
PYTEST_INI = "pytest.ini"
OTHER_SETTINGS = ("pyproject.toml", "tox.ini", "setup.cfg")  # pytest.ini would hide theirs
NAME = Path(".kata", "laid-out.json")
FORM = 1  # version of the file format; a file in another format is ignored
NEWER = ".new.txt"  # what stands beside a file that was worked on


def layout(home: Path) -> dict[str, bytes]:
    """The content of each file, by its path in this folder."""
    own = {there: (FILES / here).read_bytes() for here, there in NAMES.items()}
    if any((home / name).exists() for name in OTHER_SETTINGS):
        del own[PYTEST_INI]
    stubs = {
        f"exercises/{exercise.filename}": stub(exercise).encode()
        for exercise in exercises().values()
    }
    proofs = {
        f"proofs/{exercise.filename}": proof_stub(exercise).encode()
        for exercise in exercises().values()
    }
    conftest = {f"exercises/{CONFTEST}": (EXERCISES / CONFTEST).read_bytes()}
    return {**own, **conftest, **stubs, **proofs}


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


@dataclass
class Outcome:
    """What was done, as paths in the folder."""

    made: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)  # nothing was done
    renewed: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)  # the learner's; the newer one is next to it
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # the kata has them no longer, but they are work


def lay_out(home: Path) -> Outcome:
    """Make what is not there; nothing is overwritten."""
    done, wanted, record = Outcome(), layout(home), LayoutRecord(home)
    for path, content in wanted.items():
        if (home / path).exists():
            done.there.append(path)
        else:
            write_file(home / path, content)
            done.made.append(path)
    record.note({path: wanted[path] for path in done.made})
    record.save()
    return done


def renew(home: Path, backup: Path) -> Outcome:
    """Replace what nobody has worked on, add what is new, and remove what the kata has no more."""
    done, wanted, record = Outcome(), layout(home), LayoutRecord(home)
    for path, content in wanted.items():
        getattr(done, _renewed(home, path, content, record)).append(path)
    for path in _gone(home, wanted, record):
        if record.is_untouched(path):
            _remove(home, path, backup)
            done.removed.append(path)
        else:
            done.kept.append(path)
        record.forget(path)
    record.note({path: wanted[path] for path in (*done.made, *done.renewed, *done.beside)})
    record.save()
    return done


def _renewed(home: Path, path: str, content: bytes, record: LayoutRecord) -> str:
    """What was done about a file: the name of the list that it belongs to."""
    file = home / path
    if not file.exists():
        write_file(file, content)
        return "made"
    foreign = path not in record.paths and not path.startswith("exercises/")
    if foreign or _is(file, content) or record.has(path, content):
        return "there"
    if record.is_untouched(path):
        write_file(file, content)
        return "renewed"
    write_file(file.with_name(file.name + NEWER), content)
    return "beside"


def _is(file: Path, content: bytes) -> bool:
    with suppress(OSError):  # it is no plain file
        return read_named(file) == content
    return False


def _gone(home: Path, wanted: dict[str, bytes], record: LayoutRecord) -> Iterator[str]:
    """What the kata has laid out and has no longer; it has laid out no links."""
    return (path for path in record.paths if path not in wanted and _is_plain(home, path))


def _is_plain(home: Path, path: str) -> bool:
    steps = [Path(path), *Path(path).parents[:-1]]
    return (home / path).is_file() and not any((home / step).is_symlink() for step in steps)


def _remove(home: Path, path: str, backup: Path) -> None:
    (backup / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.move(home / path, backup / path)
