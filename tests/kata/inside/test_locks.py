"""What a locked process cannot do, and what it still can: real processes try it."""

import ctypes
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from contextlib import suppress
from errno import ENOSYS, ENOTTY, EPERM
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kata.course.curriculum import ROOT
from kata.grading.sandbox import channel, sandbox
from kata.inside import locks
from kata.inside.locks import MACHINES, REFUSED, WEIGHED, Locks, numbers, program_for

LOCKED = ROOT / "tests" / "helpers" / "locked.py"
HEADERS = {"x86_64": ("x86_64-linux-gnu/asm/unistd_64.h", "asm/unistd_64.h"),
           "aarch64": ("aarch64-linux-gnu/asm/unistd_64.h", "asm-generic/unistd.h")}  # fmt: skip
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x50000
Found = dict[str, Any]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """What came of everything that `locked.py` tries, without bubblewrap and without torch."""
    return outcomes(tmp_path_factory.mktemp("readable"))


def outcomes(folder: Path, *words: str) -> Found:
    if not locks.landlock_version() or os.uname().machine not in MACHINES:
        pytest.skip("some of the locks are not there")
    own = folder / "own.txt"
    own.write_text("x")
    command = [sys.executable, "-B", LOCKED, *words, own, *sandbox.python_folders()]
    done = subprocess.run(command, env=sandbox.environment(), stdout=subprocess.PIPE, check=True)
    result: Found = json.loads(done.stdout)
    assert tuple(result["parts"]) == locks.PARTS
    assert own.read_text() == "x"
    return result


def done(outcomes: dict[str, str]) -> set[str]:
    return {name for name, outcome in outcomes.items() if outcome == "done"}


def test_nothing_forbidden_works(found: Found) -> None:
    assert done(found["attempts"]) == set()


def test_it_is_the_locks_that_refuse(found: Found) -> None:
    errors = {name: error for name, error in found["attempts"].items() if error != "EPERM"}

    assert errors == {
        "read /etc/passwd": "EACCES", "read a solution": "EACCES", "list /": "EACCES",
        "list the repository": "EACCES", "read its own memory as a file": "EACCES",
        "open the parent's memory": "EACCES", "read the parent's environment": "EACCES",
        "type into the terminal": "ENOTTY", "raise a limit": "ValueError",
        "raise the limit of threads": "ValueError", "read /usr/share": "EACCES",
        "list the processes": "EACCES", "read the first process": "EACCES",
        "open many files": "EMFILE", "bytearray of 3 GiB": "MemoryError",
    }  # fmt: skip


def test_everything_needed_still_works(found: Found) -> None:
    assert set(found["abilities"].values()) == {"done"}
    assert len(found["abilities"]) == 8


def test_every_refused_call_is_refused(found: Found) -> None:
    assert set(found["calls"].values()) == {"EPERM"}


def test_only_the_kept_descriptors_stay(found: Found) -> None:
    *standard, socket = found["descriptors"]

    assert standard == [0, 1, 2]
    assert socket > 2


def test_time_to_compute_runs_out(found: Found) -> None:
    assert found["a loop"] == f"status {signal.SIGXCPU}"


def test_threads_run_out(found: Found) -> None:
    fewest, most = locks.SPARE_TASKS
    alone = os.getuid() == 0  # with a number that nobody else has

    for kind in ("threads", "tiny threads"):
        # What has ended may still be counted when it is measured how many run.
        assert fewest - 2 <= found[kind] <= (2 * fewest if alone else most)


def test_every_thread_stays_on_one_core(found: Found) -> None:
    assert found["shares"] == [[int(found["core"])]] * 3


def test_the_workers_of_the_next_judge_stay_on_another_core(found: Found) -> None:
    cores = sorted(os.sched_getaffinity(0))
    after = cores[(cores.index(int(found["core"])) + 1) % len(cores)]

    assert found["shares of the next"] == [[after]] * 3


def test_root_becomes_a_user_that_nobody_else_is(found: Found) -> None:
    first, count = locks.UNUSED
    unused = range(first, first + count)

    for each in ("user", "another user"):
        assert found[each] in (unused if os.getuid() == 0 else [os.getuid()])
    assert (found["user"] != found["another user"]) == (os.getuid() == 0)


def test_a_crowd_takes_no_thread_away(found: Found) -> None:
    parts, threads = found["in a crowd"]
    fewest, most = locks.SPARE_TASKS

    assert parts == list(locks.PARTS)
    assert fewest < threads <= most + fewest  # some of the crowd may have ended meanwhile


def test_a_worker_that_cannot_be_locked_in_ends_as_no_submission_can_end_it(tmp_path: Path) -> None:
    worker = import_module("kata.inside.worker")  # which imports torch
    said = tmp_path / "said"
    process = os.fork()
    if process == 0:
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT), 2)
        sys.stderr = sys.__stderr__
        worker._lock_in(lambda: 1 / 0)
        os._exit(0)

    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
    assert signal.strsignal(signal.SIGKILL) in channel.BY_OTHERS
    assert "ZeroDivisionError" in said.read_text()


def test_another_thread_would_stay_free_and_is_an_error(found: Found) -> None:
    assert found["a thread"] == f"status {1 << 8}"


def lives(process: int) -> bool:
    """What has ended may still be listed, as Z, until somebody asks how."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_locked_process_ends_with_its_parent(found: Found) -> None:
    end = time.monotonic() + 10
    while lives(found["survivor"]) and time.monotonic() < end:
        time.sleep(0.01)

    assert not lives(found["survivor"])


def test_seccomp_makes_up_for_an_old_landlock(found: Found) -> None:
    assert done(found["old Landlock"]) == set()


def test_without_landlock_files_can_be_read_and_no_more(found: Found) -> None:
    extra = done(found["seccomp alone"])

    assert {"read /etc/passwd", "read a solution"} <= extra
    assert all(name.startswith(("read", "list", "open the parent's")) for name in extra)


def test_without_seccomp_landlock_holds_files(found: Found) -> None:
    assert done(found["Landlock alone"]) <= {"kill the parent"}


def test_a_new_landlock_holds_signals_and_tcp(found: Found) -> None:
    if locks.landlock_version() < 6:
        pytest.skip("Landlock 6 is the first to know of both")

    assert found["Landlock alone"]["kill the parent"] == "EPERM"
    assert found["Landlock alone"]["connect with TCP"] == "EACCES"


def test_other_systems_have_no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    assert Locks([], 1 << 30).parts == ()
    assert locks.landlock_version() == 0


def test_a_machine_that_is_not_known_has_no_program() -> None:
    assert program_for("riscv64") == b""


def decide(machine: str, call: str | int, *arguments: int, called: str = "") -> int:
    """What the program for a machine says to a call, as the kernel would run it."""
    column = MACHINES[machine][1]
    known = {name: number for table in (*REFUSED.values(), WEIGHED, "read 0 63")
             for name, number in numbers(table, column).items()}  # fmt: skip
    number = call if isinstance(call, int) else known[call]
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, MACHINES[called or machine][0], 0, *padded)
    lines = list(struct.iter_unpack("HBBI", program_for(machine)))
    at, loaded = 0, 0
    while True:
        code, true, false, value = lines[at]
        if code == locks.RETURN:
            return int(value)
        if code == locks.LOAD:
            (loaded,) = struct.unpack_from("<I", data, value)
        holds = {locks.LOAD: True, locks.EQUAL: loaded == value, locks.ABOVE: loaded > value,
                 locks.FROM: loaded >= value, locks.ANY_BIT: bool(loaded & value)}  # fmt: skip
        at += 1 + (true if holds[code] else false)


@pytest.mark.parametrize("machine", MACHINES)
def test_what_the_program_decides(machine: str) -> None:
    column = MACHINES[machine][1]
    refused = [name for table in REFUSED.values() for name in numbers(table, column)]
    no = ERROR | EPERM
    pointer = 0x7F00 << 32  # nothing in its lower half

    assert {decide(machine, name) for name in refused} == {no}
    assert decide(machine, "read", 3) == ALLOW
    assert decide(machine, "clone", 0x3D0F00) == ALLOW  # as a thread is made
    assert decide(machine, "clone", 0x1200011) == no  # as a process is
    assert decide(machine, "clone3") == decide(machine, "openat2") == ERROR | ENOSYS
    assert decide(machine, "openat", 0, pointer, os.O_RDONLY) == ALLOW
    assert {decide(machine, "openat", 0, pointer, flags)
            for flags in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC)} == {no}  # fmt: skip
    assert decide(machine, "prlimit64", 0, 9, 0, pointer) == ALLOW
    assert decide(machine, "prlimit64", 0, 9, pointer) == no
    assert decide(machine, "fcntl", 3, 3) == ALLOW
    assert decide(machine, "fcntl", 3, 8, 1) == no
    assert decide(machine, "ioctl", 0, 0x5401) == ALLOW
    assert decide(machine, "ioctl", 0, 0x5412) == ERROR | ENOTTY
    assert decide(machine, "prctl", 15) == ALLOW
    assert decide(machine, "prctl", 1) == no
    assert decide(machine, locks.NEWEST) == ALLOW
    assert decide(machine, locks.NEWEST + 1) == ERROR | ENOSYS


def test_calls_of_another_machine_kill() -> None:
    assert decide("x86_64", "read", called="aarch64") == KILL
    assert decide("x86_64", locks.OTHER_TABLE) == KILL


def test_x86_64_has_its_old_calls_too() -> None:
    assert decide("x86_64", "open", 0, os.O_RDONLY) == ALLOW
    assert decide("x86_64", "open", 0, os.O_RDWR) == ERROR | EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_kernel(machine: str) -> None:
    there = [path for name in HEADERS[machine] if (path := Path("/usr/include", name)).exists()]
    if not there:
        pytest.skip("the kernel's headers are not installed")
    pattern = re.compile(r"#define __NR(?:3264)?_(\w+)\s+(\d+)")
    official = {name: int(number) for name, number in pattern.findall(there[0].read_text())}
    ours = {name: number for table in (*REFUSED.values(), WEIGHED)
            for name, number in numbers(table, MACHINES[machine][1]).items()}  # fmt: skip

    assert len(official.keys() & ours.keys()) > 100
    assert {
        name: number for name, number in ours.items() if official.get(name, number) != number
    } == {}


def test_each_promise_needs_one_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(*parts: str) -> set[str]:
        monkeypatch.setattr(sandbox, "layers", lambda: parts)
        return {name for name, kept in sandbox.promises().items() if kept}

    everything = {"read", "change", "network", "processes", "memory"}
    assert kept(*locks.PARTS) == everything
    assert kept("bubblewrap") == {"read", "change", "network"}
    assert kept("rights", "rlimits", "seccomp") == everything - {"read"}
    assert kept() == set()
    assert len(sandbox.missing()) == len(everything)


def test_where_there_is_no_bubblewrap_a_command_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandbox, "layers", lambda: locks.PARTS)

    assert sandbox.confined(["python"], []) == ["python"]


REMEMBERS = """
import subprocess
from kata.grading.sandbox import sandbox
subprocess.run = None
sandbox.remember(["rlimits", "seccomp"])
print(*sandbox.layers(), sandbox.promises()["read"])
"""


def test_a_process_that_remembers_does_not_try() -> None:
    command = [sys.executable, "-c", REMEMBERS]
    printed = subprocess.check_output(command, text=True, cwd=ROOT)

    assert printed == "rlimits seccomp False\n"


def test_each_process_has_a_core_before_two_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = {os.getpid() + 10**9, os.getpid() + 2 * 10**9}  # that no grader has on this machine
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cores)

    taken = [int(sandbox._core.__wrapped__(each)) for each in range(4)]

    assert taken == [*sorted(cores)] * 2


def test_what_a_system_lacks_to_run_anything_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sandbox.unavailable() == []

    monkeypatch.delattr(os, "fork")
    monkeypatch.delattr("select.poll")
    monkeypatch.delattr("socket.send_fds")
    monkeypatch.delattr("socket.AF_UNIX")
    monkeypatch.setattr(sandbox, "find_spec", lambda _: None)

    assert sandbox.unavailable() == [
        "os.fork", "select.poll", "socket.send_fds", "socket.SOCK_SEQPACKET",
        "subprocess.Popen(pass_fds=…)",
    ]  # fmt: skip


def test_python_folders_hold_the_libraries_and_not_the_kata() -> None:
    folders = sandbox.python_folders()

    assert all(any(Path(str(module.__file__)).is_relative_to(each) for each in folders)
               for module in (ctypes, pytest))  # fmt: skip
    assert not any(ROOT.is_relative_to(each) for each in folders)


def test_the_environment_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "kata")

    assert not {"SECRET", "USER", "PWD"} & sandbox.environment().keys()
