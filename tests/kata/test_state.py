"""What is kept for a user: by the real path of a folder, and for nobody else to read."""

import os
import shutil
from pathlib import Path

import pytest

from kata.files import KEY, own_key, state_file, state_folder
from kata.files import KEY_LENGTH as LENGTH


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME")
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="Windows has another folder")
def test_it_lies_in_the_home_folder_or_where_the_system_is_told_to(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert state_folder().is_relative_to(home)

    monkeypatch.setenv("XDG_STATE_HOME", str(home / "elsewhere"))
    assert state_folder() == home / "elsewhere" / "attention-kata"

    monkeypatch.setenv("XDG_STATE_HOME", "here")
    assert state_folder().parent != Path("here")


@pytest.mark.skipif(os.name != "posix", reason="Windows has another folder")
def test_who_has_no_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder named ~ in the current one would be anybody's."""
    monkeypatch.setenv("HOME", "~")

    assert not state_file(Path(), ".room").exists()
    with pytest.raises(OSError):  # noqa: PT011  # which one depends on the system
        own_key()


def test_a_folder_is_known_by_its_real_path(home: Path) -> None:
    folder, link, copy = home / "exercises", home / "link", home / "copy"
    folder.mkdir()
    link.symlink_to(folder)
    shutil.copytree(folder, copy)

    assert state_file(link, ".room") == state_file(folder, ".room")
    assert state_file(copy, ".room") != state_file(folder, ".room")
    assert state_file(folder, ".other") != state_file(folder, ".room")


def test_the_key_is_made_once_and_read_by_its_owner_alone() -> None:
    first = own_key()

    assert len(first) == LENGTH
    assert own_key() == first
    if os.name == "posix":
        assert (state_folder() / KEY).stat().st_mode & 0o777 == 0o600
        assert state_folder().stat().st_mode & 0o077 == 0


def test_a_key_that_is_damaged_is_made_anew() -> None:
    first = own_key()
    (state_folder() / KEY).write_bytes(b"")

    assert len(own_key()) == LENGTH
    assert own_key() != first
