"""The notebooks: up to date, valid, true, and never written over anybody's work."""

import ast
import base64
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from kata.__main__ import main
from kata.course.cells import Cell, assembled
from kata.course.curriculum import CODE, Exercise, exercise_named, exercises
from kata.course.reasons import reason
from kata.course.source import contract, is_private, read
from kata.course.target import Target
from kata.handouts.notebook_cells import Cell as NewCell
from kata.handouts.notebook_cells import Kind, _title, cells_of, example_code, inline_figure
from kata.handouts.notebook_files import jupyter, notebooks
from kata.pictures.drawing import draw
from tests.helpers.later import nbformat
from tests.helpers.source_code import FORBIDDEN

ALL = list(exercises().values())
FEW = [exercise_named(short) for short in ("ex02", "ex06", "ex18", "ex21")]
LARGEST = 40_000  # bytes of a notebook with its figure
IMAGE = re.compile(r'<img width="860" alt="[^"]+" src="data:image/svg\+xml;base64,([\w+/=]+)">')


def filled(exercise: Exercise) -> Iterator[NewCell]:
    """The notebook with the solution in its cells; private helpers come with the first of them."""
    source = read(exercise.solution)
    written = {node.name: ast.get_source_segment(source.text, node) or ""
               for node in source.tree.body
               if isinstance(node, ast.FunctionDef | ast.ClassDef)}  # fmt: skip
    helpers = "\n\n".join(text for name, text in written.items() if is_private(name))
    for each in cells_of(exercise):
        if each.kind is not Kind.ANSWER:
            yield each
            continue
        yield NewCell(each.name, each.kind, f"{helpers}\n\n{written[each.name]}", each.about)
        helpers = ""


def run(cells: Iterator[NewCell] | list[NewCell]) -> tuple[str, dict[str, Any]]:
    """What all code cells print, run in order, and their names; `check` and the like do nothing."""
    names: dict[str, Any] = {"draw": draw, "check": str, "hint": str, "__name__": "__main__"}
    printed = StringIO()
    with redirect_stdout(printed):
        for each in cells:
            if each.kind is not Kind.TEXT and each.name != "setup":
                exec(compile(each.text, each.name, "exec"), names)
    return printed.getvalue(), names


def test_the_notebooks_in_the_repository_are_those_that_are_built() -> None:
    """`rm notebooks/*.ipynb && python -m kata notebooks` builds them again."""
    there = {path.name: path.read_bytes() for path in (CODE / "notebooks").glob("ex*")}
    built = {f"{exercise.slug}.ipynb": jupyter(exercise).encode() for exercise in ALL}

    assert sorted(there) == sorted(built)
    assert [name for name, content in there.items() if content != built[name]] == []
    assert {name: size for name, content in there.items()
            if (size := len(content)) > LARGEST} == {}  # fmt: skip


def test_a_notebook_is_valid_and_knows_what_its_cells_are() -> None:
    for exercise in FEW:
        assert_valid(exercise)


def assert_valid(exercise: Exercise) -> None:
    notebook = nbformat.reads(jupyter(exercise), as_version=4)
    nbformat.validate(notebook)
    known = [cell.metadata.kata.name for cell in notebook.cells
             if cell.metadata.kata.kind == "answer"]  # fmt: skip

    assert notebook.metadata.kata.exercise == exercise.slug
    assert known == contract(exercise).names
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_run_all_reaches_the_last_cell_before_anything_is_written() -> None:
    for exercise in FEW:
        assert_runs_unwritten(exercise)


def assert_runs_unwritten(exercise: Exercise) -> None:
    printed, names = run(cells_of(exercise))

    assert printed == ""
    assert "not written yet" in str(draw(names["picture"])), exercise.short


def test_filled_cells_print_what_their_comments_say_and_the_picture_shows_results() -> None:
    for exercise in FEW:
        assert_runs_filled(exercise)


def assert_runs_filled(exercise: Exercise) -> None:
    cells = [*filled(exercise)]
    said = [line.strip().removeprefix("# ") for cell in cells if cell.kind is Kind.EXAMPLE
            for line in cell.text.splitlines() if line.strip().startswith("# ")]  # fmt: skip
    printed, names = run(cells)
    picture = draw(names["picture"])

    assert printed.split() == " ".join(said).split()
    assert picture.notes == ()
    assert picture.grids or picture.curves
    ElementTree.fromstring(picture._repr_html_())


def test_the_filled_cells_are_the_exercise() -> None:
    for exercise in FEW:
        assert_assembled(exercise)


def assert_assembled(exercise: Exercise) -> None:
    cells = [Cell(at, piece.text) for at, piece in enumerate(filled(exercise))
             if piece.kind is not Kind.TEXT]  # fmt: skip
    found = assembled(cells, exercise)
    module = Target(Path("nowhere"), {exercise.slug: found.text}).module(exercise.slug)

    assert (found.missing, found.unread, found.hidden) == ((), (), {})
    assert all(hasattr(module, name) for name in contract(exercise).names)
    assert "suppress" not in found.text
    assert "find_spec" not in found.text


def test_the_figure_is_an_image_that_needs_no_other_file() -> None:
    for exercise in ALL:
        (image,) = IMAGE.findall(inline_figure(exercise))
        ElementTree.fromstring(base64.b64decode(image))
    title = next(piece.text for piece in cells_of(ALL[0]) if piece.name == "title")
    assert inline_figure(ALL[0]) in title


def test_a_story_is_short_and_does_not_talk_down() -> None:
    stories = {exercise.short: reason(exercise).why for exercise in ALL}

    assert {short: words for short, story in stories.items()
            if not 60 <= (words := len(story.split())) <= 125} == {}  # fmt: skip
    assert [short for short, story in stories.items() if FORBIDDEN.search(story)] == []


def test_the_first_cell_does_nothing_but_import_where_the_kata_is_installed() -> None:
    setup = next(each.text for each in cells_of(ALL[0]) if each.name == "setup")
    first, *_, last = ast.parse(setup).body

    assert isinstance(first, ast.Import)
    assert isinstance(last, ast.ImportFrom)
    assert last.module == "kata"
    names: dict[str, Any] = {}
    exec(compile(setup.rpartition("\n\n")[0], "setup", "exec"), names)
    assert "pip" not in names


def test_an_example_shows_a_tuple_as_python_does() -> None:
    assert example_code(">>> 1, [2]\n(1, [2])\n").splitlines()[1:] == [
        "    print((1, [2]))",
        "    # (1, [2])",
    ]


def test_work_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    assert main(["notebooks", str(folder), "--core"]) == 0
    mine = folder / "ex01_softmax.ipynb"
    mine.write_text(mine.read_text(encoding="utf-8").replace("not written yet", "done"), "utf-8")
    before = mine.read_bytes()
    (folder / "ex05_causal_masks.ipynb").unlink()
    capsys.readouterr()

    assert main(["notebooks", str(folder), "--core"]) == 0
    assert mine.read_bytes() == before
    assert capsys.readouterr().out.splitlines() == [
        f"new in {folder}: 1",
        f"already there in {folder}, and the same: 5",
        f"{mine} is kept: it was changed, or made by another version; for a new one, move it away",
        f"next: open {mine} in Jupyter, VS Code or Colab",
    ]


def test_what_nobody_worked_on_is_renewed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["notebooks", str(tmp_path), "--core"])
    monkeypatch.setattr("kata.handouts.notebook_cells.SETUP", "from kata import check\n")
    capsys.readouterr()
    main(["notebooks", str(tmp_path), "--core"])

    assert f"updated in {tmp_path}, where nobody had worked on them: 7" in capsys.readouterr().out


def test_an_old_notebook_of_unknown_origin_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ex01_softmax.ipynb").write_text("{}", encoding="utf-8")
    main(["notebooks", str(tmp_path), "--core"])

    assert (tmp_path / "ex01_softmax.ipynb").read_text(encoding="utf-8") == "{}"
    assert "is kept" in capsys.readouterr().out


def test_a_folder_that_cannot_be_made_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    assert main(["notebooks", str(tmp_path / "file"), "--core"]) == 2
    assert capsys.readouterr().err.startswith(f"cannot write {tmp_path / 'file'}")


def test_marimo_notebooks_are_python_and_no_files_of_exercises() -> None:
    made = notebooks(FEW, for_marimo=True)

    assert [*made] == [f"marimo_{exercise.slug}.py" for exercise in FEW]
    for content in made.values():
        ast.parse(content)


def test_building_twice_gives_the_same_bytes() -> None:
    before = jupyter(ALL[4])
    _title.cache_clear()

    assert jupyter(ALL[4]) == before
    assert notebooks(ALL[4:5]) == notebooks(ALL[4:5])
