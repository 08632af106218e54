"""The tests notice when something breaks.

`breakages.toml` lists changes of the code, and for each a test that notices it. Each is made in a
copy of the kata, and that test has to fail. `tests/kata/test_breakages.py` sees to it that the list
fits the code of today.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from tests.helpers.another_kata import run_in, whole_copy
from tests.helpers.breakages import Breakage, breakages

PASSED, FAILED = 0, 1
PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
BREAKAGES = pytest.mark.parametrize("breakage", breakages(), ids=lambda breakage: breakage.what)
# Python compiles a file again only if its time or its size has changed.
later = count(start=2_000_000_000)


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_copy(tmp_path_factory.mktemp("copy") / "kata")


@contextmanager
def broken(copy: Path, breakage: Breakage) -> Iterator[None]:
    path = copy / breakage.file
    whole = path.read_text(encoding="utf-8")
    write(path, whole.replace(breakage.find, breakage.replace))
    try:
        yield
    finally:
        write(path, whole)


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, (next(later),) * 2)


@BREAKAGES
def test_a_breakage_is_noticed(copy: Path, breakage: Breakage) -> None:
    with broken(copy, breakage):
        run = run_in(copy, *PYTEST, breakage.test)

    assert run.status == FAILED, run.out + run.err


def test_what_notices_them_passes_as_long_as_nothing_is_broken(copy: Path) -> None:
    run = run_in(copy, *PYTEST, *sorted({breakage.test for breakage in breakages()}))

    assert run.status == PASSED, run.out + run.err
