"""Take over a newer kata: new stubs, suites and texts come, and what it no longer has goes.

What you have written is never touched: exercises that you have worked on, and files of your own. A
file is removed only if the version that is here brought it:

- After the first update, `.kata/shipped.txt` lists exactly what the last one brought.
- Before that, in a git repository, it is what git tracks in the folders `kata`, `tests`, `bugs`,
  `solutions`, `benchmarks` and `docs`, and the tables in `exercises`; untracked files are yours.
- Without git, it is the Python and TOML files there, since nothing tells them from yours.

In a folder that `kata init` has made, the kata is updated with pip or uv first; this command then
brings its exercises. `.kata/laid-out.json` tells what was laid out.

Whatever is removed or, in a checkout, replaced is kept in `.kata/before-update.N`.
"""

import os
import shutil
import subprocess
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from kata.commands.common import folder_of, unused
from kata.course.contract import stub
from kata.course.curriculum import CODE, EXERCISES, ROOT, exercises
from kata.errors import UserError, unwritable
from kata.files import read_file, write_file
from kata.learner.layout import NEWER, LayoutRecord, Outcome, is_inside, renew
from kata.proofs.proof import proof_stub
from kata.text import clean

SAME = "everything is up to date"
LEFT_ALONE = {".git", ".venv", ".kata", "__pycache__", ".pytest_cache", "grades", "build"}
PROOFS = "proofs"  # are a learner's own tests, once they are begun
NOTEBOOKS = "notebooks"  # are worked in; `kata notebooks` renews those that nobody has changed
SHIPPED = ROOT / ".kata" / "shipped.txt"
ROOMS = {"kata", "tests", "bugs", "solutions", "benchmarks", "docs"}  # folders of the kata's own
KINDS = {".py", ".toml"}  # what is imported, collected or read there


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument(
        "source", nargs="?", help="a folder or a git address; where this one came from without it"
    )


def run(options: Namespace) -> int:
    """Update the folder that `kata init` has made, or else the checkout."""
    home = folder_of(Namespace(folder=None)).absolute().parent
    if ROOT != CODE or LayoutRecord.is_known(home):
        return _update_folder(home, options.source)
    return _update_checkout(options)


def _update_folder(home: Path, source: str | None) -> int:
    if source:
        raise UserError(
            "this kata was installed by pip or uv: update it there, "
            "then type `kata update` without a source"
        )
    backup = unused(home / ".kata" / "before-update")
    try:
        done = renew(home, backup)
    except OSError as error:
        raise unwritable(error) from None
    print(*([*_report(done, backup)] or [SAME]), sep="\n")
    return 0


def _report(done: Outcome, backup: Path) -> Iterator[str]:
    where = os.path.relpath(backup)
    yield from (clean(f"{path}: new") for path in done.made)
    yield from (clean(f"{path}: updated") for path in done.renewed)
    for path in done.beside:
        yield clean(f"{path}: yours is kept; the new version is next to it, in {path + NEWER}")
    yield from (
        clean(f"{path}: no longer part of the kata, and moved to {where}") for path in done.removed
    )
    yield from (clean(f"{path}: no longer part of the kata; yours is kept") for path in done.kept)


def _update_checkout(options: Namespace) -> int:
    """Plan, say, do: what is said afterwards would be the newer version's."""
    with ExitStack() as stack:
        source = _source(options.source, stack)
        if not (source / "exercises" / "curriculum.toml").is_file():
            raise UserError(f"{source} is not an attention kata")
        new = list(_files(source))
        changed = [path for path in new if _bytes(ROOT / path) != _bytes(source / path)]
        gone = list(_gone(source, new))
        stubs = {
            exercise.filename: stub(exercise) for exercise in exercises().values()
        }  # of this version
        backup = unused(ROOT / ".kata" / "before-update")
        try:
            lines = [*_questions(source, stubs), *_proofs(source), *_retired(source, stubs, backup)]
            lines += _summary(changed, gone, backup)
            _apply(source, new, changed, gone, backup)
        except OSError as error:
            raise unwritable(error) from None
    print(*(lines or [SAME]), sep="\n")
    return 0


def _source(named: str | None, stack: ExitStack) -> Path:
    """A folder that is there, or a fresh clone."""
    if named and Path(named).is_dir():
        return Path(named).absolute()
    address = named or _git("-C", str(ROOT), "remote", "get-url", "origin").stdout.strip()
    if not address:
        raise UserError("no source is known; name one: `kata update PATH_OR_URL`")
    clone = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "clone"
    done = _git("clone", "--quiet", "--depth", "1", address, str(clone))
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [""])[-1]
        raise UserError(f"{address} cannot be fetched: {reason}")
    return clone


def _git(*words: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            ["git", *words], capture_output=True, encoding="utf-8", errors="replace", check=False
        )
    except OSError as error:
        raise UserError(f"git cannot be fetched: {error.strerror}") from None


def _files(home: Path) -> Iterator[Path]:
    """All files of a kata but its exercises, proofs and notebooks, as paths relative to it."""
    for path in sorted(home.rglob("*")):
        relative = path.relative_to(home)
        exercise = relative.parent == Path("exercises") and path.suffix == ".py"
        work = exercise or relative.parts[0] in (NOTEBOOKS, PROOFS)
        if path.is_file() and not (LEFT_ALONE & set(relative.parts)) and not work:
            yield relative


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _gone(source: Path, new: Iterable[Path]) -> Iterator[Path]:
    """What the version that is here brought, and the newer one no longer has."""
    there = {str(path).casefold() for path in new}  # on some disks, one file by two names
    for path in _shipped(source):
        if (ROOT / path).is_file() and str(path).casefold() not in there:
            yield path


def _shipped(source: Path) -> list[Path]:
    """What the version that is here brought, as far as that is known."""
    if SHIPPED.is_file():
        lines = read_file(SHIPPED).decode(errors="replace").splitlines()
        return [Path(line) for line in lines if is_inside(line)]
    rooms = {room for room in ROOMS if (source / room).is_dir()}
    table = Path("exercises"), ".toml"
    paths = _tracked() or (file for file in _files(ROOT) if file.suffix in KINDS)
    return [path for path in paths if path.parts[0] in rooms or (path.parent, path.suffix) == table]


def _tracked() -> list[Path]:
    """What git tracks here; nothing without a repository of the kata's own."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return []
    return [Path(word) for word in _git("-C", str(ROOT), "ls-files", "-z").stdout.split("\0")[:-1]]


def _questions(source: Path, stubs: dict[str, str]) -> Iterator[str]:
    """New stubs, in place of old ones on which nobody has worked; beside them otherwise."""
    for path in sorted((source / "exercises").glob("ex*.py")):
        mine, new = EXERCISES / path.name, path.read_text(encoding="utf-8")
        old = mine.read_text(encoding="utf-8", errors="replace") if mine.is_file() else None
        if old == new or (old != stubs.get(path.name) and stubs.get(path.name) == new):
            continue
        if old is None or old == stubs.get(path.name):
            write_file(mine, path.read_bytes())
            yield clean(f"  {path.stem}: new stub")
        else:
            beside = mine.with_suffix(".new.txt")
            write_file(beside, path.read_bytes())
            yield clean(f"  {path.stem}: yours is kept; the new question is {beside}")


def _proofs(source: Path) -> Iterator[str]:
    """New stubs of proofs, in place of those that nobody has begun."""
    stubs = {exercise.filename: proof_stub(exercise).encode() for exercise in exercises().values()}
    for path in sorted((source / PROOFS).glob("ex*.py")):
        mine, new = ROOT / PROOFS / path.name, path.read_bytes()
        if _bytes(mine) in (None, stubs.get(path.name)) and _bytes(mine) != new:
            _copy(path, mine)
            yield clean(f"  {path.stem}: new stub of its proof")


def _retired(source: Path, stubs: dict[str, str], backup: Path) -> Iterator[str]:
    """Exercises that the newer kata no longer has: only stubs are removed."""
    for name, text in stubs.items():
        mine = EXERCISES / name
        if (source / "exercises" / name).is_file() or not mine.is_file():
            continue
        if mine.read_text(encoding="utf-8", errors="replace") == text:
            _remove(mine.relative_to(ROOT), backup)
            yield f"  {mine.stem}: its stub was removed: the kata no longer has this exercise"
        else:
            yield f"  {mine.stem}: yours is kept, but the kata no longer has this exercise"


def _summary(changed: list[Path], gone: list[Path], backup: Path) -> Iterator[str]:
    if changed:
        files = "1 file is" if len(changed) == 1 else f"{len(changed)} files are"
        yield f"{files} new or changed"
    if len(gone) == 1:
        yield "1 file was removed: the kata no longer has it"
    elif gone:
        yield f"{len(gone)} files were removed: the kata no longer has them"
    if gone or any((ROOT / path).is_file() for path in changed):
        yield clean(f"the old files are kept in {backup}")


def _apply(
    source: Path, new: list[Path], changed: list[Path], gone: list[Path], backup: Path
) -> None:
    for path in changed:
        if (ROOT / path).is_file():
            _copy(ROOT / path, backup / path)
        _copy(source / path, ROOT / path)
    for path in gone:
        _remove(path, backup)
    write_file(SHIPPED, "".join(f"{path.as_posix()}\n" for path in new))


def _remove(path: Path, backup: Path) -> None:
    """Move a file to the backup, and remove the folders that are empty without it."""
    _copy(ROOT / path, backup / path)
    (ROOT / path).unlink()
    for folder in path.parents[:-1]:
        if any(entry.name != "__pycache__" for entry in (ROOT / folder).iterdir()):
            return
        shutil.rmtree(ROOT / folder)


def _copy(path: Path, to: Path) -> None:
    write_file(to, path.read_bytes())
    shutil.copymode(path, to)
