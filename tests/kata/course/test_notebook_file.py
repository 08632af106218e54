"""What is read of a notebook file, and that anything else is one line."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from kata.course.notebook_file import (
    LARGEST_CODE,
    LARGEST_NOTEBOOK,
    MOST_CELLS,
    NotebookCell,
    NotebookError,
    notebook,
)
from tests.helpers.later import nbformat
from tests.helpers.sampling import everything

BROKEN = "not a notebook: "


def code(source: object, **metadata: object) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": []}


def written(*cells: object, **metadata: object) -> bytes:
    found = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    return json.dumps(found).encode()


def texts(content: bytes) -> list[str]:
    return [each.text for each in notebook(content).cells]


def refused(content: bytes) -> str:
    with pytest.raises(NotebookError) as error:
        notebook(content)
    assert str(error.value).isprintable()
    return str(error.value)


def test_what_nbformat_writes_is_read() -> None:
    made = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "language": "python", "display_name": "P"}},
        cells=[
            nbformat.v4.new_markdown_cell("# Masks"),
            nbformat.v4.new_code_cell("a = 1\nb = 2"),
            nbformat.v4.new_raw_cell("raw"),
            nbformat.v4.new_code_cell("c = 'ä'", metadata={"tags": ["ex07"], "kata": "ex05"}),
        ],
    )

    found = notebook(nbformat.writes(made).encode())

    assert found.cells == (NotebookCell(1, "a = 1\nb = 2"),
                           NotebookCell(2, "c = 'ä'", labels=("ex05", "ex07")))  # fmt: skip


def test_a_source_may_be_a_list_of_lines() -> None:
    assert texts(written(code(["a = 1\n", "b = 2"]), code("c = 3"), code([]))) == [
        "a = 1\nb = 2", "c = 3", "",
    ]  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_editors_encode_as_they_like(encoding: str) -> None:
    content = b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x"}]}'

    assert texts(content.decode().encode(encoding)) == ["x"]


def test_outputs_may_hold_what_json_does_not() -> None:
    """Jupyter writes NaN, and reads any number of digits."""
    content = written(code("x") | {"outputs": [float("nan"), float("inf"), 1]})

    assert texts(content.replace(b"1]", b"9" * 5000 + b"]")) == ["x"]


def test_cells_that_are_none_are_counted_and_cost_nothing_else() -> None:
    odd = [3, None, [], {}, {"cell_type": 1, "source": "y"}, {"cell_type": "code"}]
    odd += [code(3), code(["a", 3]), code(float("nan")), code({"a": 1})]
    found = notebook(written(*odd, code("x")))

    assert [each.text for each in found.cells] == ["x"]
    assert found.odd == len(odd)


def test_cells_in_another_language_are_left_out_and_counted_as_cells() -> None:
    content = written(code("a"), code("b", vscode={"languageId": "r"}), code("c"))

    assert notebook(content).cells == (NotebookCell(1, "a"), NotebookCell(3, "c"))


@pytest.mark.parametrize("metadata", [
    *(3, [], {"language_info": 3}, {"kernelspec": {"language": 3}}),
    *({"kernelspec": {"language": "Python"}}, {"kata": [3]}),
])  # fmt: skip
def test_odd_metadata_say_nothing(metadata: object) -> None:
    found = {"nbformat": 4, "metadata": metadata, "cells": [code("x") | {"metadata": metadata}]}

    assert texts(json.dumps(found).encode()) == ["x"]


@pytest.mark.parametrize(
    "metadata",
    [{"kernelspec": {"language": "R"}}, {"language_info": {"name": "R"}, "kernelspec": {}}],
)
def test_a_notebook_in_another_language_is_refused(metadata: dict[str, Any]) -> None:
    assert refused(written(code("x"), **metadata)) == "a notebook in R, not in Python"


@pytest.mark.parametrize(("content", "reason"), [
    (b"", f"{BROKEN}Expecting value: line 1 column 1 (char 0)"),
    (b"<html>", f"{BROKEN}Expecting value: line 1 column 1 (char 0)"),
    (written(code("x"))[:-3], f"{BROKEN}Expecting ',' delimiter"),
    (b'"\xff"', f"{BROKEN}'utf-8' codec can't decode byte 0xff"),
    (b"[" * 200_000, f"{BROKEN}its parts are too deeply nested"),
    (b'{"cells":' * 100_000, f"{BROKEN}its parts are too deeply nested"),
    (b'{"cells": 3}', f"{BROKEN}it holds no list of cells in a known format"),
    (b'{"nbformat": 4, "cells": {}}', f"{BROKEN}it holds no list of cells"),
    (b'{"nbformat": "4", "cells": []}', f"{BROKEN}it holds no list of cells"),
    (b'{"nbformat": NaN, "cells": []}', f"{BROKEN}it holds no list of cells"),
    (b"[]", f"{BROKEN}it holds no list of cells"), (b"3", f"{BROKEN}it holds no list of cells"),
    (b'{"cells": [], "cells": []}', f"{BROKEN}one of its parts has `cells` twice"),
    (b'{"a": [{"\\n": 1, "\\n": 1}]}', f"{BROKEN}one of its parts has `\\n` twice"),
], ids=range(14))  # fmt: skip
def test_what_is_no_notebook_is_one_line(content: bytes, reason: str) -> None:
    assert refused(content).startswith(reason)


@pytest.mark.parametrize("form", [1, 2, 3, 5])
def test_other_formats_are_named(form: int) -> None:
    worksheets = [{"cells": [{"cell_type": "code", "input": "x", "language": "python"}]}]
    content = json.dumps({"nbformat": form, "worksheets": worksheets}).encode()

    assert refused(content) == (
        f"a notebook in format {form}, where 4 is read; Jupyter can convert it"
    )


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: written(code("x") | {"outputs": ["a" * LARGEST_NOTEBOOK]}),
         "a notebook of more than 8 MiB; without its outputs it is smaller"),
        (lambda: written(*[code("x")] * (MOST_CELLS + 1)),
         "a notebook of more than 2000 code cells"),
        (lambda: written(code("x" * LARGEST_CODE), code("y")),
         "a notebook with more than 256 KiB of code"),
    ],
)  # fmt: skip
def test_what_is_too_large_is_refused(make: Callable[[], bytes], reason: str) -> None:
    assert refused(make()) == reason


@pytest.mark.timeout(60)  # a search in them that is quadratic takes hours
def test_many_small_parts_are_refused_before_long() -> None:
    part = 1 if everything() else 6
    for content in (
        b"[" + b"[]," * (2_700_000 // part) + b"[]]",
        b"[" + b'{"":0},' * (1_100_000 // part) + b"{}]",
        b'{"nbformat":4,"cells":['
        + b'{"cell_type":"code","source":""},' * (200_000 // part) + b"3]}",
        b"{" + b",".join(b'"%d":0' % (n // 2) for n in range(600_000 // part)) + b"}",
    ):  # fmt: skip
        assert len(content) <= LARGEST_NOTEBOOK
        assert refused(content), content[:20]
