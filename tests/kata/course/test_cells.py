"""The text that is made of cells does what the cells do in a real IPython, and nothing is lost."""

import ast
import builtins
import json

import pytest

from kata.course import cells as cells_module
from kata.course.catalogue import target_of
from kata.course.cells import MOST, OF_STARS, Assembly, Cell, assembled, completed, notes
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import LARGEST, UnusableError, contract, not_started, parse
from kata.judging.judge import judge
from kata.verdict import State
from tests.helpers import run_all
from tests.helpers.sampling import everything, sample

EX01 = exercises()["ex01_softmax"]
KEPT = ROOT / "tests" / "specimens" / "in_ipython.json"
USES_N = "def softmax():\n    return N"
# A notebook for each: its cells are run in IPython, and then `softmax` is called.
NOTEBOOKS = {
    "one cell": ["N = 3\n" + USES_N],
    "cells after the function count": ["N = 3", USES_N, "N = 4"],
    "the last definition counts": ["def softmax():\n    return 1", "def softmax():\n    return 2"],
    "a helper defined twice": ["def h(): return 1", "def softmax(): return h()", "def h(): pass"],
    "a default is taken at once": ["N = 1", "def softmax(n=N): return n, N", "N = 2"],
    "a decorator is used at once": [
        "def twice(f): return lambda: 2 * f()",
        "@twice\ndef softmax(): return 1",
        "def twice(f): return lambda: 5 * f()",
    ],
    "a base class is used at once": [
        "class B:\n    n = 1",
        "class C(B):\n    pass",
        "class B:\n    n = 2",
        "def softmax(): return C().n, B().n",
    ],
    "what is called at once sees what was there": [
        "SIZE = 4",
        "def table(): return [SIZE] * 2",
        "TABLE = table()",
        "SIZE = 5",
        "def softmax(): return TABLE, SIZE",
    ],
    "a method of a base class is called later": [
        "K = 1",
        "class B:\n    def f(self): return K",
        "class C(B): pass",
        "K = 2",
        "def softmax(): return C().f()",
    ],
    "a name with its own earlier value": ["N = 1", "N = N + 1", "N += 5", USES_N],
    "a wrapped function": ["def softmax(): return 1", "f = softmax\nsoftmax = lambda: f() + 1"],
    "a class that is completed later": [
        "class M:\n    pass",
        "def forward(self): return 7",
        "M.forward = forward",
        "def forward(self): return 8",
        "def softmax(): return M().forward()",
    ],
    "a class that is completed with setattr": [
        "class M: pass",
        "setattr(M, 'n', 3)",
        "def softmax(): return M.n",
    ],
    "a class derived from itself": [
        "class M:\n    n = 1",
        "class M(M):\n    k = 2",
        "def softmax(): return M.n + M.k",
    ],
    "a method that names its class": [
        "class M:\n    n = 4\n    def f(self): return M.n",
        "def softmax(): return M().f()",
    ],
    "a class attribute with the name of what it is made from": [
        "N = 3",
        "class M:\n    N = N + 1",
        "def softmax(): return M.N",
    ],
    "a class attribute that hides an experiment": [
        "N = 1 / 0",
        "class M:\n    N = 3\n    K = N + 1",
        "def softmax(): return M.K",
    ],
    "a base class that is completed later": [
        "class B: pass",
        "class M(B): pass",
        "B.n = 3",
        "class B: n = 4",
        "B.n = 5",
        "def softmax(): return M.n",
    ],
    "another name for a function": [
        "N = 1\ndef f(): return N",
        "g = f",
        "N = 2",
        "TABLE = g()",
        "N = 3",
        "def softmax(): return TABLE, g()",
    ],
    "set with global by a function that another calls": [
        "N = 1\ndef f():\n    global N\n    N = 5",
        "def g(): f()",
        "g()",
        USES_N,
    ],
    "deleted after it was used": ["N = 1", "K = N", "del N", "def softmax(): return K, N"],
    "a block that is left early": [
        "from contextlib import suppress\nN = 1",
        "with suppress(Exception): N = missing",
        USES_N,
    ],
    "a registered function": [
        "from functools import singledispatch",
        "@singledispatch\ndef kind(x): return 'any'",
        "@kind.register\ndef _(x: int): return 'int'",
        "def softmax(): return kind(3)",
    ],
    "a changed list": ["N = [1]", "N.append(2)\nN[0] = 5", "print(N)", USES_N],
    "a list changed in a loop": ["N = [0, 0]", "for k in range(2):\n    N[k] = k", USES_N],
    "a loop variable hides an experiment": [
        "k = 1 / 0",
        "N = {}\nfor k in range(3):\n    N[k] = [k * j for j in range(2)]",
        USES_N,
    ],
    "a comprehension variable is no name of the module": [
        "row = 1 / 0",
        "N = [row for row in range(3)]",
        USES_N,
    ],
    "a local variable hides an experiment": [
        "def softmax(x=2):\n    row = x\n    return (lambda y: row + y)(1)",
        "row = x = y = undefined",
    ],
    "a nested function": ["N = 1", "def softmax():\n    def f(): return N\n    return f()"],
    "in blocks": [
        "if True:\n    N = 1\nelse:\n    N = 2",
        "import contextlib\nwith contextlib.suppress(Exception):\n    N = [N]",
        "try:\n    N = (N, oops)\nexcept NameError as error:\n    K = str(error)",
        "def softmax(): return N, K",
    ],
    "a branch that is not taken": ["N = 1", "if not N:\n    N = 2", USES_N],
    "an import that may fail": [
        "try:\n    import no_such_library as library\nexcept ImportError:\n    library = None",
        "def softmax(): return library",
    ],
    "a part of a library": [
        "import os\nimport xml.dom",
        "import xml",
        "def softmax(): return xml.dom.__name__",
    ],
    "several imports in one line": ["import os, math as m; N = m.floor(2.5); print(N)", USES_N],
    "a star": ["from math import *", "def softmax(): return floor(2.5)"],
    "a star that hides a builtin": [
        "from numpy import *",
        "def softmax(): return str(sum([[1], [2]]))",
    ],
    "set with global": ["def setup():\n    global N\n    N = 5", "setup()", USES_N],
    "set again with global": ["N = 1", "def setup():\n    global N\n    N = 5", "setup()", USES_N],
    "set with global when called": [
        "N = 1",
        "def softmax():\n    global N\n    N += 1\n    return N",
    ],
    "deleted": ["N = 1", USES_N, "del N"],
    "deleted and defined again": ["N = 1", "del N", "N = 2", USES_N],
    "a function that is deleted": ["def softmax(): return 1", "del softmax"],
    "only annotated": ["N = 1", "N: int", USES_N],
    "a walrus": ["print(N := 4)", "[K := j for j in range(3)]", "def softmax(): return N, K"],
    "unpacked": ["N, (K, *L) = 1, (2, 3, 4)", "def softmax(): return N, K, L"],
    "a match": [
        "match {'a': 1, 'b': 2}:\n    case {'a': N, **K}: pass",
        "def softmax(): return N, K",
    ],
    "several statements in one line": [
        "N = 1; K = N + 1; L = '''a\nb'''; M = 3",
        "def softmax(): return N, K, L, M",
    ],
    "after letters of several bytes": ["größe = 'ä€😀'; N = größe + '😀'; print(1)", USES_N],
    "postponed annotations": [
        "N = 1",
        "from __future__ import annotations",
        "def softmax(x: Missing = 3): return N",
    ],
    "annotations in quotes": ["def softmax(x: 'batch' = 3): return x", "batch = 1 / 0"],
    "a dataclass": [
        "from dataclasses import dataclass",
        "@dataclass\nclass P:\n    n: int = 3",
        "def softmax(): return P().n",
    ],
    "Windows' ends of lines": ["N = '''a\r\nb'''\r\n" + USES_N.replace("\n", "\r\n")],
    "old ends of lines": ["N = 1\r" + USES_N.replace("\n", "\r")],
    "form feeds and tabs": ["\fN = 1\n\f\nif N:\n\tN = 2\n", "def softmax():\n\treturn N"],
    "magics": ["%pwd\n!echo \\\n  a\nN = 1\n%pwd", "?N", "N?", "N??", USES_N],
    "a magic in a block": ["if True:\n    %pwd\n    N = 1\n    !true", USES_N],
    "text that looks like a magic": ['N = """\n%time\n!ls\nwhat?\n"""\n%pwd', USES_N],
    "text in brackets that looks like a magic": [
        "%pwd\nN = (7\n% 4)\nK = '?'  # or not?\n",
        USES_N,
    ],
    "the result of a command": ["files = !echo a\nN = 1\nnow = %pwd", USES_N],
    "a cell that is timed": ["%%time\nN = 1", USES_N],
    "a cell that is captured and timed": ["\n%%capture out\n%%time\nN = 1", USES_N],
    "a line that is timed": ["%time N = 2", USES_N],
    "a cell that is timed many times": ["N = 1", "%%timeit -n 1 -r 1\nN = 2", USES_N],
    "a cell of another language": ["N = 1", "%%bash\nN=2", USES_N],
    "a cell that is indented": ["    N = 1\n    if N:\n        N = 3\n", USES_N],
    "a cell with prompts": [">>> N = 1\n>>> if N:\n...     N = 4", USES_N],
    "a broken cell": ["N = 1", "N = 2 +", "N = (", "N = 'a\\", "N = '''", "N = 1\0", USES_N],
    "a cell that stops where it cannot be run": ["N = 1", "N = 2\nreturn 3\nN = 4", USES_N],
    "await": ["import asyncio", "K = await asyncio.sleep(0, 5)", "N = 1", USES_N],
    "a name that nobody defines": [USES_N],
}  # fmt: skip


def cells(*texts: str) -> list[Cell]:
    return [Cell(number, text) for number, text in enumerate(texts, start=1)]


def put_together(*texts: str) -> Assembly:
    return assembled(cells(*texts), EX01)


def in_ipython() -> dict[str, str]:
    """What each notebook does in IPython, as tests/system finds it."""
    kept: dict[str, str] = json.loads(KEPT.read_text(encoding="utf-8"))
    return kept


def test_the_text_does_what_the_cells_do_in_ipython() -> None:
    assert {name: together(*texts) for name, texts in NOTEBOOKS.items()} == in_ipython()


def together(*texts: str) -> str:
    """What the text that is made of the cells does."""
    names: dict[str, object] = {"__name__": "ex01_softmax"}
    exec(put_together(*texts).text, names)
    return run_all.result(names)


def test_each_line_has_its_place() -> None:
    found = put_together(
        "x = 1", "%%time\n\nN = (1,\n  2); print(N)", "# no\n@staticmethod\n" + USES_N
    )

    assert [line for line in found.text.split("\n") if line] == [
        "N = (1,", "  2)", "@staticmethod", "def softmax():", "    return N",
    ]  # fmt: skip
    assert found.places == {1: (2, 3), 2: (2, 4), 3: (3, 2), 4: (3, 3), 5: (3, 4)}


def test_postponed_annotations_come_first() -> None:
    found = put_together("import math", "from __future__ import annotations", USES_N, "N = math.e")

    assert found.text.splitlines()[0] == "from __future__ import annotations"
    assert found.places[1] == (2, 1)
    parse(EX01.stub, found.text)


def test_only_what_is_needed_is_there() -> None:
    found = put_together(
        "import numpy as np, math", "import torch", "E = np.e\nx = [1]", "x.append(E)", "print(x)",
        "def helper(): return E", "def softmax(): return helper()", "softmax.__doc__.strip()",
        "E.plot()", "if __name__ == '__main__':\n    E = 1 / 0", "softmax()",
    )  # fmt: skip

    assert [number for number, _ in found.places.values()] == [1, 3, 6, 7]


def test_a_name_in_quotes_is_looked_up_only_if_it_can_be_a_type() -> None:
    annotated = "def softmax(x: 'list[M]', y: 'Tensor', z: 'batch'): return x"
    found = put_together("from torch import Tensor", "class M: pass", "batch = 1 / 0", annotated)

    assert "batch = " not in found.text
    assert "import Tensor" in found.text
    assert "class M" in found.text


def test_what_is_missing_and_what_is_not_python_is_told() -> None:
    found = put_together("x = [", "%%bash\nls", "del x", "N = 1\nreturn 3", "def softmax(): pass")
    deleted = put_together("def softmax(): pass", "del softmax")

    assert (found.missing, found.unread) == ((), (1, 4))
    assert deleted.missing == put_together().missing == ("softmax",)


def test_notes_say_which_of_several_definitions_counts() -> None:
    found = assembled(
        [Cell(2, "N = 1", 7), Cell(4, USES_N, 9), Cell(5, "import os"),
         Cell(6, "import os\nN = 2", 3), Cell(8, "N = 2\ndef unused(): pass"),
         Cell(9, USES_N + "\n", 8), Cell(11, "N = 3", 6)],
        EX01,
    )  # fmt: skip

    assert found.hidden == {"N": (2, 6, 8, 11)}  # the two of softmax are the same
    assert found.ran_last == {"N": 2}
    assert list(notes(found)) == [
        "N is defined in cells [2], [6], [8] and [11]; [11] counts, as it does after Run All, "
        "though [2] was run last"
    ]
    assert list(notes(put_together("N = 1", USES_N, "N = 2"), "{}".format)) == [
        "N is defined in cells 1 and 3; 3 counts"
    ]


@pytest.mark.parametrize("last", ["if unknown: N = 2", "del N", "N = 1"])
def test_nothing_is_noted_if_nobody_knows_what_counts_or_it_does_not_matter(last: str) -> None:
    assert list(notes(put_together("N = 1", USES_N, last))) == []


def test_a_definition_that_an_import_hides_does_not_count() -> None:
    found = put_together("def N(): pass", USES_N, "from math import pi as N")

    assert list(notes(found)) == ["N is defined in cells [1] and [3]; [3] counts"]


def test_what_no_cell_defines_is_not_written_yet() -> None:
    for exercise in exercises().values():
        assert_unwritten(exercise)
    for slug in sample([*exercises()]):
        exercise = exercises()[slug]
        nothing = completed(assembled([], exercise), exercise)
        verdict = judge(exercise, target_of(exercise, nothing.text))
        assert {claim.state for claim in verdict.claims} <= {State.NOT_STARTED, State.SKIPPED}


def assert_unwritten(exercise: Exercise) -> None:
    nothing = completed(assembled([], exercise), exercise)
    name = contract(exercise).names[0]
    tree = parse(exercise.stub, nothing.text).tree
    rest = completed(assembled(cells(f"{name} = 3"), exercise), exercise)

    assert not_started(parse(exercise.stub, nothing.text), exercise)
    assert {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)} <= set(
        dir(builtins)
    ) | {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
    assert [name, *rest.missing] == contract(exercise).names
    assert rest.text.startswith(f"{name} = 3\n")


def test_the_text_is_no_larger_than_a_file_may_be() -> None:
    words = f"'{'a' * 2000}'"
    with pytest.raises(UnusableError) as error:
        put_together(*(f"N = {words}, *N" for _ in range(LARGEST // 2000 + 1)), USES_N)

    assert str(error.value) == f"{EX01.filename} is larger than {LARGEST} bytes"
    assert str(error.value) == "ex01_softmax.py is larger than 32768 bytes"


def test_a_cell_larger_than_any_file_is_not_read() -> None:
    found = put_together(f"N = '{'a' * LARGEST}'", USES_N)

    assert (found.large, found.unread) == ((1,), ())
    assert "N =" not in found.text


def test_a_notebook_with_too_much_code_is_refused() -> None:
    with pytest.raises(UnusableError, match=r"^the code of all cells together is longer than 1048"):
        put_together(*("x = 1\n" * 1000 for _ in range(MOST // 6000 + 1)))


def test_names_that_depend_on_one_another_without_end_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part = 1 if everything() else 20
    assert cells_module.MOST_STEPS == 200_000
    monkeypatch.setattr(cells_module, "MOST_STEPS", cells_module.MOST_STEPS // part)
    names = [f"n{number}" for number in range(400)]
    calls = [f"def f(): return {' + '.join(names)}", *(f"{name} = 1" for name in names)]
    with pytest.raises(UnusableError, match=r"too many names in them depend on one another$"):
        put_together("def softmax(): return x", *calls, "x = 0", *["x = f() + x"] * (1500 // part))


# What Python gives up on, or takes only just; with what is left of the notebook around it.
DEEP = {
    "brackets": "[" * 200_000, "brackets in a small cell": "[" * 30_000,
    "closed brackets": f"y = {'[' * 90}{']' * 90}", "signs": f"y = {'-' * 30_000}1",
    "a sum": f"y = {'+'.join(['1'] * 16_000)}", "attributes": f"x{'.y' * 15_000}",
    "branches": "if 1: pass\n" + "elif 1: y = 1\n" * 2000,
    "comprehensions": f"y = {'[x for x in ' * 150}y{']' * 150}", "digits": f"y = {'9' * 5000}",
    "a null byte": "y = 1\0", "half a character": "\ud800 = 1",
    "a mark of the order of bytes": "\ufeffy = 1", "quotes": "%ls\n" + '\'"""\'' * 5000,
    "backslashes": "%ls\\\n" * 8000,
}  # fmt: skip


def test_no_cell_stops_the_others_from_being_read() -> None:
    for name, deep in DEEP.items():
        found = put_together("N = 3", deep, USES_N, deep)

        assert (name, found.text.split()) == (name, f"N = 3 {USES_N}".split())
        assert set(found.unread) | set(found.large) <= {2, 4}, name


def test_what_is_nested_nearly_too_deeply_is_taken_or_left() -> None:
    """Python's limit depends on how deep it is itself, so that one depth is read only once."""
    for depth in range(900, 1000, 1 if everything() else 9):
        found = put_together(f"N = {'+'.join(['1'] * depth)}", USES_N)

        assert ("N = 1" in found.text) == (found.unread == ())


def test_the_builtins_that_a_star_may_replace_are_those_of_numpy_and_torch() -> None:
    brought: dict[str, object] = {}
    exec("from numpy import *\nfrom torch import *", brought)

    names = {name for name in dir(builtins) if name in brought and not name.startswith("__")}
    assert names <= OF_STARS


def test_nothing_of_the_cells_is_run_or_warned_of(recwarn: pytest.WarningsRecorder) -> None:
    put_together("N = '\\d' is 1\nN.append(1 / 0)", USES_N)

    assert list(recwarn) == []
