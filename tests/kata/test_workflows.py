"""Where others set up the kata: on GitHub, in a dev container, in Docker. None of them is here.

Their files were checked with check-jsonschema, against the schemas of GitHub workflows and of
devcontainer.json; what is tested here is what no schema knows.
"""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kata.course.curriculum import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML comes with the extra dev")
PROGRAM = ROOT / ".github" / "readme_line.py"
README = (ROOT / "README.md").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CLASSROOM = ROOT / "kata" / "grading" / "files" / "github" / "classroom.yml"
LINES = "python3 -m venv --help > help && echo two && exit 3\npython3 -m venv -h && exit 4\n"
SET_UP = "python .github/readme_line.py learner --set-up"


def module() -> Any:
    spec = importlib.util.spec_from_file_location("readme_line", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(PROGRAM), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("windows", [False, True])
def test_the_lines_of_the_readme_are_found(windows: bool) -> None:
    learner, maintainer = (
        module().line(README, reader, windows=windows) for reader in ("learner", "maintainer")
    )

    assert "[dev]" in maintainer
    assert "[dev]" not in learner
    assert all("pytest" in line for line in (learner, maintainer))
    assert all(line.startswith("py -m venv" if windows else "python3 -m venv")
               for line in (learner, maintainer))  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="the line is one for bash")
def test_a_line_is_run_whole_or_without_its_last_command(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"# Title\n\n```\n{LINES}```\n")

    whole, set_up = run(tmp_path, "learner"), run(tmp_path, "learner", "--set-up")

    assert (whole.returncode, whole.stdout.splitlines()[1:]) == (3, ["two"])
    assert (set_up.returncode, set_up.stdout.splitlines()[1:]) == (0, ["two"])
    assert (tmp_path / "help").exists()
    assert run(tmp_path, "maintainer").returncode == 4


def test_a_readme_with_other_lines_stops_everything(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing to type")

    found = run(tmp_path, "learner")

    assert (found.returncode, found.stderr) == (1, "README.md has 0 set-up lines, expected 2\n")


def test_each_line_runs_on_three_systems_and_ends_as_it_should() -> None:
    tests = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))
    matrix = tests["jobs"]["readme"]["strategy"]["matrix"]

    assert [each.partition("-")[0] for each in matrix["system"]] == ["ubuntu", "macos", "windows"]
    assert matrix["reader"] == module().READERS
    assert {each["reader"]: each["status"] for each in matrix["include"]} == {
        "learner": 1,
        "maintainer": 0,
    }


def jobs(path: Path) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return list(found.values())


def used(path: Path) -> dict[str, str]:
    """The commit of each action."""
    steps = (step for job in jobs(path) for step in job["steps"])
    return dict(step["uses"].split("@") for step in steps if "uses" in step)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_named_by_commit_and_alike_everywhere(path: Path) -> None:
    found, others = used(path), used(CLASSROOM)

    assert all(re.fullmatch("[0-9a-f]{40}", each) for each in found.values())
    assert {name: others[name] for name in found if name in others} == {
        name: found[name] for name in found if name in others
    }
    assert path.read_text(encoding="utf-8").count(" # v") == len(
        re.findall("uses:", path.read_text(encoding="utf-8"))
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_job_may_do_only_what_it_needs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    may = {
        "release": {"attach": {"contents": "write"}, "publish": {"id-token": "write"}},
        "site": {"publish": {"pages": "write", "id-token": "write"}},
    }
    workflow = yaml.safe_load(text)
    found = {name: job["permissions"] for name, job in workflow["jobs"].items()
             if "permissions" in job}  # fmt: skip

    assert workflow["permissions"] == {"contents": "read"}
    assert found == may.get(path.stem, {})
    assert "secrets." not in text
    assert "persist-credentials: false" in text
    runs = [step.get("run", "") for job in jobs(path) for step in job["steps"]]
    assert not [each for each in runs if "${{" in each]  # what is inserted there is run


def test_containers_are_set_up_by_the_line_of_the_readme() -> None:
    container = (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    container = re.sub(r"^//.*$", "", container, flags=re.MULTILINE)
    docker = (ROOT / ".devcontainer" / "Dockerfile").read_text(encoding="utf-8")

    assert json.loads(container)["postCreateCommand"] == SET_UP.replace("python", "python3", 1)
    assert f"\nRUN {SET_UP}\n" in docker
    assert docker.startswith("# Nobody has built this image here")
