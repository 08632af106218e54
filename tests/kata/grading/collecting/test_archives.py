"""Zips and tars, most of them damaged or hostile: none raises, and none is unpacked."""

import bz2
import gzip
import io
import lzma
import random
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kata.course.source import LARGEST
from kata.grading.collecting import class_zip, entries, places, reader, search
from kata.grading.collecting.class_zip import class_in
from kata.grading.collecting.submissions import HandedIn, listing, read
from tests.helpers.handed_work import EX01, EX05, F01, F05, LAST, MIB, NOISE, OTHER, WORK, Files
from tests.helpers.handing_in import by_student, encrypted, from_archive, tarred, write, zipped
from tests.helpers.sampling import everything


def zeros(path: Path, size: int) -> None:
    """A file of zeros that takes no room on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)


@pytest.mark.parametrize("name", ["a.rar", "a.7z", "a.zip"])
@pytest.mark.parametrize(
    ("magic", "kind"), [(b"Rar!\x1a\7\0", "rar"), (b"7z\xbc\xaf\x27\x1c", "7z")]
)
def test_rar_and_7z_are_refused_by_name(tmp_path: Path, name: str, magic: bytes, kind: str) -> None:
    found = by_student(write(tmp_path, {name: magic + bytes(99), f"bob/{F01}": WORK}))

    assert found["a"].problem == f"a {kind} archive cannot be read; a zip or a tar can"


def test_what_the_limits_are() -> None:
    assert (entries.LARGEST_ARCHIVE, class_zip.LARGEST_ARCHIVE) == (100 * MIB, 100 * MIB)
    assert (entries.LARGEST_UNPACKED, search.LARGEST_WORK) == (128 * MIB, 64 * MIB)
    assert (class_zip.LARGEST_EXPORT, class_zip.LARGEST_CLASS) == (4096 * MIB, 8192 * MIB)
    assert {entries.MOST, search.MOST, class_zip.MOST, places.MOST} == {5_000}
    assert class_zip.MOST_FILES == 100_000
    assert entries.Budget() == entries.Budget(archives=10, size=128 * MIB)
    assert entries.MEMORY == 1024 * MIB
    assert (reader.SECONDS, reader.PATIENCE) == (20, 120)


def test_a_zip_bomb_is_read_only_up_to_the_limit(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in ("data.bin", F05):
            archive.writestr(name, bytes(4 * MIB))

    assert len(from_archive(tmp_path, content.getvalue()).files[EX05]) == LARGEST + 1


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

    found = from_archive(tmp_path, content, f"alice.{name}")

    assert found.problem == f"it unpacks to more than {most} MiB"


def test_an_archive_that_is_too_large_is_refused(tmp_path: Path) -> None:
    zeros(tmp_path / "alice.zip", 101 * MIB)
    write(tmp_path, {f"bob/{F01}": WORK})

    assert by_student(tmp_path)["alice"].problem == "the archive is larger than 100 MiB"


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


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    content = encrypted(zipped({F05: WORK, F01: WORK}))

    assert from_archive(tmp_path, content).problem == "the archive is encrypted"


@pytest.mark.parametrize(
    ("pack", "name"), [(zipped, "zip"), (tarred, "tgz"), (lambda f: tarred(f, "w:xz"), "tar.xz")]
)
def test_a_truncated_archive_is_damaged(
    tmp_path: Path, pack: Callable[[Files], bytes], name: str
) -> None:
    content = pack({F05: WORK, "noise": NOISE, F01: WORK})
    for keep in (0, 1, 3, 20, 300, 5_000, -1):
        found = from_archive(tmp_path, content[:keep], f"alice.{name}")

        assert found.problem.startswith("the archive is damaged: "), keep
        assert found.notes == (), keep


def with_a_false_size() -> bytes:
    content = zipped({F05: WORK * 100})
    at = content.find(b"PK\1\2") + 24
    return content[:at] + struct.pack("<I", 5) + content[at + 4 :]


def nested_headers() -> bytes:
    """The library reads them recursively."""
    header = tarfile.TarInfo("x")
    header.type = tarfile.GNUTYPE_LONGNAME
    return header.tobuf() * 5_000


def test_what_contradicts_itself_or_is_no_archive_is_damaged(tmp_path: Path) -> None:
    tar, page = tarred({F05: WORK}), b"<!DOCTYPE html><title>Log in</title>" * 100
    wrong_sum = zipped({F05: WORK, F01: OTHER}, zipfile.ZIP_STORED).replace(OTHER, LAST)
    for at, (name, content, reason) in enumerate([
        ("alice.tgz", tar[:-8] + bytes(4) + tar[-4:], "CRC check failed"),
        ("alice.zip", wrong_sum, f"Bad CRC-32 for file '{F01}'"),
        ("alice.zip", with_a_false_size(), ""), ("alice.zip", page, "File is not a zip file"),
        ("alice.tar", page, ""), ("alice.tar", nested_headers(), ""),
    ]):  # fmt: skip
        problem = from_archive(tmp_path / str(at), content, name).problem
        assert problem.startswith(f"the archive is damaged: {reason}"), (at, problem)


def test_a_link_in_a_zip_is_not_followed(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        link = zipfile.ZipInfo(F05)
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr(F01, WORK)

    reason = f"not read: {F05}: a link, which is not followed"
    assert from_archive(tmp_path, content.getvalue()) == HandedIn(
        "alice", {EX01: WORK}, (reason,), unread={EX05: reason}
    )


@pytest.mark.parametrize(("kind", "reason"), [
    (tarfile.SYMTYPE, "a link, which is not followed"),
    (tarfile.LNKTYPE, "a link, which is not followed"), (tarfile.FIFOTYPE, "not a plain file"),
    (tarfile.CHRTYPE, "not a plain file"),
])  # fmt: skip
def test_links_and_devices_in_a_tar_are_not_read(tmp_path: Path, kind: bytes, reason: str) -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        member = tarfile.TarInfo(F05)
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
        archive.addfile(tarfile.TarInfo(F01))

    told = f"not read: {F05}: {reason}"
    assert from_archive(tmp_path, content.getvalue(), "alice.tar") == HandedIn(
        "alice", {EX01: b""}, (told,), unread={EX05: told}
    )


def test_names_in_a_zip_may_have_another_encoding(tmp_path: Path) -> None:
    latin = zipped({f"Ubungen/{F05}": WORK, "Notizen\n\x1b[2J.txt": b""})
    content = latin.replace(b"Ubungen", b"\xdcbungen")

    assert from_archive(tmp_path, content) == HandedIn("alice", {EX05: WORK})


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
        found = read(student)

        assert bool(found.files) != bool(found.problem)
        assert class_in(tmp_path / "class" / name) >= 0
