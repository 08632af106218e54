"""Limits that are small, and the tasks of the process that reads, done in this process."""

import pytest

from kata.grading.collecting import archives, students
from kata.grading.collecting.one_place import looking
from kata.grading.collecting.packed import class_export, unpacking
from tests.helpers.handing_in import ReaderHere
from tests.helpers.sampling import everything


@pytest.fixture
def reader_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (students, unpacking):
        monkeypatch.setattr(module, "Reader", ReaderHere)


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """What an archive may be, in MiB, and how many files: so little that a bomb is soon made.

    Before a release they are as large as they are for a class.
    """
    small = {"archive": 1, "unpacked": 3, "work": 2, "files": 120}
    if everything():
        return {"archive": 100, "unpacked": 128, "work": 64, "files": 5_000}
    for module in (archives, class_export):
        monkeypatch.setattr(module, "LARGEST_ARCHIVE", small["archive"] << 20)
    monkeypatch.setattr(archives, "LARGEST_UNPACKED", small["unpacked"] << 20)
    monkeypatch.setattr(looking, "LARGEST_WORK", small["work"] << 20)
    for module in (archives, looking):
        monkeypatch.setattr(module, "MOST", small["files"])
    return small
