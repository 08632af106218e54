"""Folders with links, pipes, missing permissions and archives in them."""

import os
import socket
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.grading.collecting import entries
from kata.grading.collecting.submissions import HandedIn
from tests.helpers.handed_work import EX01, EX05, EX07, F01, F05, F07, NOISE, STUB, WORK
from tests.helpers.handing_in import (
    by_student,
    drop_rights,
    encrypted,
    folder_with_permissions,
    from_archive,
    only_student,
    tarred,
    write,
    zipped,
)


def test_an_encrypted_zip_in_a_folder(tmp_path: Path) -> None:
    secret = encrypted(zipped({F05: WORK, F07: WORK}))
    write(tmp_path, {"alice/a.zip": secret, f"alice/{F01}": WORK, "bob/a.zip": secret})
    line = "not read: a.zip: the archive is encrypted"

    found = by_student(tmp_path)

    assert found["alice"] == HandedIn("alice", {EX01: WORK}, (line,))
    assert found["bob"].problem == f"it contains no exercise; {line}"


def test_nothing_counts_from_a_damaged_archive_in_a_folder(tmp_path: Path) -> None:
    half = tarred({F05: WORK, "noise": NOISE, F01: WORK})[:3_000]
    write(tmp_path, {"alice/a.tgz": half, f"alice/{F07}": WORK})

    found = only_student(tmp_path)

    assert found.files == {EX07: WORK}
    assert found.notes[0].startswith("not read: a.tgz: the archive is damaged: ")


def test_too_many_archives_in_a_folder_are_not_read(tmp_path: Path) -> None:
    files = {f"{n:02}.zip": zipped({F05: WORK}) for n in range(12)}

    assert only_student(write(tmp_path / "class" / "alice", files).parent).notes == (
        "not read: 10.zip, 11.zip: more than 10 archives in one hand-in",
    )


def test_files_in_too_many_folders_are_not_read(tmp_path: Path) -> None:
    deep = {f"{'a/' * 5}{F05}": WORK, f"{'a/' * 6}{F01}": WORK}

    assert from_archive(tmp_path / "zip", zipped(deep)).files == {EX05: WORK}
    assert only_student(write(tmp_path / "class" / "alice", deep).parent).files == {EX05: WORK}


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere", {F05: b"secret\n", F07: b"secret\n"})
    alice = write(tmp_path / "class", {f"alice/{F01}": WORK}) / "alice"
    (alice / F05).symlink_to(secret / F05)
    (alice / "exercises").symlink_to(secret)
    (tmp_path / "class" / "bob").symlink_to(secret)
    (tmp_path / "class" / "carl.zip").symlink_to(secret / F05)
    (tmp_path / "class" / "dora").symlink_to("nowhere")
    (tmp_path / "class" / "eve").symlink_to("eve")

    found = by_student(tmp_path / "class")

    assert found["alice"] == HandedIn(
        "alice",
        {EX01: WORK},
        (f"not read: {F05}, exercises: a link, which is not followed",),
        unread={EX05: f"not read: {F05}: a link, which is not followed"},
    )
    for name in ("bob", "carl", "dora", "eve"):
        assert found[name].problem == "a link, which is not followed"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, {f"alice/{F01}": WORK})
    os.mkfifo(tmp_path / "alice" / F05)
    os.mkfifo(tmp_path / "alice" / "more.zip")
    os.mkfifo(tmp_path / "bob.zip")

    found = by_student(tmp_path)

    assert found["alice"].notes == (f"not read: {F05}, more.zip: not a plain file",)
    assert found["bob"].problem == "not a plain file"


def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / F05)

    with pytest.raises(entries.RefusedError, match="not a plain file"):
        entries.opened(tmp_path / F05)


def test_a_socket_and_a_folder_in_place_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path / "alice", {F01: WORK, f"{F07}/inside": WORK}))
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(F05)  # relative: the path of a socket has to be short

        assert only_student(tmp_path / "alice").notes == (f"not read: {F05}: not a plain file",)


def test_folders_and_files_without_permission() -> None:
    with folder_with_permissions() as folder:
        write(folder, {f"alice/{F05}": WORK, f"alice/{F01}": WORK, f"alice/old/{F07}": WORK})
        write(folder, {f"bob/{F05}": WORK, "carl.zip": zipped({F05: WORK}), f"dora/{F05}": WORK})
        for each in (f"alice/{F05}", "carl.zip", f"dora/{F05}", "alice/old", "bob"):
            (folder / each).chmod(0)
        exercises(), len(STUB)  # cached while they can be read
        drop_rights()

        found = by_student(folder)

    reason = "cannot be read: Permission denied"
    assert found["alice"].files == {EX01: WORK}
    assert found["alice"].notes == (f"not read: {F05}, old: {reason}",)
    assert found["bob"].problem == reason
    assert found["carl"].problem == reason
    assert found["dora"].problem == f"it contains no exercise; not read: {F05}: {reason}"
