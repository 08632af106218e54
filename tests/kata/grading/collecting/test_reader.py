"""What is hostile is read within limits, and a failure of the reader is never a student's."""

import lzma
import os
import signal
import struct
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any, NoReturn

import pytest

from kata.errors import HostError
from kata.grading.collecting import reader
from kata.grading.collecting.reader import Reader, UnreadError
from kata.grading.collecting.students import Notices
from kata.grading.collecting.submissions import Submission, listing, read, reading
from tests.helpers.handed_work import EX05, F01, F05, F07, OTHER, STUB, WORK
from tests.helpers.handing_in import empty_members, read_all, tarred, write, zipped
from tests.helpers.processes import children, command, until
from tests.helpers.sampling import everything

pytest.importorskip("resource", reason="limits need a system with rlimits")
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def vast_dictionary() -> bytes:
    """An xz that asks for 3 GiB of memory before its first byte."""
    content = bytearray(lzma.compress(tarred({F05: WORK}, "w")))
    end = 12 + (content[12] + 1) * 4  # of the block's header
    filters = content.index(b"\x21\x01", 12)  # LZMA2, with one byte of properties
    content[filters + 2] = 39
    content[end - 4 : end] = zlib.crc32(content[12 : end - 4]).to_bytes(4, "little")
    return bytes(content)


def vast_dictionary_in_a_zip() -> bytes:
    """A zip whose LZMA asks for 4 GiB."""
    content = bytearray(zipped({F05: WORK}, zipfile.ZIP_LZMA))
    at = 30 + len(F05) + 4 + 1
    content[at : at + 4] = struct.pack("<L", 0xFFFFFFFF)
    return bytes(content)


def readers() -> list[int]:
    return [process for process in children(os.getpid()) if "collecting.reader" in command(process)]


@contextmanager
def killing() -> Iterator[None]:
    """Kill every reader as soon as there is one."""
    over = Event()

    def kill() -> None:
        while not over.wait(0.01):
            for process in readers():
                os.kill(process, signal.SIGKILL)

    thread = Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_the_process_reads_what_is_read_without_it(tmp_path: Path) -> None:
    """Byte for byte, with all notes, whoever it is about."""
    write(tmp_path, {
        f"alice/{F05}": WORK, f"bob/old/{F05}": OTHER, f"bob/{F05}": STUB,
        "carl.zip": zipped({F01: WORK, f"a/{F07}": OTHER}), "dora.tgz": tarred({F05: WORK})[:50],
        f"emil_LATE_101_9001_{F05}": WORK, os.fsdecode(b"zo\xeb/") + F05: WORK,
        "nothing\n\x1b[2J/x": b"",
    })  # fmt: skip

    assert list(read_all(tmp_path).values()) == [read(student) for student in listing(tmp_path)]


TOO_MUCH = "it needs more than 1024 MiB of memory to be read"
BOMBS = {
    "time": ("tgz", empty_members, "it could not be read in 1 s"),
    "memory": ("tar.xz", vast_dictionary, TOO_MUCH),
    "memory of a zip": ("zip", vast_dictionary_in_a_zip, TOO_MUCH),
}


@pytest.mark.parametrize("case", BOMBS)
def test_an_archive_that_takes_too_much_costs_its_author_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """However many of them there are."""
    suffix, pack, problem = BOMBS[case]
    monkeypatch.setattr(reader, "SECONDS", 1)
    numbers = (9001, 9002) if everything() else (9001,)
    bombs = {f"mallory_LATE_102_{n}_{n}.{suffix}": pack() for n in numbers}
    write(tmp_path, {f"ann/{F05}": WORK, **bombs, f"zoe/{F05}": OTHER})

    ann, mallory, zoe = read_all(tmp_path).values()

    assert mallory.problem == problem
    assert (mallory.id, mallory.notes[0]) == ("102", "handed in late")
    assert (ann.files, zoe.files) == ({EX05: WORK}, {EX05: OTHER})


def test_what_cannot_be_counted_is_no_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether an archive holds the work of a class is asked within the same limits."""
    asked = []

    def ask(_: Reader, work: Path) -> NoReturn:
        asked.append(work.name)
        raise UnreadError

    monkeypatch.setattr(Reader, "ask", ask)
    path = write(tmp_path, {"mallory.tar.gz": b""}) / "mallory.tar.gz"

    (student,) = listing(path)

    assert student.name == "mallory"
    assert asked == ["mallory.tar.gz"]


@linux
def test_the_zip_of_a_class_is_counted_and_unpacked_by_processes(tmp_path: Path) -> None:
    files = {f"doejohn_1_2_{F05}": WORK, f"roeanna_2_3_{F01}": WORK, "../x": b""}
    write(tmp_path / "class", {"submissions.zip": zipped(files)})
    notices = Notices()

    students = listing(tmp_path / "class", notices=notices)

    assert [student.name for student in students] == ["doejohn", "roeanna"]
    assert len(notices.notes) == 1
    assert readers() == []


@linux
def test_a_reader_that_was_killed_is_replaced(tmp_path: Path) -> None:
    write(tmp_path, {f"{name}/{F05}": WORK for name in ("ann", "zoe")})

    with reading() as read_work:
        submissions = []
        for student in listing(tmp_path):
            submissions.append(read_work(student))
            (reader,) = readers()
            assert os.getsid(reader) == reader  # Ctrl-C in a terminal is not for it
            os.kill(reader, signal.SIGKILL)

    assert submissions == [Submission(name, {EX05: WORK}) for name in ("ann", "zoe")]
    assert readers() == []


@linux
def test_ctrl_c_leaves_no_reader() -> None:
    with suppress(KeyboardInterrupt), reading():
        until(readers)
        raise KeyboardInterrupt

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
    monkeypatch.setattr(reader, "CHILD", "kata.nothing")
    with pytest.raises(HostError, match="reads submissions does not start: "):
        read_all(tmp_path)


def meets(monkeypatch: pytest.MonkeyPatch, what: signal.Signals) -> None:
    """Send this to every process that is asked to read mallory's work."""
    answer = Reader._answer

    def signalled(self: Any, student: Any) -> Any:
        if student.name == "mallory":
            os.kill(self._process.pid, what)
        return answer(self, student)

    monkeypatch.setattr(Reader, "_answer", signalled)


def test_a_reader_that_dies_at_one_students_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked three times; then the line says whose failure it is, and the run goes on."""
    meets(monkeypatch, signal.SIGKILL)
    write(tmp_path, {f"mallory/{F05}": WORK, f"zoe/{F05}": OTHER})

    students = read_all(tmp_path)

    assert students["mallory"].problem == (
        "the grader's process that reads submissions was ended 3 times while reading it"
    )
    assert students["zoe"] == Submission("zoe", {EX05: OTHER})


def test_a_reader_that_stands_still_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that does not answer takes no time of the processor."""
    running = []

    class Clock:
        """Stands in for `Timer`: the time for a task is over at once."""

        def __init__(self, seconds: int, over: Callable[[], None]) -> None:
            self.seconds, self.daemon, self.over = seconds, False, over

        def start(self) -> None:
            running.append(self)
            if self.seconds == reader.PATIENCE:
                self.over()

        def cancel(self) -> None:
            running.remove(self)

    monkeypatch.setattr(reader, "Timer", Clock)
    meets(monkeypatch, signal.SIGSTOP)
    write(tmp_path, {f"mallory/{F05}": WORK})

    assert read_all(tmp_path)["mallory"].problem == "it could not be read in 120 s"
    assert running == []


def test_a_fault_of_the_reader_is_told_as_the_graders(tmp_path: Path) -> None:
    reader = Reader(read)
    try:
        with pytest.raises(UnreadError, match=r"the grader itself crashed .*: AttributeError in "):
            reader.ask("no student")
        (student,) = listing(write(tmp_path, {f"ann/{F05}": WORK}))
        assert reader.ask(student) == Submission("ann", {EX05: WORK})
    finally:
        reader.close()
