"""What is hostile is read within limits, and a failure of the reader is never a student's."""

import gzip
import io
import lzma
import os
import signal
import subprocess
import sys
import tarfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from kata.course.curriculum import ROOT
from kata.errors import HostError
from kata.grading.collecting import bounded
from kata.grading.collecting.bounded import Reader, UnreadError
from kata.grading.collecting.submissions import HandedIn, listing, read, reading
from tests.helpers.handing_in import (
    EX01,
    EX05,
    EX07,
    F01,
    F05,
    F07,
    MIB,
    OTHER,
    STUB,
    WORK,
    tarred,
    write,
    zipped,
)
from tests.helpers.processes import children, command

pytest.importorskip("resource", reason="limits need a system with rlimits")
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

DIGITS = 1_000_000


def header(name: bytes, size: int, kind: bytes) -> bytes:
    member = tarfile.TarInfo(name.decode())
    member.size, member.type = size, kind
    return member.tobuf(tarfile.USTAR_FORMAT)


def endless_number() -> bytes:
    """CVE-2024-6232: a header of digits, which some versions of Python search again and again."""
    content = header(b"pax", DIGITS, tarfile.XHDTYPE) + b"1" * DIGITS + bytes(-DIGITS % 512)
    return gzip.compress(content + header(F05.encode(), 0, tarfile.REGTYPE) + bytes(1024))


def empty_members() -> bytes:
    """Twenty bytes each, of which nothing comes out."""
    return gzip.compress(b"", 1) * (40 * MIB // 20)


def vast_dictionary() -> bytes:
    """An xz that asks for 3 GiB of memory before its first byte."""
    content = bytearray(lzma.compress(tarred({F05: WORK}, "w")))
    end = 12 + (content[12] + 1) * 4  # of the block's header
    filters = content.index(b"\x21\x01", 12)  # LZMA2, with one byte of properties
    content[filters + 2] = 39
    content[end - 4 : end] = zlib.crc32(content[12 : end - 4]).to_bytes(4, "little")
    return bytes(content)


def read_all(folder: Path) -> dict[str, HandedIn]:
    with reading() as each:
        return {student.name: each(student) for student in listing(folder)}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "SECONDS", 1)


def readers() -> list[int]:
    return [each for each in children(os.getpid()) if "reading_process" in command(each)]


@contextmanager
def killing() -> Iterator[None]:
    """Kill every reader as soon as there is one."""
    over = Event()

    def kill() -> None:
        while not over.wait(0.01):
            for each in readers():
                os.kill(each, signal.SIGKILL)

    thread = Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_the_process_reads_what_is_read_without_it(tmp_path: Path) -> None:
    """Byte for byte, with all notes, whoever it is about."""
    write(
        tmp_path,
        {
            f"alice/{F05}": WORK,
            f"bob/old/{F05}": OTHER,
            f"bob/{F05}": STUB,
            "carl.zip": zipped({F01: WORK, f"a/{F07}": OTHER}),
            "dora.tgz": tarred({F05: WORK})[:50],
            f"emil_LATE_101_9001_{F05}": WORK,
            os.fsdecode(b"zo\xeb/") + F05: WORK,
            "nothing\n\x1b[2J/x": b"",
        },
    )

    assert list(read_all(tmp_path).values()) == [read(each) for each in listing(tmp_path)]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("attack", [endless_number, empty_members])
def test_an_archive_that_takes_long_costs_its_author_only(
    tmp_path: Path, attack: Callable[[], bytes]
) -> None:
    """However many of them there are."""
    bombs = {f"mallory_LATE_102_{n}_{n}.tgz": attack() for n in (9001, 9002, 9003)}
    write(tmp_path, {f"ann/{F05}": WORK, **bombs, f"zoe/{F05}": OTHER})

    found = read_all(tmp_path)

    repaired = "the archive is damaged: " if attack is endless_number else "-"
    assert found["mallory"].problem.startswith(("it could not be read in 1 s", repaired))
    assert (found["mallory"].id, found["mallory"].notes[0]) == ("102", "handed in late")
    assert found["ann"].files == {EX05: WORK}
    assert found["zoe"].files == {EX05: OTHER}


@pytest.mark.usefixtures("impatient")
def test_such_an_archive_alone_is_no_class(tmp_path: Path) -> None:
    """Whether it holds the work of a class is asked within the same limits."""
    path = write(tmp_path, {"mallory.tar.gz": empty_members()}) / "mallory.tar.gz"

    (student,) = listing(path)

    assert student.name == "mallory"


def test_an_archive_that_takes_memory_costs_its_author_only(tmp_path: Path) -> None:
    write(tmp_path, {"mallory.tar.xz": vast_dictionary(), f"zoe/{F05}": OTHER})

    found = read_all(tmp_path)

    assert found["mallory"].problem == "it needs more than 1024 MiB of memory to be read"
    assert found["zoe"].files == {EX05: OTHER}


def test_honest_archives_need_far_less(tmp_path: Path) -> None:
    """A large one, in the way that takes most memory to unpack."""
    files = {"large.bin": bytes(60 * MIB), F01: WORK, F07: OTHER}
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:xz", preset=9) as archive:
        for name, each in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(each)
            archive.addfile(member, io.BytesIO(each))
    write(tmp_path, {"ann.tar.xz": content.getvalue(), f"zoe/{F05}": OTHER})

    assert read_all(tmp_path)["ann"].files == {EX01: WORK, EX07: OTHER}


@linux
def test_a_reader_that_was_killed_is_replaced(tmp_path: Path) -> None:
    write(tmp_path, {f"{name}/{F05}": WORK for name in ("ann", "bob", "zoe")})

    with reading() as each:
        found = []
        for student in listing(tmp_path):
            found.append(each(student))
            (reader,) = readers()
            os.kill(reader, signal.SIGKILL)

    assert found == [HandedIn(name, {EX05: WORK}) for name in ("ann", "bob", "zoe")]
    assert readers() == []


@linux
def test_a_reader_that_never_lives_is_the_graders_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody gets a verdict from it, not even one that says that nothing could be read."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    write(tmp_path, {f"ann/{F05}": WORK})

    with killing(), pytest.raises(HostError, match="reads submissions does not start: "):
        read_all(tmp_path)
    monkeypatch.setattr(bounded, "CHILD", "kata.nothing")
    with pytest.raises(HostError, match="reads submissions does not start: "):
        read_all(tmp_path)


@linux
def test_a_reader_that_dies_at_one_students_work(tmp_path: Path) -> None:
    """It is asked three times; then the line says whose failure it is, and the run goes on."""
    write(tmp_path, {"mallory.tar.gz": empty_members(), f"zoe/{F05}": OTHER})

    with reading() as each:
        mallory, zoe = listing(tmp_path)
        with while_busy(lambda process: os.kill(process, signal.SIGKILL)):
            found = each(mallory)

        assert found.problem == (
            "the grader's process that reads submissions was ended 3 times while reading it"
        )
        assert each(zoe) == HandedIn("zoe", {EX05: OTHER})


@linux
def test_a_reader_that_stands_still_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that does not answer takes no time of the processor."""
    monkeypatch.setattr(bounded, "PATIENCE", 2)
    write(tmp_path, {"mallory.tar.gz": empty_members(), f"zoe/{F05}": OTHER})

    with reading() as each:
        mallory, zoe = listing(tmp_path)
        with while_busy(lambda process: os.kill(process, signal.SIGSTOP)):
            assert each(mallory).problem == "it could not be read in 2 s"
        assert each(zoe) == HandedIn("zoe", {EX05: OTHER})


@contextmanager
def while_busy(act: Callable[[int], None]) -> Iterator[None]:
    """Do this to every reader, once it has computed for a while: then it has a task."""
    over, met = Event(), set[int]()

    def watch() -> None:
        while not over.wait(0.01):
            for each in {*readers()} - met:
                if busy(each):
                    met.add(each)
                    act(each)

    thread = Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def busy(process: int) -> bool:
    """Whether it has the archive open."""
    try:
        links = [each.readlink() for each in Path(f"/proc/{process}/fd").iterdir()]
    except OSError:
        return False
    return any(each.name.endswith(".tar.gz") for each in links)


def test_a_fault_of_the_reader_is_told_as_the_graders(tmp_path: Path) -> None:
    reader = Reader()
    try:
        with pytest.raises(UnreadError, match=r"the grader itself crashed .*: AttributeError in "):
            reader.ask("read", "no student")
        (student,) = listing(write(tmp_path, {f"ann/{F05}": WORK}))
        assert reader.ask("read", student) == HandedIn("ann", {EX05: WORK})
    finally:
        reader.close()


@linux
def test_ctrl_c_ends_it_in_the_middle_of_an_archive(tmp_path: Path) -> None:
    """As a terminal sends it: to the grader, and to everything that it has started."""
    write(tmp_path / "class", {"mallory.tar.gz": empty_members(), f"zoe/{F05}": OTHER})
    command_line = [sys.executable, str(ROOT / "grader.py"), "class", "--trusted"]
    grader = subprocess.Popen(command_line, cwd=tmp_path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True)  # fmt: skip
    reader = until_busy(grader)

    os.killpg(grader.pid, signal.SIGINT)
    out, error = grader.communicate(timeout=100)

    assert grader.returncode == 130, error
    assert "interrupted; what was graded is in grades" in error
    assert "Traceback" not in out + error
    assert not command(reader)


def until_busy(grader: "subprocess.Popen[str]") -> int:
    while grader.poll() is None:
        for each in children(grader.pid):
            if busy(each):
                return each
        time.sleep(0.02)
    raise AssertionError(grader.communicate())
