"""Submissions of ill will, graded for real beside honest ones, by whoever runs the tests."""

import csv
import ctypes
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from kata.class_verdict import GRADED, SubmissionVerdict, submission_from_dict
from kata.course.curriculum import ROOT, exercises
from kata.grading import channel, sandbox
from kata.grading.options import CLAIMS_OF_PATIENCE
from kata.inside import locks
from kata.verdict import State
from tests.helpers.processes import children, command
from tests.helpers.sampling import sample

ATTACKS = ROOT / "tests" / "specimens" / "attacks"
OUTCOMES = tomllib.loads((ATTACKS / "outcomes.toml").read_text(encoding="utf-8"))
SHORTS = ("ex01", "ex02", "ex04", "ex12")
SLUGS = {each.short: slug for slug, each in exercises().items() if each.short in SHORTS}
LIMIT = 2  # seconds for a claim
STOPPED = channel.TIMED_OUT
LARGEST_REPORT = 90_000  # characters about one student, of a hundred claims
LARGEST_JUDGE = 700  # MiB; torch alone has 250
NEIGHBOURS = ("neighbour", "zoe")  # the first and the last ones are graded beside the attacks
ODD_NAMES = (
    "<script>alert(1)", "=cmd()|' !A0", "-rf", "+1", "@SUM(1)", "two\nlines", "tab\there",
    "x\\..\\..\\y", "%2e%2e%2fx", "\u202egnp.evil", "\x1b[2J", "🐍 snake", "a" * 200, "con", "{0}",
)  # fmt: skip
STANDS_IN = "SECRETLY"  # in the reference of an exercise that another one needs
SET_SUBREAPER = 36  # for prctl: whoever is left behind becomes a child of this process
THREATENED = ("kata", "solutions", "tests/graded", "exercises", "bugs")
# Those of which each would do harm of another kind where only an ordinary user's locks hold.
NASTY = (
    "reads_files", "writes_files", "calls_home", "forks_without_an_end", "a_daemon",
    "kills_its_parents", "looks_into_its_parents", "imports_its_neighbours", "code_for_the_end",
)  # fmt: skip

# While a hole is open that ends the run, whoever goes through it is graded in a class of their own.
OF_EACH_KIND = {outcome["promise"]: name for name, outcome in OUTCOMES.items()}
ALWAYS = (*NASTY, "reads_the_reference_that_stands_in", *OF_EACH_KIND.values())
INSIDE = sample([name for name, each in OUTCOMES.items() if "ends" not in each], ALWAYS, one_in=12)

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")


@dataclass
class Listener:
    """Somebody who waits for calls, by TCP, by UDP, and on this machine."""

    lines: list[socket.socket] = field(default_factory=list)

    def open(self, folder: Path) -> int:
        with socket.create_server(("127.0.0.1", 0)) as found:
            port = int(found.getsockname()[1])
        self.lines.append(socket.create_server(("127.0.0.1", port)))
        for kind, family, name in (
            (socket.SOCK_DGRAM, socket.AF_INET, ("127.0.0.1", port)),
            (socket.SOCK_STREAM, socket.AF_UNIX, f"\0kata-{port}"),
            (socket.SOCK_STREAM, socket.AF_UNIX, str(folder / "line")),
        ):
            line = socket.socket(family, kind)  # type: ignore[call-overload]  # of three kinds
            line.bind(name)
            if kind == socket.SOCK_STREAM:
                line.listen()
            self.lines.append(line)
        return port

    def called(self) -> list[str]:
        """Who has called."""
        found = []
        for line in self.lines:
            line.setblocking(False)
            with line, suppress(BlockingIOError):
                found.append(
                    str(line.recv(99) if line.type == socket.SOCK_DGRAM else line.accept())
                )
        return found


@dataclass
class Place:
    """A teacher's folders, with secrets in them."""

    base: Path

    def __post_init__(self) -> None:
        self.submissions, self.grades = self.base / "class", self.base / "grades"
        self.home, self.solutions = self.base / "home", self.base / "reference"
        self.desk = self.base / "desk"  # where the grader is started
        for each in (self.submissions, self.home, self.desk / "submission"):
            each.mkdir(parents=True)
        shutil.copytree(ROOT / "solutions", self.solutions, ignore=lambda *_: ["__pycache__"])
        for folder in (self.home, self.solutions, self.desk):
            (folder / "secret.txt").write_text(f"SECRET-FILE of {folder.name}\n" * 5)
        (self.desk / "submission" / "notes.txt").write_text("SECRET-NOTES\n" * 5)
        for short, word in {"ex01": STANDS_IN, "ex12": "SECRET-REFERENCE"}.items():
            with (self.solutions / f"{SLUGS[short]}.py").open("a") as file:
                file.write(f"# {word}\n")

    def hand_in(self, student: str, files: dict[str, bytes]) -> None:
        for name, content in files.items():
            path = self.submissions / student / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def attack(self, name: str, port: int) -> None:
        """Hand in an attack, which has been told where things are."""
        content = (ATTACKS / f"{name}.py").read_bytes()
        for word, meant in {
            "/SOLUTIONS": self.solutions, "/CLASS": self.submissions, "/HOME": self.home,
            "/GRADES": self.grades, "/REPOSITORY": ROOT, "40404": port,
        }.items():  # fmt: skip
            content = content.replace(word.encode(), str(meant).encode())
        outcome = OUTCOMES[name]
        names = [f"{SLUGS[each]}.py" for each in outcome["exercises"]]
        self.hand_in(name, dict.fromkeys([*names, *outcome.get("also", [])], content))

    def honest(self, student: str, shorts: tuple[str, ...] = SHORTS) -> None:
        """Hand in right answers, which differ from those of others and are a secret, too."""
        own = f"# SECRET-NEIGHBOUR {len(os.listdir(self.submissions))}\n"  # noqa: PTH208  # a count
        slugs = [SLUGS[each] for each in shorts]
        texts = {slug: (ROOT / "solutions" / f"{slug}.py").read_text() + own for slug in slugs}
        self.hand_in(student, {f"{slug}.py": text.encode() for slug, text in texts.items()})

    def state(self) -> dict[str, str]:
        """All files that somebody might read or change, and what they hold."""
        own = (self.submissions, self.home, self.solutions, self.desk)
        found = {str(path): _digest(path) for root in own for path in root.rglob("*")}
        theirs = (path for each in THREATENED for path in (ROOT / each).rglob("*.*"))
        return found | {str(path): _harm(path) for path in theirs if path.suffix != ".pyc"}


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"


def _harm(path: Path) -> str:
    """What attacks do; somebody else may be at work in the repository."""
    content = path.read_bytes() if path.is_file() else b"no file"
    return "harmed" if not content or b"KATA WAS HERE" in content else ""


@dataclass
class Graded:
    """One run of the grader, and the traces of it."""

    place: Place
    status: int
    said: str
    largest: int  # MiB that a judge has taken at most
    left: list[str]  # processes
    called: list[str]
    changed: list[str]

    @cached_property
    def texts(self) -> dict[str, str]:
        """All that was told to anybody."""
        written = {each.name: each.read_text() for each in self.place.grades.rglob("*.*")}
        return {**written, "output": self.said}

    @cached_property
    def reports(self) -> dict[str, str]:
        """What is written of each student."""
        found = json.loads(self.texts["results.json"], parse_constant=pytest.fail)
        return {each["student"]: json.dumps(each) for each in found["submissions"]}

    def verdict(self, student: str) -> SubmissionVerdict:
        return submission_from_dict(json.loads(self.reports[student]))


def run(
    place: Place,
    names: list[str],
    shorts: tuple[str, ...] = SHORTS,
    python: Sequence[str] = (sys.executable,),
) -> Graded:
    """Grade a class of attacks and honest neighbours."""
    listener = Listener()
    port = listener.open(place.submissions)
    for name in names:
        place.attack(name, port)
    for name in NEIGHBOURS:
        place.honest(name, shorts)
    if len(python) > 1:
        for each in (place.base, *place.base.rglob("*")):
            shutil.chown(each, locks.NOBODY, locks.NOBODY)
    before, ours = place.state(), {*children(os.getpid())}
    command = [*python, "-B", str(ROOT / "grader.py"), str(place.submissions), "--grades",
               str(place.grades), "--solutions", str(place.solutions), "--timeout", str(LIMIT),
               *(word for each in shorts for word in ("--only", each))]  # fmt: skip
    output = place.base / "output.txt"
    with ExitStack() as stack:
        stack.callback(ctypes.CDLL(None).prctl, SET_SUBREAPER, 0)
        ctypes.CDLL(None).prctl(SET_SUBREAPER, 1)
        process = subprocess.Popen(command, cwd=place.desk, env=_environment(place),
                                   stdout=stack.enter_context(output.open("wb")),
                                   stderr=subprocess.STDOUT)  # fmt: skip
        largest = _largest_judge(process)
        left = _left(ours)
    after = place.state()
    changed = [each for each in {**before, **after} if before.get(each) != after.get(each)]
    return Graded(place, process.returncode, output.read_text(errors="replace"), largest, left,
                  listener.called(), changed)  # fmt: skip


def _environment(place: Place) -> dict[str, str]:
    packages = [each for each in sys.path if Path(each).name in sandbox.PACKAGES]
    path = os.pathsep.join([*packages, str(ROOT)])
    told = {"HOME": str(place.home), "SECRET": "SECRET-VARIABLE", "PYTHONPATH": path}
    return {**os.environ, **told, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}


def _largest_judge(process: "subprocess.Popen[bytes]") -> int:
    """The most memory of a child, in MiB, watched until the end."""
    largest = 0
    while process.poll() is None:
        for each in children(process.pid):
            with suppress(OSError):
                found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{each}/status").read_text())
                largest = max(largest, int(found[1]) // 1024 if found else 0)
        time.sleep(0.1)
    return largest


def _left(ours: set[int]) -> list[str]:
    """The commands of processes that are still there after a while."""
    for _ in range(50):
        with suppress(ChildProcessError):
            for each in {*children(os.getpid())} - ours:
                os.waitpid(each, os.WNOHANG)
        if not {*children(os.getpid())} - ours:
            return []
        time.sleep(0.1)
    return [command(each) for each in {*children(os.getpid())} - ours]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """Everybody in one class; only those stay away through whom a hole ends the run."""
    place = Place(tmp_path_factory.mktemp("attacked"))
    for name in ODD_NAMES:
        place.honest(name, ("ex01",))
    return run(place, INSIDE)


@pytest.fixture(scope="module")
def of_an_ordinary_user() -> Iterator[Graded]:
    """The nastiest, graded by a user with no rights at all."""
    user = ["setpriv", "--reuid", str(locks.NOBODY), "--regid", str(locks.NOBODY), "--clear-groups"]
    python = [*user, "/usr/bin/python3"]
    with TemporaryDirectory(prefix="kata-attacked-") as folder:
        Path(folder).chmod(0o755)
        place = Place(Path(folder, "place"))
        asked = [*python, "-c", "import msgpack, torch, kata"]
        silent = {"env": _environment(place), "stderr": subprocess.DEVNULL, "cwd": "/"}
        if os.getuid() or subprocess.call(asked, **silent):
            pytest.skip("no ordinary user can be taken, or none that can read Python")
        yield run(place, list(NASTY), ("ex01",), python)


@pytest.fixture(params=["graded", "of_an_ordinary_user"])
def either(request: pytest.FixtureRequest) -> Graded:
    """Both classes, one after the other."""
    found: Graded = request.getfixturevalue(request.param)
    return found


def known(name: str) -> object:
    """An attack; one whose hole is known is told as soon as it is closed."""
    why = OUTCOMES[name].get("open")
    return pytest.param(name, marks=[pytest.mark.xfail(strict=True, reason=why)] if why else [])


@pytest.mark.parametrize("name", [*map(known, INSIDE)])
def test_an_attack_earns_what_its_honest_part_earns(graded: Graded, name: str) -> None:
    outcome, verdict = OUTCOMES[name], graded.verdict(name)
    slugs = [SLUGS[each] for each in outcome["exercises"]]
    judged = {each.slug: each for each in verdict.exercises}

    assert sum(judged[each].held for each in slugs) <= outcome["honest"]
    state = judged[slugs[-1]].state
    assert state in outcome["state"]
    assert all(
        each.state is State.NOT_STARTED for each in judged.values() if each.slug not in slugs
    )
    # Who may be stopped, on a busy machine, before it does anything may be seen or not.
    stopped = state is State.TIMED_OUT and len(outcome["state"]) > 1
    assert stopped or verdict.status == (State.TAMPERED if outcome["seen"] else GRADED)
    assert len(graded.reports[name]) < LARGEST_REPORT


@pytest.mark.parametrize("name", INSIDE)
def test_an_attack_takes_no_longer_than_it_may(graded: Graded, name: str) -> None:
    """A claim is stopped at its limit; after so many of those, no other one is run."""
    claims = (claim for each in graded.verdict(name).exercises for claim in each.claims)
    stopped = [each for each in claims if each.message and each.message.evidence == STOPPED]

    assert len(stopped) <= CLAIMS_OF_PATIENCE


def test_the_run_goes_on(either: Graded) -> None:
    assert either.status == 0, either.said
    assert [each for each in either.reports if either.verdict(each).problem] == []


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours_have_full_marks(either: Graded, name: str) -> None:
    verdict = either.verdict(name)

    assert verdict.score == verdict.most > 0
    assert verdict.status == GRADED
    assert [each.tampering for each in verdict.exercises if each.tampering] == []


def test_a_name_is_no_attack(graded: Graded) -> None:
    others = graded.reports.keys() - OUTCOMES.keys() - set(NEIGHBOURS)
    first = {each: graded.verdict(each).exercises[0] for each in others}

    assert len(others) == len(ODD_NAMES)
    assert {each.state for each in first.values()} == {State.PASSED}


def test_what_is_told_is_safe_to_read(graded: Graded) -> None:
    rows = list(csv.reader(graded.texts["grades.csv"].removeprefix("\ufeff").splitlines()))

    assert len({len(each) for each in rows}) == 1
    assert [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))] == []
    assert [line for line in graded.said.splitlines() if not line.isprintable()] == []
    assert graded.texts["results.json"].isascii()


def test_nothing_was_read(either: Graded) -> None:
    told = {(name, each) for name, text in either.texts.items()
            for each in re.findall("SECRET-[A-Z]+", text)}  # fmt: skip
    assert told == set()


def test_what_stands_in_can_be_read_by_nobody_else(graded: Graded) -> None:
    """It runs in the same process: whoever needs it can look at it, and tell."""
    readers = {each for each, text in graded.reports.items() if STANDS_IN in text}

    assert readers <= {"reads_the_reference_that_stands_in"}
    assert STANDS_IN not in graded.said


def test_nothing_was_changed(either: Graded) -> None:
    folders = ["/", "/tmp", "/var/tmp", "/dev/shm", "/run", *sys.path, str(either.place.grades)]

    assert either.changed == []
    assert [each for folder in folders for each in Path(folder).glob("kata-was-here*")] == []


def test_nobody_called(either: Graded) -> None:
    assert either.called == []


def test_nobody_was_left_behind(either: Graded) -> None:
    assert either.left == []


def test_judges_stay_small(either: Graded) -> None:
    assert 0 < either.largest < LARGEST_JUDGE
