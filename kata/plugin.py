"""The part of the pytest plugin that every pytest run of this environment imports.

It looks at names. The rest is imported at the first file with the name of an exercise, so that a
run of another project's tests has none of it.
"""

import os
import re
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

EXERCISE = re.compile(r"ex\d+_.*\.py", re.IGNORECASE)
PROOFS = "proofs"  # the folder of a learner's own tests
CACHE = "__pycache__"
SUITE = re.compile(r"graded/test_ex\d+_.*\.py")
OPTIONS = "solutions", "core", "track", "plots"
# As in kata.course.curriculum, which is not imported yet.
TRACKS = "core", "encoder", "decoder"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the kata."""
    group = parser.getgroup("attention kata")
    group.addoption("--solutions", action="store_true", help="judge the reference solutions")
    group.addoption("--core", action="store_true", help="the seven core exercises only")
    group.addoption("--track", choices=TRACKS, help="the exercises of one way through the course")
    group.addoption("--plots", metavar="DIR", type=Path, help="heat maps of what fails, as SVG")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Leave if `-p no:kata` says so, which is shorter than the plugin's name."""
    if early_config.pluginmanager.is_blocked("kata"):
        early_config.pluginmanager.unregister(name=__name__)
    else:
        _write_through_nothing(early_config)


def _write_through_nothing(config: pytest.Config) -> None:
    """Spare pytest its cache and its compiled files where links or pipes are in their place."""
    root = config.rootpath
    if any(map(_is_odd, _inside(root / ".pytest_cache"))):
        for name in ("cacheprovider", "stepwise"):  # as `-p no:cacheprovider` does
            config.pluginmanager.unregister(name=name)
            config.pluginmanager.set_blocked(name)
    folders = (root / "exercises", root / PROOFS)
    if any(map(Path.is_symlink, (*folders, *(path / CACHE for path in (root, *folders))))):
        sys.dont_write_bytecode = True


def _inside(folder: Path) -> Iterator[Path]:
    yield folder
    for where, folders, files in os.walk(folder):
        yield from (Path(where, name) for name in (*folders, *files))


def _is_odd(path: Path) -> bool:
    return path.is_symlink() or (path.exists() and not path.is_file() and not path.is_dir())


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Replace pytest's own collector, which would import the file."""
    default = yield
    if _may_be_a_proof(file_path.as_posix()):
        return _proof_collectors(file_path, parent) or default
    if not _may_be_ours(file_path, parent.config):
        return default
    from kata.learner.collection import collectors

    own = collectors(file_path, parent)
    return default if own is None else own


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Report a folder with the name of an exercise as a file that cannot be read."""
    if not _may_be_ours(path, parent.config):
        return None
    from kata.learner.collection import folder_in_place_of_a_file

    return folder_in_place_of_a_file(path, parent)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    """Start in the process that distributes claims, which collects none itself."""
    paths = {id_.partition("::")[0] for id_ in ids}
    if any(map(_may_be_a_proof, paths)):
        _start_proofs(node.config)
    if any(_is_named_like_one(path) for path in paths if not _may_be_a_proof(path)):
        _start(node.config)


def pytest_terminal_summary(
    terminalreporter: "pytest.TerminalReporter", exitstatus: int, config: pytest.Config
) -> None:
    """Say how exercises are named, if a run asks for them and has none."""
    asks = any(config.getoption(option) for option in OPTIONS)
    if asks and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        terminalreporter.line("no exercise here: an exercise file is named like ex01_softmax.py")


def _may_be_a_proof(path: str) -> bool:
    *_, folder, name = ["", *path.split("/")]
    return folder == PROOFS and EXERCISE.fullmatch(name) is not None


def _proof_collectors(path: Path, parent: pytest.Collector) -> list[pytest.Collector] | None:
    _start_proofs(parent.config)
    from kata.learner.proof_collection import collectors

    return collectors(path, parent)


def _start_proofs(config: pytest.Config) -> None:
    _spare_rewriting(config)
    from kata.learner.proof_collection import start

    start(config)


def _may_be_ours(path: Path, config: pytest.Config) -> bool:
    """Return whether the path has the name of an exercise; if so, start."""
    if not _is_named_like_one(path.as_posix()):
        return False
    _start(config)
    return True


def _is_named_like_one(path: str) -> bool:
    return bool(EXERCISE.fullmatch(path.rpartition("/")[2]) or SUITE.search(path))


def _start(config: pytest.Config) -> None:
    _spare_rewriting(config)
    from kata.learner.reporter import start

    start(config)


def _spare_rewriting(config: pytest.Config) -> None:
    """Keep pytest from rewriting the asserts of the kata, which takes a fifth of an empty run.

    There is no public way: should this attribute go away, runs are that much slower.
    """
    marked: set[str] = getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set())
    marked -= {"kata", __name__}
