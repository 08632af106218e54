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

OLDEST = (3, 11)
REPAIRED = {(3, 11): 10, (3, 12): 6}  # the releases without CVE-2024-6232
PATCH = "_header_length_prefix_re"  # a name in every tarfile with the repair, of any release
LIBRARIES = ("numpy", "pytest", "pytest-timeout")
TORCH = "import torch; print(torch.__version__); print(*map(torch.cuda.get_device_name, \
range(torch.cuda.device_count())), sep='\\n')"
PATIENCE = 120  # seconds, for importing torch from a slow disk
Finding = tuple[State, str]

# A part that works, a necessary part that is missing, and an optional one.
GOOD, MISSING, OPTIONAL = State.PASSED, State.FAILED, State.SKIPPED


def arguments(parser: ArgumentParser) -> None:
    add_folder(parser)


def run(options: Namespace) -> int:
    """Print the findings; return 1 if something necessary is missing, else 0."""
    findings = [*_python(), *_torch(), *_plugin(), *_folder(options), *_extras(), _terminal()]
    style = style_of(sys.stdout)
    for state, remark in findings:
        first, *rest = style.wrap(remark, 4)
        print(f"  {style.marks[state]} {first.strip()}", *rest, sep="\n")
    return 1 if any(state is MISSING for state, _ in findings) else 0


def _python() -> Iterator[Finding]:
    text = f"Python {platform.python_version()}"
    if sys.version_info >= OLDEST:
        yield GOOD, text
    else:
        yield MISSING, f"{text}; 3.11 or newer is needed"
    for name in LIBRARIES:
        yield _library(name)


def _library(name: str) -> Finding:
    try:
        return GOOD, f"{name} {version(name)}"
    except PackageNotFoundError:
        return MISSING, f"{name} is missing: `python -m pip install {name}`"


def _torch() -> Iterator[Finding]:
    """Import torch in a separate process, because a broken torch can crash it."""
    try:
        done = subprocess.run(
            guarded("-c", TORCH),
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        yield MISSING, f"torch cannot be loaded: {error}"
        return
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        yield MISSING, f"torch cannot be loaded: {reason}"
        return
    number, *names = done.stdout.split("\n")
    yield GOOD, f"torch {number}"
    gpus = [(GOOD, f"GPU: {name}") for name in names if name]
    yield from gpus or [(OPTIONAL, "no GPU; claims that need one are skipped")]


def _plugin() -> Iterator[Finding]:
    names = [entry_point.name for entry_point in entry_points(group="pytest11")]
    if "kata.plugin" in names:
        yield GOOD, "pytest finds the exercises"
    else:
        yield MISSING, "pytest does not know the plugin; `pip install -e .` registers it"


def _folder(options: Namespace) -> Iterator[Finding]:
    try:
        folder = folder_of(options)
    except UserError as error:
        yield MISSING, str(error)
        return
    if any((folder / exercise.filename).exists() for exercise in exercises().values()):
        yield GOOD, f"exercises in {folder}"
    else:
        yield MISSING, f"{folder} contains no exercises"
    if not access(folder, W_OK) or not access(folder.absolute().parent, W_OK):
        yield MISSING, f"{folder} cannot be written"


def _extras() -> Iterator[Finding]:
    """Look at the optional parts."""
    try:
        yield GOOD, f"watchfiles {version('watchfiles')}"
    except PackageNotFoundError:
        yield OPTIONAL, "watchfiles is not installed; `kata watch` polls instead"
    yield from slow_tars()
    yield from grading()
    yield from _sandbox()


def grading() -> Iterator[Finding]:
    """Look for the packages that only instructors need."""
    from kata.grading.options import EXTRAS

    if lacking := [name for name in EXTRAS if find_spec(name) is None]:
        need = '; instructors need it: `pip install -e ".[grading]"`'
        yield OPTIONAL, f"{lacking[0]} is not installed{need}"


def slow_tars() -> Iterator[Finding]:
    """Warn of a Python that hostile archives keep busy; some systems have repaired theirs."""
    from kata.grading.collecting.reader import SECONDS

    branch, patch = sys.version_info[:2], sys.version_info[2]
    if patch < REPAIRED.get(branch, 0) and not hasattr(tarfile, PATCH):
        repaired = ".".join(map(str, (*branch, REPAIRED[branch])))
        yield (
            OPTIONAL,
            f"before you grade, update Python {platform.python_version()} to {repaired} or newer: "
            "a small hostile tar keeps this one busy for hours (CVE-2024-6232), "
            f"and the grader gives up on it after {SECONDS} s",
        )


def _sandbox() -> Iterator[Finding]:
    """Say what instructors can rely on when they grade other people's work."""
    from kata.grading.sandbox import PROMISES, no_bubblewrap, parts, promises, unavailable

    if names := unavailable():
        lacking = ", ".join(names)
        yield OPTIONAL, f"this system cannot grade submissions: its Python lacks {lacking}"
        return
    if provisions := parts():
        yield GOOD, f"sandbox: {', '.join(provisions)}"
    else:
        yield OPTIONAL, "this machine cannot provide the sandbox: grade only people you trust"
    if reason := no_bubblewrap():
        yield OPTIONAL, reason
    for name, holds in promises().items():
        promise = PROMISES[name]
        yield (GOOD, promise) if holds else (OPTIONAL, f"cannot be guaranteed here: {promise}")


def _terminal() -> Finding:
    style = style_of(sys.stdout)
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return GOOD, f"terminal: {encoding}, {style.width} columns"
