"""Archives in archives and in other compressions, good and hostile."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kata.course.source import LARGEST
from kata.grading.collecting.entries import Budget, archived, with_archives
from kata.grading.collecting.submissions import HandedIn
from tests.helpers.handed_work import EX01, EX05, F01, F05, OTHER, WORK, Files
from tests.helpers.handing_in import encrypted, from_archive, only_student, tarred, write, zipped

METHODS = [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@pytest.mark.parametrize("pack", [zipped, tarred, lambda files: tarred(files, "w:xz")])
@pytest.mark.parametrize("name", ["submission.zip", "submission.tar.gz", "a/b/my work.zip"])
def test_an_archive_in_an_archive_is_opened(
    tmp_path: Path, name: str, pack: Callable[[Files], bytes]
) -> None:
    inner = (zipped if name.endswith(".zip") else tarred)({f"kata/exercises/{F05}": WORK})

    found = from_archive(tmp_path, pack({name: inner, F01: OTHER}))

    assert found == HandedIn("alice", {EX01: OTHER, EX05: WORK})


def around(content: bytes, times: int) -> bytes:
    for number in range(times):
        content = zipped({f"{number}.zip": content})
    return content


def test_it_is_opened_down_to_a_depth(tmp_path: Path) -> None:
    inner = zipped({F05: WORK})

    assert from_archive(tmp_path / "3", around(inner, 3)) == HandedIn("alice", {EX05: WORK})
    assert from_archive(tmp_path / "4", around(inner, 4)).problem == (
        "it contains no exercise; not read: 3.zip/2.zip/1.zip/0.zip: "
        "an archive inside more than 3 others is not opened"
    )


def test_an_archive_that_never_ends_is_opened_down_to_a_depth(tmp_path: Path) -> None:
    """As of 42.zip: each archive contains sixteen others."""
    content = zipped({"bomb": bytes(1 << 16)})
    for _ in range(6):
        content = zipped({f"{number}.zip": content for number in range(16)})

    found = from_archive(tmp_path, zipped({"a.zip": content, F05: WORK}))

    assert found.files == {EX05: WORK}
    assert "more than 10 archives" in " ".join(found.notes)


def test_only_so_much_is_unpacked_of_archives_in_archives() -> None:
    """Of all of them together."""
    stored = zipped({"zeros": bytes(40_000)}, zipfile.ZIP_STORED)
    content = zipped({**{f"{number}.zip": stored for number in range(4)}, F05: WORK})
    budget = Budget(size=4 * len(stored) - 1)

    found = [*with_archives(archived(io.BytesIO(content), "a.zip"), budget)]

    assert [(entry.path, entry.inside, entry.refused) for entry in found] == [
        ("zeros", "0.zip", ""), ("zeros", "1.zip", ""), ("zeros", "2.zip", ""),
        ("3.zip", "", "it unpacks to more than 128 MiB"), (F05, "", ""),
    ]  # fmt: skip


def test_all_files_of_all_archives_are_counted(tmp_path: Path, limits: dict[str, int]) -> None:
    most = limits["files"]
    inner = zipped({f"{number}": b"" for number in range(most // 2)})

    found = from_archive(tmp_path, zipped({f"{number}.zip": inner for number in range(3)}))

    assert found.problem == f"it holds more than {most} files"


@pytest.mark.parametrize(("inner", "reason"), [
    (zipped({F05: WORK})[:-30], "the archive is damaged: File is not a zip file"),
    (encrypted(zipped({F05: WORK})), "the archive is encrypted"),
    (b"Rar!\x1a\7\0" + bytes(99), "a rar archive cannot be read; a zip or a tar can"),
    (b"", "the archive is damaged: File is not a zip file"),
])  # fmt: skip
def test_a_bad_one_costs_only_itself(tmp_path: Path, inner: bytes, reason: str) -> None:
    found = from_archive(tmp_path, zipped({"sub.zip": inner, F01: OTHER}))

    assert found == HandedIn("alice", {EX01: OTHER}, (f"not read: sub.zip: {reason}",))


def test_nothing_counts_of_one_that_is_damaged_later(tmp_path: Path) -> None:
    """Also in a folder, where the archive around it turns out to be damaged at its end."""
    content = tarred({"sub.zip": zipped({F05: WORK}), "noise": bytes(5_000)})
    damaged = content[:-8] + bytes(4) + content[-4:]
    write(tmp_path, {"class/alice/work.tgz": damaged, f"class/alice/{F01}": OTHER})

    found = only_student(tmp_path / "class")
    assert found.files == {EX01: OTHER}
    assert found.notes[0].startswith("not read: work.tgz: the archive is damaged: CRC")


@pytest.mark.parametrize("name", [f"../{F05}", f"/{F05}", f"C:\\{F05}"])
def test_paths_do_not_lead_out_of_it(tmp_path: Path, name: str) -> None:
    found = from_archive(tmp_path, zipped({"sub.zip": zipped({name: WORK}), F01: OTHER}))

    assert found.files == {EX01: OTHER}
    assert found.notes == (f"not read: sub.zip/{name}: its path leads out of the archive",)


def test_an_archive_whose_own_path_leads_out_is_not_opened(tmp_path: Path) -> None:
    found = from_archive(tmp_path, zipped({"../sub.zip": zipped({F05: WORK}), F01: OTHER}))

    assert found.files == {EX01: OTHER}
    assert found.notes == ("not read: ../sub.zip: its path leads out of the archive",)


@pytest.mark.parametrize("name", ["__MACOSX/._sub.zip", ".venv/sub.zip", "venv/sub.zip"])
def test_those_of_tools_are_not_opened(tmp_path: Path, name: str) -> None:
    found = from_archive(tmp_path, zipped({name: zipped({F05: WORK}), F01: OTHER}))

    assert found == HandedIn("alice", {EX01: OTHER})


def test_a_single_compressed_file_is_no_archive(tmp_path: Path) -> None:
    assert from_archive(tmp_path, zipped({"data.gz": b"no", F01: OTHER})) == HandedIn(
        "alice", {EX01: OTHER}
    )


def test_the_later_upload_in_a_zip_counts(tmp_path: Path) -> None:
    first, second = zipped({F05: WORK}), zipped({F05: OTHER})
    found = from_archive(tmp_path, zipped({"hw-1.zip": second, "hw.zip": first}))

    assert found.files == {EX05: OTHER}
    assert found.notes == (
        f"{F05} was found more than once: hw-1.zip/{F05} counts, not hw.zip/{F05}",
    )


# Other compressions


@pytest.mark.parametrize("method", METHODS)
def test_bzip2_and_lzma_are_read(tmp_path: Path, method: int) -> None:
    files = {F05: WORK, F01: b"", "sub.zip": zipped({"ex02_attention_scores.py": OTHER}, method)}

    assert from_archive(tmp_path, zipped(files, method)).files == {
        EX01: b"", "ex02_attention_scores": OTHER, EX05: WORK}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_a_bomb_in_another_compression_is_read_only_up_to_the_limit(
    tmp_path: Path, method: int
) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive, archive.open(F05, "w") as member:
        member.write(bytes(4 << 20))

    assert len(from_archive(tmp_path, content.getvalue()).files[EX05]) == LARGEST + 1


@pytest.mark.parametrize(("method", "name"), [(9, "deflate64"), (93, "Zstandard"), (77, "77")])
def test_what_cannot_be_unpacked_is_named(tmp_path: Path, method: int, name: str) -> None:
    content = bytearray(zipped({F05: WORK}))
    for magic, offset in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        struct.pack_into("<H", content, content.find(magic) + offset, method)

    assert from_archive(tmp_path, bytes(content)).problem.startswith(
        f"the zip is compressed with {name}, which cannot be read"
    )


@pytest.mark.parametrize("method", METHODS)
def test_damage_in_another_compression_is_told(tmp_path: Path, method: int) -> None:
    good = zipped({F05: WORK * 50, F01: OTHER}, method)
    for at in range(30 + len(F05), 30 + len(F05) + 40, 3):
        content = bytearray(good)
        content[at] ^= 0x55
        found = from_archive(tmp_path / str(at), bytes(content))
        assert found.problem or found.files[EX05] == WORK * 50


def test_a_hundred_archives_around_one_are_opened_down_to_a_depth(tmp_path: Path) -> None:
    found = from_archive(tmp_path, zipped({"deep.zip": around(b"", 100), F01: OTHER}))

    assert found.files == {EX01: OTHER}
    assert found.notes == ("not read: deep.zip/99.zip/98.zip/97.zip: "
                           "an archive inside more than 3 others is not opened",)  # fmt: skip


def test_names_with_line_breaks_stay_in_their_line(tmp_path: Path) -> None:
    """`by_student` checks that every note can be printed as one line."""
    inner = zipped({"c\n\x1b[31m.py": b"x = 1\n", f"../\n{F05}": WORK})
    found = from_archive(tmp_path, zipped({"a\r\nb.zip": inner, F01: OTHER}))

    assert found.files == {EX01: OTHER}
    assert "a\\r\\nb.zip/../\\n" in found.notes[0]
