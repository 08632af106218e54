"""Folders, zips and tars, also in one another, most of them damaged or hostile: none raises."""

import bz2
import gzip
import io
import lzma
import os
import random
import socket
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.course.source import LARGEST
from kata.grading.collecting import contents, entries, places, reader
from kata.grading.collecting.entries import Budget, archived, class_in, with_archives
from kata.grading.collecting.submissions import Submission, listing, read
from tests.helpers.handed_work import (
    EX01,
    EX05,
    F01,
    F05,
    F07,
    LAST,
    MIB,
    NOISE,
    OTHER,
    STUB,
    WORK,
    Files,
)
from tests.helpers.handing_in import (
    by_student,
    check,
    drop_rights,
    encrypted,
    folder_with_permissions,
    from_archive,
    only_student,
    tarred,
    write,
    zipped,
)
from tests.helpers.sampling import everything

METHODS = [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


def test_what_the_limits_are() -> None:
    assert entries.LARGEST_ARCHIVE == 100 * MIB
    assert (entries.LARGEST_UNPACKED, contents.LARGEST_WORK) == (128 * MIB, 64 * MIB)
    assert (entries.LARGEST_EXPORT, entries.LARGEST_CLASS) == (4096 * MIB, 8192 * MIB)
    assert {entries.MOST, contents.MOST, places.MOST} == {5_000}
    assert entries.MOST_FILES == 100_000
    assert entries.Budget() == entries.Budget(archives=10, size=128 * MIB)
    assert reader.MEMORY == 1024 * MIB
    assert (reader.SECONDS, reader.PATIENCE) == (20, 120)


def with_a_false_size() -> bytes:
    content = bytearray(zipped({F05: WORK * 100}))
    struct.pack_into("<I", content, content.find(b"PK\1\2") + 24, 5)
    return bytes(content)


def nested_headers() -> bytes:
    """The library reads them recursively."""
    header = tarfile.TarInfo("x")
    header.type = tarfile.GNUTYPE_LONGNAME
    return header.tobuf() * 5_000


def compressed(method: int) -> bytes:
    """A zip that names this method."""
    content = bytearray(zipped({F05: WORK}))
    for magic, offset in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        struct.pack_into("<H", content, content.find(magic) + offset, method)
    return bytes(content)


RAR, SEVEN = b"Rar!\x1a\7\0" + bytes(99), b"7z\xbc\xaf\x27\x1c" + bytes(99)
TAR, PAGE = tarred({F05: WORK}), b"<!DOCTYPE html><title>Log in</title>" * 100
SOME = {F05: WORK, "noise": NOISE, F01: WORK}
PACKS = {"zip": zipped(SOME), "tgz": tarred(SOME), "tar.xz": tarred(SOME, "w:xz")}
WRONG_SUM = zipped({F05: WORK, F01: OTHER}, zipfile.ZIP_STORED).replace(OTHER, LAST)
DAMAGED = "the archive is damaged: "
UNREADABLE: dict[str, tuple[str, bytes, str]] = {
    **{f"rar as {suffix}": (suffix, RAR, "a rar archive cannot be read; a zip or a tar can")
       for suffix in ("rar", "7z", "zip")},
    **{f"7z as {suffix}": (suffix, SEVEN, "a 7z archive cannot be read; a zip or a tar can")
       for suffix in ("rar", "7z", "zip")},
    "encrypted": ("zip", encrypted(PACKS["zip"]), "the archive is encrypted"),
    **{f"{suffix} cut at {keep}": (suffix, content[:keep], DAMAGED)
       for suffix, content in PACKS.items() for keep in (0, 1, 3, 20, 300, 5_000, -1)},
    "a wrong sum": ("tgz", TAR[:-8] + bytes(4) + TAR[-4:], f"{DAMAGED}CRC check failed"),
    "a wrong sum in a zip": ("zip", WRONG_SUM, f"{DAMAGED}Bad CRC-32 for file '{F01}'"),
    "a false size": ("zip", with_a_false_size(), DAMAGED),
    "a page": ("zip", PAGE, f"{DAMAGED}File is not a zip file"),
    "a page as tar": ("tar", PAGE, DAMAGED), "nested headers": ("tar", nested_headers(), DAMAGED),
    **{name: ("zip", compressed(method),
              f"the zip is compressed with {name}, which cannot be read")
       for method, name in ((9, "deflate64"), (93, "Zstandard"), (77, "77"))},
}  # fmt: skip


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_cannot_be_read_is_told(tmp_path: Path, case: str) -> None:
    suffix, content, problem = UNREADABLE[case]

    submission = from_archive(tmp_path, content, f"alice.{suffix}")

    assert submission.problem.startswith(problem)
    assert (submission.files, submission.notes) == ({}, ())


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, *METHODS])
def test_a_zip_bomb_is_read_only_up_to_the_limit(tmp_path: Path, method: int) -> None:
    content = zipped({"data.bin": bytes(4 * MIB), F05: bytes(4 * MIB)}, method)

    assert len(from_archive(tmp_path, content).files[EX05]) == LARGEST + 1


@pytest.mark.parametrize(
    ("pack", "name"),
    [(gzip.compress, "tar.gz"), (bz2.compress, "tar.bz2"), (lzma.compress, "tar.xz")],
)
@pytest.mark.parametrize("header", [b"", tarred({F05: WORK}, "w")[:1024]])
def test_a_tar_bomb_is_refused(
    tmp_path: Path, pack: Callable[[bytes], bytes], name: str, header: bytes, limits: dict[str, int]
) -> None:
    most = limits["unpacked"]
    member = tarfile.TarInfo("data.bin")
    member.size = 2 * most * MIB
    content = pack(header + member.tobuf() + bytes((most + 1) * MIB))

    submission = from_archive(tmp_path, content, f"alice.{name}")

    assert submission.problem == f"it unpacks to more than {most} MiB"


def lying(files: Files) -> bytes:
    """A zip that says at its end that it holds one file."""
    content = bytearray(zipped(files))
    content[-14:-10] = struct.pack("<HH", 1, 1)
    return bytes(content)


@pytest.mark.parametrize("pack", [zipped, tarred, lying])
@pytest.mark.parametrize("end", ["", "/"])
def test_too_many_files_or_folders_are_refused(
    tmp_path: Path, pack: Callable[[Files], bytes], end: str, limits: dict[str, int]
) -> None:
    most = limits["files"]
    files = {f"{number}{end}": b"" for number in range(most)}
    problem = f"it holds more than {most} files"

    assert from_archive(tmp_path / "1", pack({F05: WORK, **files})).problem == problem
    files.popitem()
    if pack is not lying:
        assert from_archive(tmp_path / "2", pack({F05: WORK, **files})).files == {EX05: WORK}


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("folder", ["venv/lib", ".git/objects", "node_modules", "x/__pycache__"])
def test_files_of_packages_are_not_counted(
    tmp_path: Path, pack: Callable[[Files], bytes], folder: str, limits: dict[str, int]
) -> None:
    files = {f"{folder}/{number}": b"" for number in range(2 * limits["files"])}

    assert from_archive(tmp_path, pack({**files, F05: WORK})).files == {EX05: WORK}


def linked(mode: int) -> bytes:
    """A zip with a file of this mode."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        link = zipfile.ZipInfo(F05)
        link.external_attr = mode << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr(F01, b"")
    return content.getvalue()


def special(kind: bytes) -> bytes:
    """A tar with an entry of this kind."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        member = tarfile.TarInfo(F05)
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
        archive.addfile(tarfile.TarInfo(F01))
    return content.getvalue()


@pytest.mark.parametrize(("content", "reason"), [
    *((content, "a link, which is not followed")
      for content in (linked(0o120777), special(tarfile.SYMTYPE), special(tarfile.LNKTYPE))),
    *((special(kind), "not a plain file") for kind in (tarfile.FIFOTYPE, tarfile.CHRTYPE)),
])  # fmt: skip
def test_links_and_devices_are_not_read(tmp_path: Path, content: bytes, reason: str) -> None:
    told = f"not read: {F05}: {reason}"
    assert from_archive(tmp_path, content) == Submission(
        "alice", {EX01: b""}, (told,), unread={EX05: told}
    )


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tgz", "a.tar.xz", "a.tar.bz2"])
def test_random_damage_never_raises(tmp_path: Path, name: str) -> None:
    """Read here, and not in a process of its own, which would only tell what was raised."""
    suffix = {"tgz": "gz", "xz": "xz", "bz2": "bz2"}.get(name.rpartition(".")[2], "")
    files = {F05: WORK, "noise": NOISE[:500], f"x/{F01}": OTHER}
    good = zipped(files) if name == "a.zip" else tarred(files, f"w:{suffix}")
    (student,) = listing(write(tmp_path / "class", {name: good}))
    dice = random.Random(name)

    for _ in range(1500 if everything() else 120):
        content = bytearray(good)
        for _ in range(dice.randint(1, 4)):
            content[dice.randrange(len(content))] = dice.randrange(256)
        write(tmp_path / "class", {name: bytes(content)})
        submission = read(student)

        assert bool(submission.files) != bool(submission.problem)
        assert class_in(tmp_path / "class" / name) >= 0


# Archives in archives


def test_only_so_much_is_unpacked_of_archives_in_archives() -> None:
    """Of all of them together."""
    stored = zipped({"zeros": bytes(40_000)}, zipfile.ZIP_STORED)
    content = zipped({**{f"{number}.zip": stored for number in range(4)}, F05: WORK})
    budget = Budget(size=4 * len(stored) - 1)

    students = [*with_archives(archived(io.BytesIO(content), "a.zip"), budget)]

    assert [(entry.path, entry.inside, entry.refused) for entry in students] == [
        ("zeros", "0.zip", ""), ("zeros", "1.zip", ""), ("zeros", "2.zip", ""),
        ("3.zip", "", "it unpacks to more than 128 MiB"), (F05, "", ""),
    ]  # fmt: skip


def test_all_files_of_all_archives_are_counted(tmp_path: Path, limits: dict[str, int]) -> None:
    most = limits["files"]
    inner = zipped({f"{number}": b"" for number in range(most // 2)})

    submission = from_archive(tmp_path, zipped({f"{number}.zip": inner for number in range(3)}))

    assert submission.problem == f"it holds more than {most} files"


def around(content: bytes, times: int) -> bytes:
    for number in range(times):
        content = zipped({f"{number}.zip": content})
    return content


def bomb() -> bytes:
    """As of 42.zip: each archive contains sixteen others."""
    content = zipped({"bomb": bytes(1 << 16)})
    for _ in range(6):
        content = zipped({f"{number}.zip": content for number in range(16)})
    return content


TOO_DEEP = "an archive inside more than 3 others is not opened"
INNER = zipped({F05: WORK})
NO_ZIP = "the archive is damaged: File is not a zip file"


@pytest.mark.parametrize(("files", "note"), [
    ({"sub.zip": INNER[:-30]}, f"sub.zip: {NO_ZIP}"), ({"sub.zip": b""}, f"sub.zip: {NO_ZIP}"),
    ({"sub.zip": encrypted(INNER)}, "sub.zip: the archive is encrypted"),
    ({"sub.zip": RAR}, "sub.zip: a rar archive cannot be read; a zip or a tar can"),
    *(({"sub.zip": zipped({name: WORK})}, f"sub.zip/{name}: its path leads out of the archive")
      for name in (f"../{F05}", f"/{F05}", f"C:\\{F05}")),
    ({"../sub.zip": INNER}, "../sub.zip: its path leads out of the archive"),
    ({"a\r\nb.zip": zipped({"c\n\x1b[31m.py": b"x = 1\n", "../\n": WORK})},
     "a\\r\\nb.zip/../\\n: its path leads out of the archive"),
    ({"deep.zip": around(INNER, 3)}, f"deep.zip/2.zip/1.zip/0.zip: {TOO_DEEP}"),
    ({"deep.zip": around(b"", 100)}, f"deep.zip/99.zip/98.zip/97.zip: {TOO_DEEP}"),
    *(({name: INNER}, "") for name in ("__MACOSX/._sub.zip", ".venv/sub.zip", "venv/sub.zip")),
    ({"data.gz": b"no"}, ""),
])  # fmt: skip
def test_a_bad_one_costs_only_itself(tmp_path: Path, files: Files, note: str) -> None:
    """`by_student` checks that every note can be printed as one line."""
    check(from_archive(tmp_path, zipped({**files, F01: OTHER})), {EX01: OTHER},
          *([f"not read: {note}"] if note else []))  # fmt: skip


def test_one_that_never_ends_is_opened_down_to_a_depth(tmp_path: Path) -> None:
    endless = from_archive(tmp_path, zipped({"a.zip": bomb(), F05: WORK}))

    assert endless.files == {EX05: WORK}
    assert "more than 10 archives" in " ".join(endless.notes)


EX02 = "ex02_attention_scores"
LATIN = zipped({f"Ubungen/{F05}": WORK, "Notizen\n\x1b[2J.txt": b""})
DEEP = {f"{'a/' * 5}{F05}": WORK, f"{'a/' * 6}{F01}": WORK}
IN_CLONE = {f"kata/exercises/{F05}": WORK}
READABLE: dict[str, tuple[bytes, Files]] = {
    "names in another encoding": (LATIN.replace(b"Ubungen", b"\xdcbungen"), {EX05: WORK}),
    "too many folders": (zipped(DEEP), {EX05: WORK}),
    "three in one another": (around(INNER, 3), {EX05: WORK}),
    **{f"compression {method}": (
        zipped({F05: WORK, F01: b"", "sub.zip": zipped({f"{EX02}.py": OTHER}, method)}, method),
        {EX01: b"", EX02: OTHER, EX05: WORK}) for method in METHODS},
    **{f"{name} in {outer}": (
        pack({name: (zipped if name.endswith(".zip") else tarred)(IN_CLONE), F01: OTHER}),
        {EX01: OTHER, EX05: WORK})
       for name in ("submission.zip", "submission.tar.gz", "a/b/my work.zip")
       for outer, pack in (("zip", zipped), ("tgz", tarred),
                           ("tar.xz", lambda files: tarred(files, "w:xz")))},
}  # fmt: skip


@pytest.mark.parametrize("case", READABLE)
def test_what_is_read_of_an_archive(tmp_path: Path, case: str) -> None:
    content, files = READABLE[case]

    assert from_archive(tmp_path, content) == Submission("alice", files)


@pytest.mark.parametrize("method", METHODS)
def test_damage_in_another_compression_is_told(tmp_path: Path, method: int) -> None:
    good = zipped({F05: WORK * 50, F01: OTHER}, method)
    for at in range(30 + len(F05), 30 + len(F05) + 40, 3):
        content = bytearray(good)
        content[at] ^= 0x55
        submission = from_archive(tmp_path / str(at), bytes(content))
        assert submission.problem or submission.files[EX05] == WORK * 50


# Folders with links, pipes, missing permissions and archives in them


SECRET = encrypted(zipped({F05: WORK, F07: WORK}))
WHOLE, HALF = tarred({"a.zip": INNER, F05: WORK}), PACKS["tgz"][:3_000]


@pytest.mark.parametrize(("content", "reason"), [
    (SECRET, "the archive is encrypted"), (HALF, DAMAGED),
    (WHOLE[:-8] + bytes(4) + WHOLE[-4:], f"{DAMAGED}CRC"),
], ids=["encrypted", "half", "a wrong sum at its end"])  # fmt: skip
def test_a_bad_archive_in_a_folder_costs_only_itself(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    """Also what was read of it before it turned out to be damaged."""
    files = {"alice/a.tgz": content, f"alice/{F01}": WORK, "bob/a.tgz": content}
    students = by_student(write(tmp_path, files))

    check(students["alice"], {EX01: WORK}, f"not read: a.tgz: {reason}…")
    check(students["bob"], {}, f"it contains no exercise; not read: a.tgz: {reason}…")


def test_too_many_archives_in_a_folder_are_not_read(tmp_path: Path) -> None:
    files = {f"{n:02}.zip": zipped({F05: WORK}) for n in range(12)}

    assert only_student(write(tmp_path / "class" / "alice", files).parent).notes == (
        "not read: 10.zip, 11.zip: more than 10 archives in one hand-in",
    )


def test_files_in_too_many_folders_are_not_read(tmp_path: Path) -> None:
    assert only_student(write(tmp_path / "class" / "alice", DEEP).parent).files == {EX05: WORK}


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere", {F05: b"secret\n", F07: b"secret\n"})
    alice = write(tmp_path / "class", {f"alice/{F01}": WORK}) / "alice"
    (alice / F05).symlink_to(secret / F05)
    (alice / "exercises").symlink_to(secret)
    (tmp_path / "class" / "bob").symlink_to(secret)
    (tmp_path / "class" / "carl.zip").symlink_to(secret / F05)
    (tmp_path / "class" / "dora").symlink_to("nowhere")
    (tmp_path / "class" / "eve").symlink_to("eve")

    students = by_student(tmp_path / "class")

    assert students["alice"] == Submission(
        "alice",
        {EX01: WORK},
        (f"not read: {F05}, exercises: a link, which is not followed",),
        unread={EX05: f"not read: {F05}: a link, which is not followed"},
    )
    for name in ("bob", "carl", "dora", "eve"):
        assert students[name].problem == "a link, which is not followed"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, {f"alice/{F01}": WORK})
    os.mkfifo(tmp_path / "alice" / F05)
    os.mkfifo(tmp_path / "alice" / "more.zip")
    os.mkfifo(tmp_path / "bob.zip")

    students = by_student(tmp_path)

    assert students["alice"].notes == (f"not read: {F05}, more.zip: not a plain file",)
    assert students["bob"].problem == "not a plain file"


def test_what_is_no_plain_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path / "alice", {F01: WORK, f"{F07}/inside": WORK}))
    os.mkfifo(tmp_path / F05)
    with pytest.raises(entries.RefusedError, match="not a plain file"):  # it became a pipe
        entries.opened(tmp_path / F05)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(F05)  # relative: the path of a socket has to be short

        assert only_student(tmp_path / "alice").notes == (f"not read: {F05}: not a plain file",)


def test_folders_and_files_without_permission() -> None:
    with folder_with_permissions() as folder:
        write(folder, {f"alice/{F05}": WORK, f"alice/{F01}": WORK, f"alice/old/{F07}": WORK})
        write(folder, {f"bob/{F05}": WORK, "carl.zip": zipped({F05: WORK}), f"dora/{F05}": WORK})
        for path in (f"alice/{F05}", "carl.zip", f"dora/{F05}", "alice/old", "bob"):
            (folder / path).chmod(0)
        exercises(), len(STUB)  # cached while they can be read
        drop_rights()

        students = by_student(folder)

    reason = "cannot be read: Permission denied"
    assert students["alice"].files == {EX01: WORK}
    assert students["alice"].notes == (f"not read: {F05}, old: {reason}",)
    assert students["bob"].problem == reason
    assert students["carl"].problem == reason
    assert students["dora"].problem == f"it contains no exercise; not read: {F05}: {reason}"
