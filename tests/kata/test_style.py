"""What no linter checks: short functions, the rooms of kata/, and words that talk down."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT, exercises
from tests.conftest import IMPORTED
from tests.helpers.source_code import FORBIDDEN, tree

LONGEST = 30  # lines of a function, without its docstring
LONGEST_MODULE = 500
SHORTEST_MODULE = 40  # lines of a module that only one other module of its room imports
KATA = ROOT / "kata"
PRELOADED = {"learner/preload.py"}  # by its name, in a process that forks others
A_SENTENCE = 5  # words
TESTS = ROOT / "tests" / "kata"
CODE = [*ROOT.glob("kata/**/*.py"), *ROOT.glob("solutions/*.py"), *ROOT.glob("benchmarks/*.py"),
        *ROOT.glob("tests/graded/*.py")]  # fmt: skip
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("exercises/*"),
         *ROOT.glob("bugs/*.toml"), *ROOT.glob("tests/graded/*.py")]  # fmt: skip


def rooms() -> list[Path]:
    """All folders of kata/ that contain Python files."""
    return sorted({path.parent for path in KATA.rglob("*.py")} - {KATA})


def functions(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Each function with its lines; statements hold functions, expressions hold none."""
    for statement in ast.iter_child_nodes(node):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            documented = ast.get_docstring(statement) is not None
            body = statement.body[1:] if documented else statement.body
            yield statement.name, (statement.end_lineno or 0) - body[0].lineno + 1 if body else 0
        if isinstance(statement, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from functions(statement)


def test_functions_are_short() -> None:
    lengths = [(path.relative_to(ROOT).as_posix(), *function)
               for path in CODE for function in functions(tree(path))]  # fmt: skip

    assert [function for function in lengths if function[-1] > LONGEST] == []
    assert len(lengths) > 3_000


def test_a_long_function_is_found_wherever_it_stands() -> None:
    long = "async def f():\n" + "    x = 1\n" * 31
    for line in ("class C:", "try: pass\nexcept E:", "match x:\n case 1:", "def g():"):
        text = f"{line}\n" + "".join(f"  {part}\n" for part in long.splitlines())
        assert ("f", 31) in [*functions(ast.parse(text))]


def test_modules_are_short() -> None:
    lengths = {path.relative_to(KATA).as_posix(): len(path.read_text("utf-8").splitlines())
               for path in KATA.rglob("*.py")}  # fmt: skip

    assert {module: lines for module, lines in lengths.items()
            if lines > LONGEST_MODULE} == {}  # fmt: skip


def imported_modules(path: Path) -> set[str]:
    """The modules that a file imports, also by `from room import module`."""
    names = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_a_module_is_a_chapter_and_no_helper_of_another_one() -> None:
    modules = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts)
               for path in KATA.rglob("*.py") if path.name != "__init__.py"}  # fmt: skip
    importers: dict[str, list[Path]] = {name: [] for name in modules.values()}
    for path in modules:
        for name in imported_modules(path) & importers.keys():
            importers[name].append(path)

    helpers = {path.relative_to(KATA).as_posix() for path, name in modules.items()
               if len(path.read_text("utf-8").splitlines()) < SHORTEST_MODULE
               and [importer.parent for importer in importers[name]] == [path.parent]}  # fmt: skip
    assert helpers == PRELOADED


def test_a_room_says_what_is_in_it() -> None:
    told = {str(room.relative_to(KATA)): ast.get_docstring(tree(room / "__init__.py")) or ""
            for room in rooms()}  # fmt: skip

    assert {room: text for room, text in told.items()
            if len(text.split("\n\n")[0].split()) < A_SENTENCE} == {}  # fmt: skip


def test_every_room_has_tests_of_its_own() -> None:
    tests = {path.parent for path in TESTS.rglob("test_*.py")}
    tested = {folder for path in tests for folder in (path, *path.parents)}

    assert [
        room for room in rooms() if room.parent == KATA and TESTS / room.name not in tested
    ] == []


def test_no_word_talks_down() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
             for path in TEXTS if path.is_file()}  # fmt: skip
    unquoted = {name: re.sub(r'"[^"\n]*"', "", text) if name.endswith(".md") else text
                for name, text in texts.items()}  # fmt: skip

    assert {name: words for name, text in unquoted.items()
            if (words := FORBIDDEN.findall(text))} == {}  # fmt: skip
    assert FORBIDDEN.findall("It is Just so") == ["Just"]


def strings(path: Path) -> Iterator[str]:
    """All strings of a module except docstrings; an f-string as its parts."""
    nodes = list(ast.walk(tree(path)))
    docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
    yield from (node.value for node in nodes
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
                and node not in docstrings)  # fmt: skip


def test_no_text_in_the_code_talks_down() -> None:
    texts = {path.relative_to(ROOT).as_posix(): [*strings(path)] for path in KATA.rglob("*.py")}

    assert {name: wrong for name, said in texts.items()
            if (wrong := [text for text in said if FORBIDDEN.search(text)])} == {}  # fmt: skip
    assert sum(map(len, texts.values())) > 10_000


def test_collecting_tests_imports_nothing_that_takes_long(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.stash[IMPORTED] == set()


def test_hints_never_give_the_code() -> None:
    for exercise in exercises().values():
        for bug in bugs(exercise):
            code = [text.strip() for pair in bug.change for text in pair if "(" in text]
            told = [hint for hint in bug.hints if any(each in hint for each in code)]
            assert told == [], bug.slug
