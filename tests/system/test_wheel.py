"""The wheel in an environment of its own, in folders without a checkout or a git repository."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, distribution
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from kata.__main__ import COMMANDS
from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from tests.helpers.learner_folder import Run
from tests.helpers.sampling import release, sample
from tests.helpers.watching import COLD

LARGEST = 90_000 * len(exercises())  # bytes
CONSTRAINTS = ROOT / "constraints.txt"
EX05 = exercises()["ex05_causal_masks"]
PATIENCE = 250
HOSTILE = """\
import sys
from pathlib import Path

import numpy as np

import kata

HERE = Path(kata.__file__).parent
{attempt}
"""
CALLS = """\
import json, sys
from io import BytesIO, TextIOWrapper

from kata.__main__ import main

ended, real = [], sys.stdout
for words in json.loads(sys.argv[1]):
    sys.stdout, sys.stderr = (TextIOWrapper(BytesIO(), encoding="utf-8") for _ in range(2))
    try:
        status = main(words)
    except SystemExit as end:
        status = int(end.code or 0)
    for stream in (sys.stdout, sys.stderr):
        stream.seek(0)
    ended.append([status, sys.stdout.read(), sys.stderr.read()])
print(json.dumps(ended), file=real, flush=True)
"""
ATTEMPTS = {
    "open": "source = (HERE / 'course/material/solutions/ex01_softmax.py').read_text()\n"
    "exec(source.partition('import numpy as np')[2])",
    "import": "sys.path.insert(0, str(HERE / 'course' / 'material'))\n"
    "from solutions.ex01_softmax import softmax",
    "list": "softmax = sorted(HERE.glob('course/material/solutions/*'))[0].read_text",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist and a wheel of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT,
                   check=True, capture_output=True)  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment in which nothing but the wheel was installed, for graders.

    What it needs is not fetched again, but linked from here; pip fetches what has programs.
    """
    home = tmp_path_factory.mktemp("environment")
    home.parent.chmod(0o755)  # workers run as another user, who has to reach it
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    for name in needed("attention-kata", "grading") - {"attention-kata", "pytest"}:
        link(distribution(name), next(home.glob("lib/python*/site-packages")))
    wanted = f"attention-kata[grading] @ {wheel.as_uri()}"
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install", "-q"]
    subprocess.run([*pip, "-c", str(CONSTRAINTS), wanted], check=True, timeout=PATIENCE)
    return home / "bin"


def needed(name: str, extra: str = "") -> set[str]:
    """This distribution, and all that it needs on this machine."""
    wanted = map(Requirement, distribution(name).requires or [])
    now = [each for each in wanted if not each.marker or each.marker.evaluate({"extra": extra})]
    return {name}.union(*(needed(each.name) for each in now))


def link(found: Distribution, site: Path) -> None:
    """Put all files of a distribution into another environment's folder, programs aside."""
    for file in found.files or []:
        path, source = site / file, Path(file.locate())
        if ".." not in file.parts and not path.exists():  # the environment has its own setuptools
            path.parent.mkdir(parents=True, exist_ok=True)
            path.hardlink_to(source)
            if source.suffix == ".py":
                link_compiled(source, path)


def link_compiled(source: Path, path: Path) -> None:
    """Put what a module was compiled to beside its link, which has the same time."""
    compiled, place = (Path(cache_from_source(str(each))) for each in (source, path))
    if compiled.exists() and not place.exists():
        place.parent.mkdir(exist_ok=True)
        place.hardlink_to(compiled)


class Elsewhere:
    """An empty folder, and the programs of that environment in it."""

    def __init__(self, home: Path, programs: Path) -> None:
        self.home = home
        self.programs = programs

    def run(self, program: str, *words: str, **variables: str) -> Run:
        """Run one of them without anything of this session's environment."""
        inherited = {k: os.environ[k] for k in ("PATH", "LD_LIBRARY_PATH") if k in os.environ}
        settings = {"HOME": str(self.home), "COLUMNS": "80", "LANG": "C.UTF-8"} | variables
        done = subprocess.run([str(self.programs / program), *words], cwd=self.home,
                              env=inherited | settings, capture_output=True, encoding="utf-8",
                              stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)  # fmt: skip
        assert "Traceback" not in done.stdout + done.stderr
        return Run(done.returncode, done.stdout, done.stderr)

    def kata(self, *words: str) -> Run:
        return self.run("kata", *words)

    def each(self, *commands: Sequence[str]) -> list[Run]:
        """Call several commands of `kata` in one process, which is quicker."""
        done = self.run("python", "-c", CALLS, json.dumps(commands))
        assert (done.status, done.err) == (0, "")
        return [Run(*run) for run in json.loads(done.out)]

    def write(self, name: str, text: str) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def elsewhere(tmp_path: Path, environment: Path) -> Elsewhere:
    return Elsewhere(tmp_path, environment)


@pytest.fixture(scope="module")
def laid_out(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `kata init` writes."""
    home = tmp_path_factory.mktemp("learner")
    assert Elsewhere(home, environment).kata("init").status == 0
    return home


@pytest.fixture
def learner(elsewhere: Elsewhere, laid_out: Path) -> Elsewhere:
    """Somebody whose folder was laid out."""
    shutil.copytree(laid_out, elsewhere.home, dirs_exist_ok=True)
    return elsewhere


def solved() -> str:
    return EX05.solution.read_text(encoding="utf-8")


# -- what is in it


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_it_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size <= LARGEST


def test_it_brings_one_name_alone(wheel: Path) -> None:
    tops = {each.partition("/")[0] for each in names(wheel)}

    assert {each for each in tops if not each.endswith(".dist-info")} == {"kata"}


def test_it_brings_the_whole_course_and_nothing_else(wheel: Path) -> None:
    found = {each.partition("material/")[2] for each in names(wheel) if "/material/" in each}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True)
    course = re.compile(r"(exercises|solutions|bugs|tests/(graded|fuzz|mutation))/.+(?<!\.md)")
    tracked = {
        packed(each) for each in listed.stdout.decode().splitlines() if course.fullmatch(each)
    }

    assert {each for each in found if "/" in each} == tracked | {
        "tests/accepted.zip",
        "packaging/hatch_build.py",
    }


def packed(name: str) -> str:
    """The wrong answers are most of it, and packed better than a wheel packs."""
    return f"{name}.bz2" if re.fullmatch(r"bugs/ex.+\.toml", name) else name


@release
def test_the_sdist_builds_the_same_wheel(built: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=unpacked, check=True, capture_output=True)

    assert next(tmp_path.glob("*.whl")).read_bytes() == wheel.read_bytes()


# -- learners


def test_init_and_pytest_end_with_the_board(learner: Elsewhere) -> None:
    done = learner.run("pytest")

    assert done.status == 1
    assert f"{len(exercises())} not started" in done.out
    assert "next: ex01_softmax  exercises/ex01_softmax.py:" in done.out


def test_the_solutions_pass(learner: Elsewhere) -> None:
    done = learner.run("pytest", "--solutions", "exercises/ex14_encoder_layer.py")

    assert done.status == 0
    assert "✓ ex14_encoder_layer" in done.out


@release
def test_every_command_of_learners_works(learner: Elsewhere) -> None:
    bug = bugs(EX05)[0]
    learner.write("exercises/ex05_causal_masks.py", wrong_answer(EX05, bug))
    done = learner.run("pytest", "exercises/ex05_causal_masks.py")

    assert done.status == 1
    assert bug.title in " ".join(done.out.split())
    assert "ex05_causal_masks, hint 1 of" in learner.kata("hint").out
    board, call, locked, shown, handed_in, update = learner.each(
        ["board"], ["call", "ex05", "--repro", "again.py"], ["solution", "ex05"],
        ["solution", "ex05", "--reveal"], ["submit"], ["update"],
    )  # fmt: skip
    assert "✗ ex05_causal_masks" in board.out
    assert (call.status, learner.run("python", "again.py").status) == (0, 0)
    assert locked.status == 2  # not before one's own passes
    assert "def causal_mask" in shown.out
    assert "submission.zip" in handed_in.out
    assert update.out == "everything is up to date\n"
    reset, again = learner.each(["reset", "ex05"], ["init"])
    assert "your version is kept" in reset.out
    assert again.out.startswith("already there")
    assert learner.kata("doctor").status == 0


def test_watch_judges_at_each_save(learner: Elsewhere) -> None:
    learner.write("exercises/ex05_causal_masks.py", solved())
    learner.write("cold/sitecustomize.py", COLD)
    settings = {**os.environ, "PYTHONPATH": str(learner.home / "cold")}
    program = [str(learner.programs / "kata"), "watch", "--plain"]
    with subprocess.Popen(program, cwd=learner.home, env=settings, stdout=subprocess.PIPE,
                          text=True) as watch:  # fmt: skip
        assert watch.stdout
        said = _until("✓ ex05", watch.stdout)
        watch.terminate()

    assert said


def _until(text: str, lines: Iterator[str]) -> bool:
    return any(text in line for line in lines)


def test_without_a_folder_a_command_says_how_to_make_one(elsewhere: Elsewhere) -> None:
    done = elsewhere.kata("board")

    assert (done.status, done.out) == (2, "")
    assert done.err == "there are no exercises here; `kata init` makes a folder with them\n"


# -- instructors and maintainers


@pytest.mark.parametrize("walls", sample(["none", "bubblewrap"]))
def test_a_class_is_graded_and_no_submission_reads_the_solutions(
    elsewhere: Elsewhere, walls: str, tmp_path: Path
) -> None:
    elsewhere.write("class/ada/ex05_causal_masks.py", solved())
    elsewhere.write("class/ben/ex05_causal_masks.py", wrong_answer(EX05, bugs(EX05)[0]))
    for name, attempt in ATTEMPTS.items():
        elsewhere.write(f"class/{name}/ex01_softmax.py", HOSTILE.format(attempt=attempt))
    path = os.environ["PATH"] if walls == "bubblewrap" else _without_bubblewrap(tmp_path)

    done = elsewhere.run("kata", "grade", "class", "--workers", "1", PATH=path)

    assert done.status == 0
    assert re.search(r"ada +3 / \d+", done.out)
    assert re.search(r"ben +[12]\.\d+ / \d+", done.out)
    for name in ATTEMPTS:
        assert re.search(rf"{name} +0 / ", done.out), done.out


def _without_bubblewrap(home: Path) -> str:
    """A folder with `env` alone."""
    (home / "bin").mkdir()
    (home / "bin" / "env").symlink_to(shutil.which("env") or "/usr/bin/env")
    return str(home / "bin")


def test_commands_of_instructors_and_maintainers_work(elsewhere: Elsewhere) -> None:
    refused = [["new", "ex29_scale"], ["check", "ex01", "--record"]]
    show, *ended = elsewhere.each(
        ["show", "ex05"], *refused, *([name, "--help"] for name in COMMANDS)
    )

    assert show.status == 0
    for run in ended[:2]:
        assert (run.status, run.out) == (2, "")
        assert run.err == "this changes the kata itself, which takes a clone of its repository\n"
    assert [name for name, run in zip(COMMANDS, ended[2:], strict=True) if run.status != 0] == []


@release
def test_all_gates_hold(elsewhere: Elsewhere) -> None:
    assert re.search(r"all \d+ gates hold", elsewhere.kata("check", "ex01").out)


@release
def test_the_platforms_archive_can_be_installed(elsewhere: Elsewhere) -> None:
    assert elsewhere.kata("platform", "gradescope").status == 0
    with zipfile.ZipFile(elsewhere.home / "autograder.zip") as archive:
        archive.extractall(elsewhere.home)
    kata = elsewhere.home / "attention-kata"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(kata)]
    subprocess.run(command, cwd=kata, check=True, capture_output=True)

    assert next(kata.glob("*.whl"))


# -- other projects


def test_an_unrelated_project_is_left_alone(elsewhere: Elsewhere) -> None:
    elsewhere.write("exercises/notes.py", "raise AssertionError\n")
    elsewhere.write("test_mine.py", "import sys\n\n\ndef test_nothing_is_imported():\n"
                    "    kata = {each for each in sys.modules if each.split('.')[0] == 'kata'}\n"
                    "    assert kata <= {'kata', 'kata.plugin'}\n")  # fmt: skip

    done = elsewhere.run("pytest", "-q")
    without = elsewhere.run("pytest", "-q", "-p", "no:kata.plugin")

    assert (done.status, without.status) == (0, 0)
    assert _timeless(done.out) == _timeless(without.out)


def _timeless(text: str) -> str:
    return re.sub(r"\d+\.\d+s", "", text)
