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
from kata.grading import channel, sandbox
from kata.inside import locks
from kata.inside.locks import MACHINES, REFUSED, WEIGHED, Locks, numbers, program_for

LOCKED = ROOT / "tests" / "helpers" / "locked.py"
HEADERS = {"x86_64": ("x86_64-linux-gnu/asm/unistd_64.h", "asm/unistd_64.h"),
           "aarch64": ("aarch64-linux-gnu/asm/unistd_64.h", "asm-generic/unistd.h")}  # fmt: skip
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x50000
NO = ERROR | EPERM
POINTER = 0x7F00 << 32  # nothing in its lower half
Outcomes = dict[str, Any]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """What came of everything that `locked.py` tries, without bubblewrap and without torch."""
    return outcomes_in(tmp_path_factory.mktemp("readable"))


def outcomes_in(folder: Path, *words: str) -> Outcomes:
    if not locks.landlock_version() or os.uname().machine not in MACHINES:
        pytest.skip("some of the locks are not there")
    own = folder / "own.txt"
    own.write_text("x")
    command = [sys.executable, "-B", LOCKED, *words, own, *sandbox.python_folders()]
    done = subprocess.run(command, env=sandbox.environment(), stdout=subprocess.PIPE, check=True)
    result: Outcomes = json.loads(done.stdout)
    assert tuple(result["parts"]) == locks.PARTS
    assert own.read_text() == "x"
    return result


def done(attempts: dict[str, str]) -> set[str]:
    return {name for name, outcome in attempts.items() if outcome == "done"}


def test_it_is_the_locks_that_refuse(outcomes: Outcomes) -> None:
    errors = {name: error for name, error in outcomes["attempts"].items() if error != "EPERM"}

    assert errors == {
        "read /etc/passwd": "EACCES", "read a solution": "EACCES", "list /": "EACCES",
        "list the repository": "EACCES", "read its own memory as a file": "EACCES",
        "open the parent's memory": "EACCES", "read the parent's environment": "EACCES",
        "type into the terminal": "ENOTTY", "raise a limit": "ValueError",
        "raise the limit of threads": "ValueError", "read /usr/share": "EACCES",
        "list the processes": "EACCES", "read the first process": "EACCES",
        "open many files": "EMFILE", "bytearray of 3 GiB": "MemoryError",
    }  # fmt: skip


def test_everything_needed_still_works(outcomes: Outcomes) -> None:
    assert set(outcomes["abilities"].values()) == {"done"}
    assert len(outcomes["abilities"]) == 8


def test_calls_descriptors_and_time_are_refused(outcomes: Outcomes) -> None:
    *standard, socket = outcomes["descriptors"]

    assert set(outcomes["calls"].values()) == {"EPERM"}
    assert (standard, socket > 2) == ([0, 1, 2], True)
    assert outcomes["a loop"] == f"status {signal.SIGXCPU}"
    # Another thread would stay free, and is an error.
    assert outcomes["a thread"] == f"status {1 << 8}"


def test_threads_run_out(outcomes: Outcomes) -> None:
    fewest, most = locks.SPARE_TASKS
    alone = os.getuid() == 0  # with a number that nobody else has

    for kind in ("threads", "tiny threads"):
        # What has ended may still be counted when it is measured how many run.
        assert fewest - 2 <= outcomes[kind] <= (2 * fewest if alone else most)


def test_every_thread_stays_on_one_core_and_those_of_the_next_judge_on_another(
    outcomes: Outcomes,
) -> None:
    core, cores = int(outcomes["core"]), sorted(os.sched_getaffinity(0))
    after = cores[(cores.index(core) + 1) % len(cores)]

    assert outcomes["shares"] == [[core]] * 3
    assert outcomes["shares of the next"] == [[after]] * 3


def test_root_becomes_a_user_that_nobody_else_is(outcomes: Outcomes) -> None:
    first, count = locks.UNUSED
    unused = range(first, first + count)

    for user in ("user", "another user"):
        assert outcomes[user] in (unused if os.getuid() == 0 else [os.getuid()])
    assert (outcomes["user"] != outcomes["another user"]) == (os.getuid() == 0)


def test_a_crowd_takes_no_thread_away(outcomes: Outcomes) -> None:
    parts, threads = outcomes["in a crowd"]
    fewest, most = locks.SPARE_TASKS

    assert parts == list(locks.PARTS)
    assert fewest < threads <= most + fewest  # some of the crowd may have ended meanwhile


def test_a_worker_that_cannot_be_locked_in_ends_as_no_submission_can_end_it(tmp_path: Path) -> None:
    worker = import_module("kata.inside.worker")  # which imports torch
    errors = tmp_path / "errors"
    process = os.fork()
    if process == 0:
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
        sys.stderr = sys.__stderr__
        worker._lock_in(lambda: 1 / 0)
        os._exit(0)

    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
    assert signal.strsignal(signal.SIGKILL) in channel.BY_OTHERS
    assert "ZeroDivisionError" in errors.read_text()


def lives(process: int) -> bool:
    """What has ended may still be listed, as Z, until somebody asks how."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_locked_process_ends_with_its_parent(outcomes: Outcomes) -> None:
    end = time.monotonic() + 10
    while lives(outcomes["survivor"]) and time.monotonic() < end:
        time.sleep(0.01)

    assert not lives(outcomes["survivor"])


def test_one_of_seccomp_and_landlock_holds_most(outcomes: Outcomes) -> None:
    files = done(outcomes["seccomp alone"])

    assert done(outcomes["old Landlock"]) == set()  # seccomp makes up for it
    assert {"read /etc/passwd", "read a solution"} <= files
    assert all(name.startswith(("read", "list", "open the parent's")) for name in files)
    assert done(outcomes["Landlock alone"]) <= {"kill the parent"}
    if locks.landlock_version() >= 6:  # the first to know of both
        assert outcomes["Landlock alone"]["kill the parent"] == "EPERM"
        assert outcomes["Landlock alone"]["connect with TCP"] == "EACCES"


def test_other_systems_and_machines_have_no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert program_for("riscv64") == b""

    monkeypatch.setattr(sys, "platform", "darwin")

    assert Locks([], 1 << 30).parts == ()
    assert locks.landlock_version() == 0


def decide(machine: str, call: str | int, *arguments: int, caller: str = "") -> int:
    """What the program for a machine says to a call, as the kernel would run it."""
    column = MACHINES[machine][1]
    calls = {name: number for table in (*REFUSED.values(), WEIGHED, "read 0 63")
             for name, number in numbers(table, column).items()}  # fmt: skip
    number = call if isinstance(call, int) else calls[call]
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, MACHINES[caller or machine][0], 0, *padded)
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


DECISIONS: dict[tuple[str | int, *tuple[int, ...]], int] = {
    ("read", 3): ALLOW,
    ("clone", 0x3D0F00): ALLOW,  # as a thread is made
    ("clone", 0x1200011): NO,  # as a process is
    ("clone3",): ERROR | ENOSYS, ("openat2",): ERROR | ENOSYS,
    ("openat", 0, POINTER, os.O_RDONLY): ALLOW,
    **{("openat", 0, POINTER, flag): NO
       for flag in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC)},
    ("prlimit64", 0, 9, 0, POINTER): ALLOW, ("prlimit64", 0, 9, POINTER): NO,
    ("fcntl", 3, 3): ALLOW, ("fcntl", 3, 8, 1): NO,
    ("ioctl", 0, 0x5401): ALLOW, ("ioctl", 0, 0x5412): ERROR | ENOTTY,
    ("prctl", 15): ALLOW, ("prctl", 1): NO,
    (locks.NEWEST,): ALLOW, (locks.NEWEST + 1,): ERROR | ENOSYS,
}  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES)
def test_what_the_program_decides(machine: str) -> None:
    refused = [name for table in REFUSED.values() for name in numbers(table, MACHINES[machine][1])]

    assert {decide(machine, name) for name in refused} == {NO}
    assert {call: decide(machine, *call) for call in DECISIONS} == DECISIONS


def test_x86_64_has_its_old_calls_too_and_no_other_tables() -> None:
    assert decide("x86_64", "open", 0, os.O_RDONLY) == ALLOW
    assert decide("x86_64", "open", 0, os.O_RDWR) == NO
    assert decide("x86_64", "read", caller="aarch64") == KILL
    assert decide("x86_64", locks.OTHER_TABLE) == KILL


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
from kata.grading import sandbox
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

    taken = [int(sandbox._core.__wrapped__(process)) for process in range(4)]

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

    assert all(any(Path(str(module.__file__)).is_relative_to(folder) for folder in folders)
               for module in (ctypes, pytest))  # fmt: skip
    assert not any(ROOT.is_relative_to(folder) for folder in folders)


def test_the_environment_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "kata")

    assert not {"SECRET", "USER", "PWD"} & sandbox.environment().keys()
