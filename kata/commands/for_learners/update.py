"""Take new stubs, suites and texts from a newer kata; what you have written is never touched."""

import subprocess
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from kata.commands.common import unused, write
from kata.course.curriculum import EXERCISES, ROOT, exercises
from kata.course.stubs import stub
from kata.errors import UserError
from kata.words import say

LEFT_ALONE = {".git", ".venv", ".kata", "__pycache__", ".pytest_cache", "grades", "build"}


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument(
        "source", nargs="?", help="a folder or a git address; where this one came from without it"
    )


def run(options: Namespace) -> int:
    """Copy what is new; keep what it replaces."""
    with ExitStack() as stack:
        source = _source(options.source, stack)
        if not (source / "exercises" / "curriculum.toml").is_file():
            raise UserError(say("commands.update.source", path=source))
        stubs = {each.filename: stub(each) for each in exercises().values()}  # of today
        told = list(_questions(source, stubs))
        backup = unused(ROOT / ".kata" / "before-update")
        count = sum(_replaced(path, source, backup) for path in _files(source))
    if count:
        told.append(say("commands.update.changed", count=count, backup=backup))
    print(*(told or [say("commands.update.same")]), sep="\n")
    return 0


def _source(named: str | None, stack: ExitStack) -> Path:
    """A folder that is there, or a fresh clone."""
    if named and Path(named).is_dir():
        return Path(named).absolute()
    address = named or _git("-C", str(ROOT), "remote", "get-url", "origin").stdout.strip()
    if not address:
        raise UserError(say("commands.update.no-origin"))
    clone = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "clone"
    done = _git("clone", "--quiet", "--depth", "1", address, str(clone))
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [""])[-1]
        raise UserError(say("commands.update.clone", url=address, reason=reason))
    return clone


def _git(*words: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    except OSError as error:
        raise UserError(say("commands.update.clone", url="git", reason=error.strerror)) from None


def _files(source: Path) -> Iterator[Path]:
    """All files of the newer kata but its exercises, as paths relative to it."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        exercise = relative.parent == Path("exercises") and path.suffix == ".py"
        if path.is_file() and not (LEFT_ALONE & set(relative.parts)) and not exercise:
            yield relative


def _replaced(path: Path, source: Path, backup: Path) -> bool:
    """Whether a file had to be written; what stood there is kept."""
    mine, new = ROOT / path, (source / path).read_bytes()
    old = mine.read_bytes() if mine.is_file() else None
    if old == new:
        return False
    if old is not None:
        _write(backup / path, old)
    _write(mine, new)
    return True


def _questions(source: Path, stubs: dict[str, str]) -> Iterator[str]:
    """New stubs, in place of old ones on which nobody has worked; beside them otherwise."""
    for path in sorted((source / "exercises").glob("ex*.py")):
        mine, new = EXERCISES / path.name, path.read_text(encoding="utf-8")
        old = mine.read_text(encoding="utf-8", errors="replace") if mine.is_file() else None
        if old == new or (old != stubs.get(path.name) and stubs.get(path.name) == new):
            continue
        if old is None or old == stubs.get(path.name):
            _write(mine, new.encode())
            yield say("commands.update.stub", slug=path.stem)
        else:
            beside = mine.with_suffix(".new.txt")
            _write(beside, new.encode())
            yield say("commands.update.kept", slug=path.stem, path=beside)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, content)
