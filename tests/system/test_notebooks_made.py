"""What `kata notebooks` makes runs in a real kernel, and in marimo."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from kata.course.cells import Cell, assembled
from kata.course.curriculum import CODE, Exercise, exercises
from kata.handouts.notebook_files import jupyter, notebooks
from tests.helpers.sampling import release, sample
from tests.kata.handouts.test_notebooks import (
    assert_assembled,
    assert_runs_filled,
    assert_runs_unwritten,
    assert_valid,
    filled,
)

ALL = exercises().values()
MASKS = exercises()["ex05_causal_masks"]
FORMATTING = "warning[general-formatting]"  # marimo misses the number of its own version


def run_all(folder: Path, *books: dict[str, Any]) -> list[dict[str, str]]:
    """What each cell of each shows as text after "Run All", one after the other in one kernel."""
    made = nbformat.reads(json.dumps(books[0]), as_version=4)
    made.cells += [cell for book in books[1:]
                   for cell in nbformat.reads(json.dumps(book), as_version=4).cells]  # fmt: skip
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(made, timeout=120, kernel_name="python3", resources=resources).execute()
    shown = [(cell.id, " ".join(str(each.get("text") or each.get("data", {}).get("text/plain", ""))
                                for each in cell.outputs))
             for cell in made.cells if cell.cell_type == "code"]  # fmt: skip
    size = len(shown) // len(books)
    return [dict(shown[at : at + size]) for at in range(0, len(shown), size)]


def solved() -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(jupyter(MASKS))
    texts = {f"{MASKS.short}-{each.name}": each.text for each in filled(MASKS)}
    for cell in notebook["cells"]:
        cell["source"] = texts[cell["id"]]
    return notebook


def marimo(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "marimo", *words],
        cwd=folder, capture_output=True, encoding="utf-8", timeout=300, check=False,
        env={"PYTHONPATH": str(CODE), "PATH": "", "HOME": str(folder)},
    )  # fmt: skip


@pytest.mark.parametrize("exercise", sample([*ALL]), ids=lambda exercise: exercise.short)
def test_a_notebook_is_whole_with_its_stub_and_with_its_solution(exercise: Exercise) -> None:
    assert_valid(exercise)
    assert_runs_unwritten(exercise)
    assert_runs_filled(exercise)
    assert_assembled(exercise)


@pytest.mark.timeout(300)
def test_run_all_reaches_the_end_before_anything_is_written_and_a_right_answer_passes(
    tmp_path: Path,
) -> None:
    unwritten, right = run_all(tmp_path, json.loads(jupyter(MASKS)), solved())

    assert "not written yet" in unwritten["ex05-picture"]
    assert unwritten["ex05-hint"]
    assert unwritten["ex05-mask_scores-example"] == ""
    assert re.search(r"(\d+) of \1 claims hold", right["ex05-whole"])
    assert "not drawn" not in right["ex05-picture"]
    assert right["ex05-causal_mask-example"] == "[[1, 0, 0], [1, 1, 0], [1, 1, 1]]\n"


@pytest.mark.timeout(300)
def test_marimo_finds_nothing_wrong(tmp_path: Path) -> None:
    some = sample([*ALL], one_in=7)
    for name, content in notebooks(some, for_marimo=True).items():
        (tmp_path / name).write_bytes(content)
    done = marimo(tmp_path, "check", *sorted(path.name for path in tmp_path.glob("*.py")))
    findings = re.findall(r"^(?:warning|error|critical)\[.*?\]", done.stdout + done.stderr, re.M)

    assert done.returncode == 0, done.stdout
    assert findings == [FORMATTING] * len(some)


@release
@pytest.mark.timeout(300)
def test_a_marimo_notebook_can_be_handed_in_as_one_of_jupyter(tmp_path: Path) -> None:
    (name, content), = notebooks([MASKS], for_marimo=True).items()  # fmt: skip
    (tmp_path / name).write_bytes(content)
    done = marimo(tmp_path, "export", "ipynb", name, "-o", "out.ipynb")
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / "out.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(each["source"]) for each in cells if each["cell_type"] == "code"]
    found = assembled([Cell(at, text) for at, text in enumerate(code)], MASKS)

    assert (found.missing, found.unread) == ((), ())
