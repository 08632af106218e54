"""The kata as it is uploaded to a platform: the same files give the same bytes."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from kata.course.curriculum import CODE, INSTALLED, ROOT
from kata.grading.reports.archives import EXECUTABLE, ArchiveFile

FILES = Path(__file__).with_name("files")
FOLDER = "attention-kata"  # that contains the kata in the archive
OPTIONS = "options.txt"
# All of the course that grading needs, and what pip needs to install it.
NEEDED = (
    *("exercises/*.py", "exercises/*.toml", "solutions/*.py", "bugs/*.toml"),
    *("tests/__init__.py", "tests/graded/**/*.py", "grader.py"),
    *("pyproject.toml", "hatch_build.py", "constraints.txt", "README.md", "LICENSE"),
)
LEFT_OUT = ("__pycache__", ".")  # prefixes of names


def kata() -> Iterator[ArchiveFile]:
    """All files of the kata itself, in a folder of their own."""
    course = {path.relative_to(ROOT): path for pattern in NEEDED for path in ROOT.glob(pattern)}
    code = {path.relative_to(CODE): path for path in (CODE / "kata").rglob("*")}
    for name, path in sorted({**course, **code}.items()):
        if path.is_file() and not _is_left_out(path, name):
            yield ArchiveFile(f"{FOLDER}/{name.as_posix()}", path.read_bytes())


def _is_left_out(path: Path, name: Path) -> bool:
    twice = name.parts[0] == "kata" and path.is_relative_to(INSTALLED)
    return twice or any(part.startswith(LEFT_OUT) for part in name.parts)


def text(name: str) -> str:
    """One of the files for platforms, with Linux line endings."""
    return (FILES / name).read_text(encoding="utf-8")


def script(name: str) -> ArchiveFile:
    """One of the files for platforms, made executable."""
    return ArchiveFile(Path(name).name, text(name).encode(), EXECUTABLE)


def options(shorts: Iterable[str]) -> ArchiveFile:
    """The file of grader options: the exercises that count; instructors may add more by hand."""
    lines = [text(OPTIONS), *(f"--only={short}\n" for short in shorts)]
    return ArchiveFile(OPTIONS, "".join(lines).encode())


def options_in(path: Path) -> list[str]:
    """The options in such a file."""
    lines = map(str.strip, path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]
