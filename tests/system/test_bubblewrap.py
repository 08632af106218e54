"""Behind bubblewrap's walls: as whoever runs the tests, and as an ordinary user."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from kata.course.curriculum import ROOT, exercises
from kata.errors import HostError
from kata.grading import sandbox
from kata.grading.workers import WarmProcess, visible_paths
from kata.inside import locks

EX01 = exercises()["ex01_softmax"]
WRONG = "def softmax(scores, axis=-1):\n    return scores\n"
LOCKED = ROOT / "tests" / "helpers" / "locked.py"
# Run by a Python that may be another one than the tests': it prints the command for itself.
COMMAND = """
import json, sys
from pathlib import Path
from kata.grading import sandbox
own, script, *readable = sys.argv[1:]
command = [sys.executable, "-B", script, own, *map(str, sandbox.python_folders())]
print(json.dumps([sandbox.confined(command, [Path(own).parent, *map(Path, readable)]),
                  sandbox.parts(), sandbox.no_bubblewrap()]))
"""
LOOK = """
import json, os, socket
def what(attempt):
    try:
        return attempt()
    except OSError as error:
        return type(error).__name__
print(json.dumps({
    "/": what(lambda: os.listdir("/")),
    "/usr": what(lambda: os.listdir("/usr")),
    "/usr/local": what(lambda: os.listdir("/usr/local")),
    "programs": [each for each in ("/bin", "/usr/bin") if os.path.exists(each + "/env")],
    "/tmp": what(lambda: os.listdir("/tmp")),
    "here": os.getcwd(),
    "first": open("/proc/1/environ").read(),
    "environment": list(os.environ),
    "processes": [each for each in os.listdir("/proc") if each.isdigit()],
    "network": what(lambda: socket.create_connection(("127.0.0.1", int(os.sys.argv[1])), 2)),
    "write": what(lambda: open(os.sys.argv[2], "a")),
}))
"""
AGAIN = """
import subprocess, sys
from pathlib import Path
from kata.grading import sandbox
command = sandbox.confined([sys.executable, "-c", ""], [Path(sys.argv[1])])
assert len(command) > 3
sys.exit(subprocess.call(command))
"""
# What it says of torch is tested elsewhere, and takes long.
DOCTOR = """
from kata.__main__ import main
from kata.commands import doctor
doctor._torch = lambda: []
main(["doctor"])
"""
NOBODY = ["setpriv", "--reuid", str(locks.NOBODY), "--regid", str(locks.NOBODY), "--clear-groups"]
Found = dict[str, Any]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux"),
    pytest.mark.timeout(120),
]


def ordinary() -> tuple[list[str], dict[str, str]]:
    """A command for a Python that everybody can read, with the packages of this one."""
    packages = os.pathsep.join(each for each in sys.path if Path(each).name in sandbox.PACKAGES)
    return [*NOBODY, "/usr/bin/python3", "-B"], {"PYTHONPATH": f"{packages}{os.pathsep}{ROOT}"}


def can(command: list[str], environment: dict[str, str]) -> bool:
    """Whether this Python has the libraries."""
    done = subprocess.run([*command, "-c", "import numpy, torch, kata"], check=False, cwd="/",
                          env={**os.environ, **environment}, capture_output=True)  # fmt: skip
    return done.returncode == 0


@pytest.fixture(scope="module")
def own() -> Iterator[Path]:
    """A file in a folder that everybody can read, as pytest's are not."""
    with TemporaryDirectory(prefix="kata-own-") as folder:
        Path(folder).chmod(0o755)
        file = Path(folder, "own.txt")
        file.write_text("x")
        yield file


@pytest.fixture(scope="module", params=["whoever runs the tests", "an ordinary user"])
def found(request: pytest.FixtureRequest, own: Path) -> Found:
    """What came of everything that `locked.py` tries."""
    there = os.environ.get("PYTHONPATH", "")
    python, environment = [sys.executable, "-B"], {"PYTHONPATH": f"{there}{os.pathsep}{ROOT}"}
    user: list[str] = []
    if request.param == "an ordinary user":
        python, environment = ordinary()
        user = NOBODY
        if os.getuid() or not can(python, environment):
            pytest.skip("no ordinary user can be taken, or none that can read Python")
    command = [*python, "-c", COMMAND, str(own), str(LOCKED), *map(str, [*visible_paths(), LOCKED])]
    said = subprocess.check_output(command, cwd="/", env={**os.environ, **environment})
    walled, parts, trouble = json.loads(said)
    assert "bubblewrap" in parts, trouble
    result: Found = json.loads(subprocess.check_output([*user, *walled], cwd="/"))
    return result


def done(outcomes: dict[str, str]) -> set[str]:
    return {name for name, outcome in outcomes.items() if outcome == "done"}


def test_all_locks_hold_behind_the_walls(found: Found) -> None:
    assert tuple(found["parts"]) == locks.PARTS
    assert done(found["attempts"]) == set()
    assert set(found["calls"].values()) == {"EPERM"}


def test_nothing_runs_as_root_behind_the_walls(found: Found) -> None:
    assert found["user"] != 0
    assert set(found["capabilities"]) == {"0"}


def test_threads_run_out_behind_the_walls(found: Found) -> None:
    fewest, _ = locks.SPARE_TASKS

    for kind in ("threads", "tiny threads"):
        assert fewest - 2 <= found[kind] <= fewest + 2


def test_every_thread_stays_on_one_core_behind_the_walls(found: Found) -> None:
    assert found["shares"] == [[int(found["core"])]] * 3


def test_torch_works_behind_the_walls(found: Found) -> None:
    assert set(found["abilities"].values()) == {"done"}


def test_files_are_not_there_whatever_else_fails(found: Found) -> None:
    files = ("read /etc/passwd", "read a solution", "read /usr/share")

    assert {found[which][name] for which in ("seccomp alone", "Landlock alone", "attempts")
            for name in files} == {"ENOENT"}  # fmt: skip


@pytest.fixture
def port() -> Iterator[int]:
    """Somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_the_walls_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.setenv("SECRET", "of the teacher")
    file = tmp_path / "file"
    file.write_text("mine")

    command = [sys.executable, "-c", LOOK, str(port), str(file)]
    seen = json.loads(subprocess.check_output(sandbox.confined(command, [file])))

    assert not {"home", "root", "srv", "var"} & set(seen["/"]) - {sys.base_prefix.split("/")[1]}
    assert set(seen["/usr"]) <= {"lib", "lib32", "lib64", "bin", "local"}  # bin for Python alone
    assert not {"src", "share", "etc", "games", "include", "sbin"} & set(seen["/usr/local"])
    assert seen["programs"] == []
    assert seen["here"] == "/"
    assert "SECRET" not in seen["environment"]
    assert "SECRET" not in seen["first"]
    assert len(seen["processes"]) == 2  # bubblewrap, and itself
    assert seen["network"] == "ConnectionRefusedError"  # it has a 127.0.0.1 of its own
    assert seen["write"] == "OSError"  # a file system that cannot be written


def test_a_socket_reaches_through_the_walls() -> None:
    ours, theirs = socket.socketpair()
    echo = "import socket, sys; s = socket.socket(fileno=int(sys.argv[1])); s.sendall(s.recv(9))"
    command = sandbox.confined([sys.executable, "-c", echo, str(theirs.fileno())], [])

    with subprocess.Popen(command, pass_fds=[theirs.fileno()], env=sandbox.environment()):
        ours.sendall(b"hello")
        assert ours.recv(9) == b"hello"
    ours.close()
    theirs.close()


def test_what_is_readable_may_hold_python_itself(tmp_path: Path) -> None:
    link = tmp_path / "python"
    link.symlink_to(sys.executable)

    assert subprocess.call([link, "-c", AGAIN, tmp_path], cwd=ROOT) == 0


def doctor(*before: str, **environment: str) -> str:
    command = [*before, sys.executable, "-c", DOCTOR]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "COLUMNS": "200", **environment},
                          stdout=subprocess.PIPE, text=True, check=False).stdout  # fmt: skip


def test_the_doctor_tells_every_promise() -> None:
    output = doctor()

    assert "bubblewrap" in output
    assert output.count("✓ a submission cannot") == len(sandbox.promises())


def test_the_doctor_says_that_bubblewrap_is_not_allowed() -> None:
    """As on a system where ordinary users get no namespaces."""
    bwrap = shutil.which("bwrap") or "bwrap"
    output = doctor(bwrap, "--dev-bind", "/", "/", "--unshare-user", "--disable-userns",
                   "--cap-drop", "ALL")  # fmt: skip

    assert "– bubblewrap does not work here: bwrap: " in output
    assert "✓ a submission cannot read your files" in output  # by Landlock


def test_the_doctor_says_that_bubblewrap_is_not_there(tmp_path: Path) -> None:
    output = doctor(PATH=str(tmp_path))

    assert "– bubblewrap is not installed" in output


LACKING = [sys.executable, "-B", str(ROOT / "tests" / "helpers" / "lacking.py")]


def test_without_landlock_the_walls_keep_every_promise() -> None:
    output = doctor(*LACKING, "landlock", "--")

    assert "✓ sandbox: rlimits, seccomp, bubblewrap\n" in output
    assert output.count("✓ a submission cannot") == len(sandbox.promises())


def test_a_lock_that_is_lost_grades_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel refuses it to the warm process, and not to the one that asked before."""
    confined = sandbox.confined
    assert "bubblewrap" in sandbox.layers()
    monkeypatch.setattr(sandbox, "confined", lambda command, readable: [
        *LACKING, "landlock,seccomp", "--", *confined(command, readable)])  # fmt: skip
    warm = WarmProcess(1 << 28, 60)

    with pytest.raises(HostError, match="lacks locks that this machine has: Landlock, seccomp"):
        warm.wait()

    assert warm._process is None


@pytest.mark.parametrize("trusted", [[], ["--trusted"]])
def test_without_its_sockets_a_run_ends_in_one_line(tmp_path: Path, trusted: list[str]) -> None:
    """As on macOS."""
    (tmp_path / EX01.filename).write_text(WRONG)
    grader = [*LACKING, "pairs", "--", sys.executable, str(ROOT / "grader.py"), str(tmp_path)]
    run = subprocess.run([*grader, "--grades", tmp_path / "grades", *trusted], check=False,
                         capture_output=True, text=True)  # fmt: skip

    assert (run.returncode, run.stdout) == (2, "")
    assert "this system's Python lacks socket.SOCK_SEQPACKET; use Linux" in run.stderr
    assert run.stderr.count("\n") == 1
    assert not (tmp_path / "grades").exists()


def test_the_doctor_says_that_nothing_can_run() -> None:
    output = doctor(*LACKING, "pairs", "--")

    assert (
        "– this system cannot grade submissions: its Python lacks socket.SOCK_SEQPACKET" in output
    )
    assert "a submission cannot" not in output
