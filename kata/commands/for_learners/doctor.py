"""Check everything the kata needs, and say what is missing."""

import platform
import subprocess
import sys
import tarfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from os import W_OK, access

from kata.commands.common import add_folder, folder_of
from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.interpreter import guarded
from kata.terminal.style import style_of
from kata.verdict import State
from kata.words import say

OLDEST = (3, 11)
REPAIRED = {(3, 11): 10, (3, 12): 6}  # the releases without CVE-2024-6232
PATCH = "_header_length_prefix_re"  # in the tarfile that has the repair, also in older releases
LIBRARIES = ("numpy", "pytest", "pytest-timeout")
TORCH = "import torch; print(torch.__version__); print(*map(torch.cuda.get_device_name, \
range(torch.cuda.device_count())), sep='\\n')"
PATIENCE = 120  # seconds, for importing torch from a slow disk
Finding = tuple[State, str]
# The findings that are no success: what has to be there, and what one can do without.
FAILURES = {"python-old", "library-missing", "torch-broken", "plugin-missing", "folder-missing",
            "unwritable"}  # fmt: skip
OPTIONAL = {"no-grading", "no-gpu", "no-watchfiles", "no-sandbox", "not-guaranteed", "not-runnable",
            "slow-tars"}  # fmt: skip


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    add_folder(parser)


def run(options: Namespace) -> int:
    """Print what was found; return 1 if something necessary is missing, else 0."""
    found = [*_python(), *_torch(), *_plugin(), *_folder(options), *_extras(), _terminal()]
    style = style_of(sys.stdout)
    for state, text in found:
        first, *rest = style.wrap(text, 4)
        print(f"  {style.marks[state]} {first.strip()}", *rest, sep="\n")
    return 1 if any(state is State.FAILED for state, _ in found) else 0


def _finding(key: str, **values: object) -> Finding:
    failed = State.FAILED if key in FAILURES else State.PASSED
    state = State.SKIPPED if key in OPTIONAL else failed
    return state, say(f"commands.doctor.{key}", **values)


def _python() -> Iterator[Finding]:
    key = "python" if sys.version_info >= OLDEST else "python-old"
    yield _finding(key, version=platform.python_version())
    for name in LIBRARIES:
        yield _library(name)


def _library(name: str) -> Finding:
    try:
        return _finding("library", name=name, version=version(name))
    except PackageNotFoundError:
        return _finding("library-missing", name=name)


def _torch() -> Iterator[Finding]:
    """Import torch in a separate process, because a broken torch can crash it."""
    try:
        done = subprocess.run(
            guarded("-c", TORCH),
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        yield _finding("torch-broken", reason=error)
        return
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        yield _finding("torch-broken", reason=reason)
        return
    number, *names = done.stdout.split("\n")
    yield _finding("library", name="torch", version=number)
    gpus = [name for name in names if name]
    yield from [_finding("gpu", name=name) for name in gpus] or [_finding("no-gpu")]


def _plugin() -> Iterator[Finding]:
    known = [each.name for each in entry_points(group="pytest11")]
    yield _finding("plugin" if "kata.plugin" in known else "plugin-missing")


def _folder(options: Namespace) -> Iterator[Finding]:
    try:
        folder = folder_of(options)
    except UserError as error:
        yield State.FAILED, str(error)
        return
    there = [each for each in exercises().values() if (folder / each.filename).exists()]
    yield _finding("folder" if there else "folder-missing", folder=folder)
    if not access(folder, W_OK) or not access(folder.absolute().parent, W_OK):
        yield _finding("unwritable", folder=folder)


def _extras() -> Iterator[Finding]:
    """What is optional."""
    try:
        yield _finding("watchfiles", version=version("watchfiles"))
    except PackageNotFoundError:
        yield _finding("no-watchfiles")
    yield from slow_tars()
    yield from grading()
    yield from _sandbox()


def grading() -> Iterator[Finding]:
    """Whether the packages are there that only instructors need."""
    from kata.grading.options import EXTRAS

    if lacking := [name for name in EXTRAS if find_spec(name) is None]:
        yield _finding("no-grading", name=lacking[0])


def slow_tars() -> Iterator[Finding]:
    """Whether this Python takes very long for some hostile archives; some systems repaired it."""
    from kata.grading.collecting.reader import SECONDS

    branch, patch = sys.version_info[:2], sys.version_info[2]
    if patch < REPAIRED.get(branch, 0) and not hasattr(tarfile, PATCH):
        repaired = ".".join(map(str, (*branch, REPAIRED[branch])))
        yield _finding("slow-tars", version=platform.python_version(), repaired=repaired,
                       seconds=SECONDS)  # fmt: skip


def _sandbox() -> Iterator[Finding]:
    """What instructors can rely on when they grade other people's work."""
    from kata.grading.sandbox.sandbox import PROMISES, no_bubblewrap, parts, promises, unavailable

    if names := unavailable():
        yield _finding("not-runnable", names=", ".join(names))
        return
    found = parts()
    yield _finding("sandbox", parts=", ".join(found)) if found else _finding("no-sandbox")
    if reason := no_bubblewrap():
        yield State.SKIPPED, reason
    for name, kept in promises().items():
        guarantee = PROMISES[name]
        lacking = _finding("not-guaranteed", guarantee=guarantee)
        yield (State.PASSED, guarantee) if kept else lacking


def _terminal() -> Finding:
    style = style_of(sys.stdout)
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return _finding("terminal", encoding=encoding, width=style.width)
