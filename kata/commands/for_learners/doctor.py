"""Check everything the kata needs, and say what is missing."""

import platform
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, entry_points, version
from os import W_OK, access

from kata.commands.common import add_folder, folder_of
from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.terminal.style import style_of
from kata.verdict import State
from kata.words import say

OLDEST = (3, 11)
LIBRARIES = ("numpy", "pytest", "pytest-timeout")
TORCH = "import torch; print(torch.__version__); print(*map(torch.cuda.get_device_name, \
range(torch.cuda.device_count())), sep='\\n')"
PATIENCE = 120  # seconds, for importing torch from a slow disk
Finding = tuple[State, str]


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


def _python() -> Iterator[Finding]:
    fine = sys.version_info >= OLDEST
    text = say(
        "commands.doctor.python" if fine else "commands.doctor.python-old",
        version=platform.python_version(),
    )
    yield State.PASSED if fine else State.FAILED, text
    for name in LIBRARIES:
        yield _library(name)


def _library(name: str) -> Finding:
    try:
        return State.PASSED, say("commands.doctor.library", name=name, version=version(name))
    except PackageNotFoundError as error:
        return State.FAILED, say("commands.doctor.library-missing", name=name, reason=error)


def _torch() -> Iterator[Finding]:
    """Import torch in a separate process, because a broken torch can crash it."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", TORCH],
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        yield State.FAILED, say("commands.doctor.torch-broken", reason=error)
        return
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        yield State.FAILED, say("commands.doctor.torch-broken", reason=reason)
        return
    number, *names = done.stdout.split("\n")
    yield State.PASSED, say("commands.doctor.library", name="torch", version=number)
    gpus = [name for name in names if name]
    for name in gpus:
        yield State.PASSED, say("commands.doctor.gpu", name=name)
    if not gpus:
        yield State.SKIPPED, say("commands.doctor.no-gpu")


def _plugin() -> Iterator[Finding]:
    known = [each.name for each in entry_points(group="pytest11")]
    fine = "kata.plugin" in known
    text = say("commands.doctor.plugin" if fine else "commands.doctor.plugin-missing")
    yield State.PASSED if fine else State.FAILED, text


def _folder(options: Namespace) -> Iterator[Finding]:
    try:
        folder = folder_of(options)
    except UserError as error:
        yield State.FAILED, str(error)
        return
    there = [each for each in exercises().values() if (folder / each.filename).exists()]
    text = say(
        "commands.doctor.folder" if there else "commands.doctor.folder-missing", folder=folder
    )
    yield State.PASSED if there else State.FAILED, text
    if not access(folder, W_OK) or not access(folder.absolute().parent, W_OK):
        yield State.FAILED, say("commands.doctor.unwritable", folder=folder)


def _extras() -> Iterator[Finding]:
    """What is optional."""
    try:
        yield State.PASSED, say("commands.doctor.watchfiles", version=version("watchfiles"))
    except PackageNotFoundError:
        yield State.SKIPPED, say("commands.doctor.no-watchfiles")
    yield from _sandbox()


def _sandbox() -> Iterator[Finding]:
    """What instructors can rely on when they grade other people's work."""
    from kata.grading.sandbox.sandbox import no_bubblewrap, parts, promises

    found = parts()
    text = (
        say("commands.doctor.sandbox", parts=", ".join(found))
        if found
        else say("commands.doctor.no-sandbox")
    )
    yield State.PASSED if found else State.SKIPPED, text
    if reason := no_bubblewrap():
        yield State.SKIPPED, reason
    for name, kept in promises().items():
        guarantee = say(f"sandbox.{name}")
        text = guarantee if kept else say("commands.doctor.not-guaranteed", guarantee=guarantee)
        yield State.PASSED if kept else State.SKIPPED, text


def _terminal() -> Finding:
    style = style_of(sys.stdout)
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return State.PASSED, say("commands.doctor.terminal", encoding=encoding, width=style.width)
