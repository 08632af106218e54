"""Archives that really take long, or much memory, and Ctrl-C while one is read."""

import gzip
import io
import lzma
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT
from kata.grading.collecting import reader
from kata.grading.collecting.submissions import listing
from tests.helpers.handed_work import EX01, EX05, EX07, F01, F05, F07, MIB, OTHER, WORK
from tests.helpers.handing_in import empty_members, read_all, write
from tests.helpers.processes import children, command, has_open, until

DIGITS = 1_000_000


def header(name: bytes, size: int, kind: bytes) -> bytes:
    member = tarfile.TarInfo(name.decode())
    member.size, member.type = size, kind
    return member.tobuf(tarfile.USTAR_FORMAT)


def endless_number() -> bytes:
    """CVE-2024-6232: a header of digits, which some versions of Python search again and again."""
    content = header(b"pax", DIGITS, tarfile.XHDTYPE) + b"1" * DIGITS + bytes(-DIGITS % 512)
    return gzip.compress(content + header(F05.encode(), 0, tarfile.REGTYPE) + bytes(1024))


def test_a_number_that_takes_long_to_read_costs_its_author_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "SECONDS", 1)
    write(tmp_path, {"mallory.tgz": endless_number(), f"zoe/{F05}": OTHER})

    found = read_all(tmp_path)

    repaired = "the archive is damaged: "
    assert found["mallory"].problem.startswith(("it could not be read in 1 s", repaired))
    assert found["zoe"].files == {EX05: OTHER}


def test_such_an_archive_alone_is_no_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "SECONDS", 1)
    path = write(tmp_path, {"mallory.tar.gz": empty_members()}) / "mallory.tar.gz"

    assert [student.name for student in listing(path)] == ["mallory"]


def test_honest_archives_need_far_less(tmp_path: Path) -> None:
    """A large one, in the way that takes most memory to unpack."""
    files = {"large.bin": bytes(60 * MIB), F01: WORK, F07: OTHER}
    content = io.BytesIO()
    lzma2 = {"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 64 * MIB}
    with (lzma.open(content, "w", filters=[lzma2]) as packed,
          tarfile.open(fileobj=packed, mode="w:") as archive):  # fmt: skip
        for name, each in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(each)
            archive.addfile(member, io.BytesIO(each))
    write(tmp_path, {"ann.tar.xz": content.getvalue(), f"zoe/{F05}": OTHER})

    assert read_all(tmp_path)["ann"].files == {EX01: WORK, EX07: OTHER}


def test_ctrl_c_ends_it_in_the_middle_of_an_archive(tmp_path: Path) -> None:
    """As a terminal sends it: to the grader, and to everything that it has started."""
    write(tmp_path / "class", {"mallory.tar.gz": empty_members(), f"zoe/{F05}": OTHER})
    command_line = [sys.executable, str(ROOT / "grader.py"), "class", "--trusted"]
    grader = subprocess.Popen(command_line, cwd=tmp_path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True)  # fmt: skip
    busy: list[int] = []

    def reads() -> bool:
        busy[:] = [each for each in children(grader.pid) if has_open(each, ".tar.gz")]
        return bool(busy) or grader.poll() is not None

    until(reads)

    os.killpg(grader.pid, signal.SIGINT)
    out, error = grader.communicate(timeout=100)

    assert grader.returncode == 130, error
    assert "interrupted; what was graded is in grades" in error
    assert "Traceback" not in out + error
    assert not command(busy[0])
