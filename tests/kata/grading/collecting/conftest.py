"""Limits that are small, and the tasks of the process that reads, done in this process."""

import pytest

from kata.grading.collecting import contents, entries, students
from tests.helpers.handing_in import ReaderHere
from tests.helpers.sampling import everything


@pytest.fixture
def reader_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(students, "Reader", ReaderHere)


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """What an archive may be, in MiB, and how many files: so little that a bomb is soon made.

    Before a release they are as large as they are for a class.
    """
    small = {"archive": 1, "unpacked": 3, "work": 2, "files": 120}
    if everything():
        return {"archive": 100, "unpacked": 128, "work": 64, "files": 5_000}
    monkeypatch.setattr(entries, "LARGEST_ARCHIVE", small["archive"] << 20)
    monkeypatch.setattr(entries, "LARGEST_UNPACKED", small["unpacked"] << 20)
    monkeypatch.setattr(contents, "LARGEST_WORK", small["work"] << 20)
    for module in (contents, entries):
        monkeypatch.setattr(module, "MOST", small["files"])
    return small
