"""What is uploaded to a platform: complete, always the same bytes, and safe from students."""

import io
import json
import os
import re
import stat
import subprocess
import sys
import tarfile
import zipfile
from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from jsonschema import Draft202012Validator

from kata.__main__ import main
from kata.archives import DEFAULT_DATE, ArchiveFile
from kata.commands import platform as command
from kata.course.curriculum import ROOT, exercises
from kata.grading import platforms as on_platform
from kata.grading.collecting.entries import DEEPEST
from kata.grading.collecting.students import listing
from kata.grading.platforms import (
    FILES,
    FOLDER,
    STUDENT,
    graded,
    kata,
    lay_out,
    options_file,
    options_in,
)

yaml = pytest.importorskip("yaml", reason="PyYAML comes with the extra dev")

SCHEMA = ROOT / "kata" / "grading" / "reports" / "schemas" / "gradescope.json"
FILENAMES = {exercise.filename for exercise in exercises().values()}
CORE = [slug for slug, exercise in exercises().items() if exercise.core]
SCRIPTS = [path for path in FILES.glob("*/*") if path.read_bytes()[:2] == b"#!"]
SETUP = FILES / "gradescope" / "setup.sh"
GITHUB = ("github", "--repository", "school/attention-kata", "--ref", "0123abc")
linux = pytest.mark.skipif(sys.platform == "win32", reason="these scripts are for Linux")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty place, and a kata that has two files."""
    few = [ArchiveFile(f"{FOLDER}/{name}", name.encode()) for name in ("b.py", "a.py")]
    monkeypatch.setattr(command, "kata", lambda: iter(few))
    monkeypatch.chdir(tmp_path)


def platform(*words: str) -> None:
    assert main(["platform", *words]) == 0


@cache
def _made(words: tuple[str, ...]) -> dict[str, bytes]:
    with TemporaryDirectory() as folder, chdir(folder), patch.object(command, "kata", kata):
        platform(*words)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def bundle(*words: str) -> None:
    """What `platform` makes of the whole kata, made once for all tests that only read it."""
    for name, content in _made(words).items():
        Path(name).write_bytes(content)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["platform", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def unpacked() -> dict[str, bytes]:
    with zipfile.ZipFile("autograder.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def untarred(content: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {file.name: archive.extractfile(file).read() for file in archive}  # type: ignore[union-attr]  # they are files


def started(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What comes of a script, with stderr and stdout in one."""
    return subprocess.run(words, check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment)  # fmt: skip


# What a run on a platform says


def test_a_machine_that_cannot_promise_all_grades_and_says_what_it_cannot() -> None:
    words: list[str] = []

    def grade(options: list[str]) -> None:
        words.extend(options)
        grades = Path(options[options.index("--grades") + 1])
        grades.mkdir()
        (grades / "about.json").write_text('{"seed": 7}')

    def notes(*missing: str) -> tuple[str, ...]:
        with (
            patch.object(on_platform, "_grade", grade),
            patch.object(on_platform.sandbox, "missing", lambda: [*missing]),
            graded(Path("work"), ["gradescope"], []) as outcome,
        ):
            return outcome.notes

    Path("work").mkdir()
    assert notes() == ("the random numbers in claims: --seed 7",)
    assert "--trusted" not in words
    promise, anyway, seed = notes("it reaches no network")

    assert promise == "this machine cannot promise that it reaches no network"
    assert anyway.startswith("It was graded anyway, as with --trusted.")
    assert seed == "the random numbers in claims: --seed 7"
    assert "--trusted" in words


# What is in a bundle


def test_the_same_kata_makes_the_same_bytes_without_date_or_user_of_this_machine() -> None:
    for name in ("gradescope", "autolab"):
        for out in ("one", "two"):
            platform(name, "--out", f"{name} {out}")
        assert Path(f"{name} one").read_bytes() == Path(f"{name} two").read_bytes()

    with zipfile.ZipFile("gradescope one") as archive:
        assert {file.date_time for file in archive.infolist()} == {DEFAULT_DATE}
    with tarfile.open("autolab one") as archive:
        assert {(file.mtime, file.uid, file.uname) for file in archive} == {(0, 0, "")}


def test_all_four_faces_and_all_of_kata_are_there_no_leftovers_and_scripts_can_be_run() -> None:
    bundle("gradescope")

    files = unpacked()
    for exercise in exercises().values():
        for path in (exercise.stub, exercise.solution, exercise.bugs, exercise.suite):
            name = f"attention-kata/{path.relative_to(ROOT).as_posix()}"
            assert files[name] == path.read_bytes()
    ours = {f"attention-kata/kata/{path.name}" for path in (ROOT / "kata").iterdir()
            if path.suffix in {".py", ".toml"}}  # fmt: skip
    ours |= {
        f"attention-kata/{name}" for name in ("grader.py", "pyproject.toml", "constraints.txt")
    }
    names = [name for name in files if name.startswith(FOLDER)]
    assert names == sorted(names)  # in one order on every machine
    assert ours <= {*names}
    assert not [name for name in names if re.search(r"__pycache__|/\.|/docs/|/tests/kata/", name)]
    with zipfile.ZipFile("autograder.zip") as archive:
        rights = {file.filename: file.external_attr >> 16 for file in archive.infolist()}
    executable = {name for name, mode in rights.items() if mode & stat.S_IXUSR}
    assert executable == {"setup.sh", "run_autograder"}
    assert all(map(stat.S_ISREG, rights.values()))


@linux
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_bash_accepts_the_scripts(path: Path) -> None:
    assert b"\r" not in path.read_bytes()
    assert started("bash", "-n", path, **os.environ).returncode == 0


# Which exercises count


@pytest.mark.parametrize(("words", "shorts", "points"), [
    ([], [], sum(exercise.points for exercise in exercises().values())),
    (["--core"], [exercises()[slug].short for slug in CORE],
     sum(exercises()[slug].points for slug in CORE)),
    (["--only", "ex05", "--only", "ex01"], ["ex01", "ex05"], 4),
], ids=["all", "core", "two"])  # fmt: skip
def test_the_exercises_that_count_are_named_as_for_the_grader(
    words: list[str], shorts: list[str], points: int, capsys: pytest.CaptureFixture[str]
) -> None:
    platform("gradescope", *words)

    assert options_in(_file(unpacked()["options.txt"])) == [f"--only={short}" for short in shorts]
    printed = capsys.readouterr().out
    assert printed.endswith(f"points of the assignment: {points}\n")
    assert ("ex03" in printed) == (not words)


def _file(content: bytes) -> Path:
    Path("file").write_bytes(content)
    return Path("file")


def test_options_can_be_added_by_hand() -> None:
    written = options_file(["ex05"]).content + b"\n  --no-diagnosis \n# --seed=3\n"

    assert options_in(_file(written)) == ["--only=ex05", "--no-diagnosis"]


def test_what_cannot_be_made_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    platform("gradescope", "--only", "ex01")
    platform("gradescope", "--only", "ex01")  # the same may be written again
    Path("file").touch()
    capsys.readouterr()

    for words, reason in (
        ("gradescope --core --only ex03", "ex03 is not one of the core"),
        ("autolab --only ex05_causal_mask", "did you mean"),
        ("gradescope --only ex02", "already exists with other content"),
        ("autolab --out file/autolab.tar", "cannot write"),
    ):
        assert reason in refused(capsys, *words.split())
    assert options_in(_file(unpacked()["options.txt"])) == ["--only=ex01"]


# If nothing works


@linux
def test_there_are_valid_results_without_any_python() -> None:
    platform("gradescope", "--only", "ex04", "--only", "ex05")
    with zipfile.ZipFile("autograder.zip") as archive:
        archive.extractall("source")

    around = {**os.environ, "AUTOGRADER": str(Path.cwd())}
    assert started("bash", "source/run_autograder", **around).returncode == 0
    content = Path("results/results.json").read_bytes()
    assert content == Path("source/no-results.json").read_bytes()
    nothing = json.loads(content)
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(nothing)
    assert (nothing["score"], nothing["extra_data"]["max_score"]) == (0, 5)


@linux
def test_autolab_gets_scores_without_any_python() -> None:
    platform("autolab", "--only", "ex01", "--only", "ex02")
    with tarfile.open("autolab.tar") as archive:
        archive.extractall(filter="data")

    around = {**os.environ, "KATA_PYTHON": "/no/python"}
    done = started("make", "-f", "autograde-Makefile", **around)

    assert done.returncode == 0
    scores = json.loads(done.stdout.splitlines()[-1])
    assert scores == {"scores": {"ex01_softmax": 0, "ex02_attention_scores": 0}, "scoreboard": [0]}
    assert "No such file" in done.stdout.splitlines()[-2]


@linux
def test_a_machine_without_python_is_not_set_up() -> None:
    done = started("/bin/bash", SETUP, PATH="/nowhere", AUTOGRADER=".")

    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("Python 3.11 or newer is needed")


STUBS = {
    "apt-get": """case "$*" in
    *3.13*|*bubblewrap*) exit 1;;
    *3.12*) cp "$STUBS/installed" "$STUBS/python3.12";;
esac""",
    "installed": """if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi""",
}


@linux
def test_python_is_installed_with_apt_and_bubblewrap_is_optional() -> None:
    """On a machine with only these programs, each of which logs how it is called."""
    for name, body in STUBS.items():
        Path("bin").mkdir(exist_ok=True)
        lines = [
            "#!/bin/bash", 'echo "${0##*/} $*" >> "$STUBS/../asked"',
            'echo "of $PIP_CONSTRAINT" >> "$STUBS/../asked"', body, "exit 0", "",
        ]  # fmt: skip
        Path("bin", name).write_text("\n".join(lines))
        Path("bin", name).chmod(0o755)
    for name in ("cp", "mkdir"):
        Path("bin", name).symlink_to(f"/bin/{name}")
    Path("source/attention-kata").mkdir(parents=True)
    home, stubs = Path.cwd(), str(Path("bin").absolute())

    done = started("/bin/bash", SETUP, PATH=stubs, STUBS=stubs, AUTOGRADER=str(home))

    assert done.returncode == 0, done.stdout
    assert "the sandbox works without it" in done.stdout
    asked = Path("asked").read_text()
    assert "apt-get install -qq -y python3.12 python3.12-venv" in asked
    assert "python3.11" not in asked
    install = "python -m pip install --no-cache-dir"
    torch = f"{install} --no-deps --index-url https://download.pytorch.org/whl/cpu torch\n"
    kata = f"{install} -e {home}/source/attention-kata[grading]\n"
    assert asked.index(torch) < asked.index(kata)
    assert f"of {home}/source/attention-kata/constraints.txt" in asked
    assert asked.splitlines()[-2] == "python -m kata doctor"


# Whose work it is


@pytest.mark.parametrize("names", [
    ["submission_metadata.yml", "submission_1/ex01_softmax.py", "submission_2/ex01_softmax.py"],
    ["jane_101_9001_ex01_softmax.py", "john_102_9002_ex01_softmax.py"],
    ["jane_101_assignsubmission_file_/ex01_softmax.py", "john_1_assignsubmission_file_/x.py"],
    ["a-submissions/a-jane/ex01_softmax.py", "a-submissions/a-john/ex01_softmax.py"],
    ["jane.zip", "john.zip"],
    ["jane/ex01_softmax.py", "john/ex01_softmax.py"],
    ["ex01_softmax.py"],
    [],
])  # fmt: skip
def test_anything_handed_in_is_one_students_work(names: list[str]) -> None:
    work = Path("work")
    work.mkdir()
    for name in names:
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).touch()

    lay_out(work, Path("class"))

    (student,) = listing(Path("class"))
    assert student.name == STUDENT
    assert {str(path.relative_to("class/submission")) for path in Path("class").rglob("*")
            if path.is_file() and path.parent != Path("class")} == set(names)  # fmt: skip


@linux
@pytest.mark.timeout(20)  # opening a pipe would wait forever
def test_a_pipe_and_endless_folders_are_skipped_and_everything_else_is_copied_as_it_is() -> None:
    deep = Path("work", *"a" * DEEPEST)
    deep.joinpath(*"a" * 480).mkdir(parents=True)
    for name in FILENAMES:
        Path("work", name).touch()
    (deep / "as deep as the grader looks").touch()
    os.mkfifo("work/pipe")
    Path("secret").write_text("of the teacher")
    Path("work", "secret").symlink_to(Path("secret").absolute())

    lay_out(Path("work"), Path("class"))

    copied = {path.name for path in Path("class", STUDENT).rglob("*") if path.is_file()}
    assert copied == {*FILENAMES, "as deep as the grader looks", "secret"}
    assert Path("class", STUDENT, "secret").is_symlink()  # a link is not followed


# GitHub


def test_the_workflow_grades_with_the_instructors_suites_and_hands_on_no_token() -> None:
    platform(*GITHUB, "--only", "ex01", "--only", "ex05")
    text = Path(".github/workflows/classroom.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    steps = {step["name"]: step for step in workflow["jobs"]["grade"]["steps"]}
    kata, handed_in, grade, report = (
        steps[name] for name in ("Get the kata", "Get what was handed in", "Grade", "Report")
    )

    assert not re.search("@(REPOSITORY|REF|OPTIONS)@", text)
    assert workflow["permissions"] == {"checks": "write", "actions": "read", "contents": "read"}
    fields = {"name", "id", "uses", "run", "with", "env", "working-directory"}
    for step in steps.values():
        assert ("uses" in step) != ("run" in step)
        # A tag can be moved to other code.
        assert "run" in step or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])
        assert "${{" not in step.get("run", "")  # no expression is inserted into a command
        assert step.keys() <= fields
    assert kata["with"] == {
        "repository": "school/attention-kata", "ref": "0123abc", "path": "kata",
        "persist-credentials": False,
    }  # fmt: skip
    assert handed_in["with"] == {"path": "handed-in", "persist-credentials": False}
    assert grade["working-directory"] == "kata"
    assert grade["run"].split()[-3:] == ["../handed-in", "--only=ex01", "--only=ex05"]
    name = grade["id"]
    assert report["with"]["runners"] == name
    assert report["env"] == {f"{name.upper()}_RESULTS": f"${{{{ steps.{name}.outputs.result }}}}"}


@pytest.mark.parametrize(("option", "values", "reason"), [
    ("--repository", ["kata", "a/b/c", "a/b\nrun: x", "-a/b", "${{ x }}/y", '"/a'],
     "expected OWNER/NAME"),
    ("--ref", ["", "a b", '"', "${{ x }}", "-x", "a\nb"],
     "is not the name of a commit, tag or branch"),
])  # fmt: skip
def test_what_would_be_more_than_a_name_in_the_workflow_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], option: str, values: list[str], reason: str
) -> None:
    for value in values:
        words = {"--repository": "a/b", "--ref": "main", option: value}

        assert reason in refused(capsys, "github", *(f"{k}={v}" for k, v in words.items()))


# Autolab


def test_autolab_gets_two_files_and_their_driver() -> None:
    bundle("autolab", "--core")

    outside = untarred(Path("autolab.tar").read_bytes())
    assert set(outside) == {"autograde-Makefile", "autograde.tar"}
    inside = untarred(outside["autograde.tar"])
    assert list(json.loads(inside["no-scores.json"])["scores"]) == CORE
    assert {"run_autolab", "setup.sh", "options.txt", "attention-kata/grader.py"} <= set(inside)
