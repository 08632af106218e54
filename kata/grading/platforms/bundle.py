"""The kata in one archive, for a machine that grades: the same files make the same bytes."""

import io
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kata.course.curriculum import ROOT

FILES = Path(__file__).with_name("files")
FOLDER = "attention-kata"  # in which the kata lies in an archive
OPTIONS = "options.txt"
# All that grading needs; `kata` is taken as a whole, because pip asks for each of its packages.
NEEDED = (
    *("exercises/*.py", "exercises/*.toml", "solutions/*.py", "bugs/*.toml", "kata/**/*"),
    *("tests/__init__.py", "tests/graded/**/*.py", "grader.py"),
    *("pyproject.toml", "README.md", "LICENSE"),
)
LEFT_OUT = ("__pycache__", ".")  # what begins like this
A_DAY = (2020, 1, 1, 0, 0, 0)
LINUX = 3  # the system whose rights a zip remembers
SCRIPT, PLAIN = 0o755, 0o644


@dataclass(frozen=True)
class Item:
    """A file of an archive."""

    path: str
    content: bytes
    rights: int = PLAIN


def kata() -> Iterator[Item]:
    """The kata itself, in a folder of its own."""
    found = {path for pattern in NEEDED for path in ROOT.glob(pattern) if path.is_file()}
    for path in sorted(path.relative_to(ROOT) for path in found):
        if not any(part.startswith(LEFT_OUT) for part in path.parts):
            yield Item(f"{FOLDER}/{path.as_posix()}", (ROOT / path).read_bytes())


def text(name: str) -> str:
    """A file that comes with this package; its lines end as on Linux, wherever it is read."""
    return (FILES / name).read_text(encoding="utf-8")


def script(name: str) -> Item:
    """Such a file, to be run."""
    return Item(Path(name).name, text(name).encode(), SCRIPT)


def options(shorts: Iterable[str]) -> Item:
    """What the grader is told: the exercises that count, and what an instructor adds by hand."""
    lines = [text(OPTIONS), *(f"--only={short}\n" for short in shorts)]
    return Item(OPTIONS, "".join(lines).encode())


def options_in(path: Path) -> list[str]:
    """The words of such a file."""
    lines = map(str.strip, path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def zipped(items: Iterable[Item]) -> bytes:
    """A zip of them."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for item in items:
            about = zipfile.ZipInfo(item.path, A_DAY)
            about.create_system = LINUX
            about.external_attr = (0o100000 | item.rights) << 16
            archive.writestr(about, item.content, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def tarred(items: Iterable[Item]) -> bytes:
    """A tar of them."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for item in items:
            about = tarfile.TarInfo(item.path)
            about.size, about.mode = len(item.content), item.rights
            archive.addfile(about, io.BytesIO(item.content))
    return content.getvalue()
