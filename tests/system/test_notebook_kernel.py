"""`check` and what goes with it in a real kernel, and in marimo."""

import ast
import json
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from kata.course.curriculum import exercises
from kata.course.source import read

PATIENCE = 600  # seconds, for a busy machine
IMPORTS = "import math\nimport torch\nfrom torch import Tensor\n"
KATA = "from kata import board, check, hint, reset, solution, submit"
WRONG = "def mask_scores(scores, mask):\n    return scores.masked_fill(mask, -torch.inf)"
RIGHT = WRONG.replace("(mask,", "(~mask,")


def definitions(slug: str) -> list[str]:
    """The functions of a solution, a cell each."""
    source = read(exercises()[slug].solution)
    lines = source.text.splitlines()
    tops = [each for each in source.tree.body if isinstance(each, ast.FunctionDef)]
    return ["\n".join(lines[each.lineno - 1 : each.end_lineno]) for each in tops]


@contextmanager
def kernel(home: Path) -> Iterator[Callable[..., list[Any]]]:
    """A real kernel; call it with cells to get what each shows, as the front end keeps it."""
    book = new_notebook()
    client = NotebookClient(
        book, resources={"metadata": {"path": str(home)}}, kernel_name="python3", allow_errors=True,
        timeout=PATIENCE,
    )  # fmt: skip

    def ran(*texts: str) -> list[Any]:
        first = len(book.cells)
        book.cells += [new_code_cell(each) for each in texts]
        for at, cell in enumerate(book.cells[first:], start=first):
            client.execute_cell(cell, at)
        nbformat.validate(book)
        return [cell.outputs for cell in book.cells[first:]]

    with client.setup_kernel():
        yield ran


def text(outputs: Any) -> str:
    """All that a cell shows, in a terminal's form and one line; nothing but one output."""
    (only,) = outputs
    told = "\n".join(only.traceback) if only.output_type == "error" else only.data["text/plain"]
    return " ".join(told.split())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "notebooks"
    folder.mkdir()
    return folder


def test_a_learner_in_a_real_kernel(home: Path) -> None:
    causal, padding, _, weights, attention = definitions("ex05_causal_masks")
    before = "x = torch.rand(1); torch.manual_seed(3); torch.set_num_threads(2); n = set(dir())"
    new = "{each for each in dir() if each[0] != '_'} - n - {'n'}"
    after = f"print(torch.get_num_threads(), torch.initial_seed(), {new})"
    cells = [
        *(IMPORTS + KATA, causal, padding, WRONG, weights, attention),
        *("check(mask_scores)", "hint()", "hint()", "solution('ex05')"),
        *("bool(check('causal_mask'))", RIGHT, before, "_ = check()", after),
        *("solution('ex05')", "submit()", "board()", "check('ex99')", "reset('ex05')", "submit()"),
    ]  # fmt: skip
    with kernel(home) as ran:
        shown = ran(*cells)
    (named,), first, second, locked = shown[6], *map(text, shown[7:10])
    assert named.output_type == "display_data"  # one output: the verdict and, in it, the mistake
    assert "looking for a known mistake" not in named.data["text/html"]
    assert "<svg" in named.data["text/html"]
    assert "the allowed keys are hidden" in text(shown[6])
    assert "look at cell [4], line 1" in text(shown[6])
    assert "hint 1 of" in first
    assert "hint 2 of" in second
    assert "hint 1 of" in second
    assert locked.startswith("not all claims of ex05_causal_masks hold yet")
    assert "Traceback" not in locked
    assert [each.output_type for each in shown[10]] == ["display_data", "execute_result"]
    assert shown[10][1].data["text/plain"] == "True"
    note = "`mask_scores` is defined in cells [4] and [12]; [12] counts, as it ran last"
    assert text(shown[13]) == f"✓ ex05_causal_masks: 73 of 73 claims hold {note}"
    assert shown[14][0].text == "2 3 set()\n"
    assert "def mask_weights" in text(shown[15])
    assert text(shown[16]).endswith("73 of 73 claims hold written: submission.zip")
    assert "✓ ex05_causal_masks ★ 73 of 73 claims hold" in text(shown[17])
    assert text(shown[18]) == "no exercise is called ex99; did you mean `ex19`?"
    assert text(shown[19]).startswith("the stub of ex05_causal_masks is in a new cell below")
    again = "written: submission.1.zip; hand in this one: submission.zip is older"
    assert again in text(shown[20])
    with zipfile.ZipFile(home / "submission.zip") as archive:
        assert archive.namelist() == ["ex05_causal_masks.py"]
        assert "masked_fill(~mask, -torch.inf)" in archive.read("ex05_causal_masks.py").decode()


def test_a_cell_with_a_mistake_is_mended_and_the_learners_own_stays(home: Path) -> None:
    own = [IMPORTS + "from kata import check, hunt", *definitions("ex05_causal_masks")]
    offered = "asked = hunt('ex05', form='line')\nprint(asked)\n"
    payload = "print(get_ipython().payload_manager.read_payload()[0]['text'])"
    with kernel(home) as ran:
        *_, shown = ran(*own, "_ = check()", offered + payload)
        sentence, cell = "".join(each.text for each in shown).split("%%mend", maxsplit=1)
        (name,) = re.findall(r"^def (\w+)", cell, re.MULTILINE)
        (right,) = (each for each in own if each.startswith(f"def {name}("))
        texts = ["%%mend" + cell, "%%mend ex05\n" + right, "check()", "%%mend ex05\n" + right]
        untouched, mended, still, over = map(text, ran(*texts))

    assert f"`{name}` in the new cell below is wrong in one place" in " ".join(sentence.split())
    assert "this notebook: nothing is changed yet" in untouched
    assert re.search(r"mended: all claims .* Changed tokens: (\d+); the fewest known: \1\.", mended)
    assert "ex05_causal_masks: 47 of 47" in still or "hold" in still
    assert "no file waits to be mended" in over


def test_a_loop_is_stopped_and_the_kernel_goes_on(home: Path) -> None:
    loop = "def softmax(scores, axis=-1):\n    while True:\n        pass"
    with kernel(home) as ran:
        ran("import numpy as np\nfrom kata import check", SOONER)
        stopped, goes_on = map(text, ran(f"{loop}\ncheck(softmax)", "1 + 1"))
    assert "is there a loop that does not end?" in stopped
    assert re.search(r"cell \[3\], line [23] in softmax", stopped)
    assert goes_on == "2"


# Than after ten seconds, which is too late for somebody who waits for tests.
SOONER = "from kata.notebook.check import judge\njudge.__defaults__ = (1.0,)"
INTERRUPTED = "interrupted: nothing more was judged, and your cells are as they were"
LOOP = "def softmax(scores, axis=-1):\n    print('in the loop', flush=True)\n    while True: pass"


def test_an_interrupt_is_short_and_the_kernel_goes_on(home: Path) -> None:
    """As the button of a front end sends it; a time limit must not come before it."""
    manager, client = start_new_kernel(cwd=str(home))
    try:
        client.execute_interactive("import numpy as np\nfrom kata import check", timeout=PATIENCE)
        interrupted = client.execute(f"{LOOP}\ncheck(softmax)")
        told_until(client, "execute_input")
        time.sleep(1)  # the loop has begun, and its limit of seconds is not over
        manager.interrupt_kernel()
        said = told_until(client, "error")
        assert said["ename"] == "InterruptedCheck"
        assert said["traceback"] == [INTERRUPTED]
        wait_for_reply(client, interrupted)  # what is asked before it is left undone
        # For a moment the kernel aborts what was sent before its reply was read.
        ends = (client.execute_interactive("1 + 1", timeout=PATIENCE) for _ in range(20))
        assert any(reply["content"]["status"] == "ok" for reply in ends)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def wait_for_reply(client: Any, request: str) -> None:
    while client.get_shell_msg(timeout=PATIENCE)["parent_header"]["msg_id"] != request:
        pass


def told_until(client: Any, kind: str) -> Any:
    """The content of the first message of this kind."""
    while True:
        message = client.get_iopub_msg(timeout=PATIENCE)
        if message["msg_type"] == kind:
            return message["content"]


MARIMO = """
import marimo
app = marimo.App()

@app.cell
def _():
    from kata import check
    return (check,)

@app.cell
def _(np):
    def softmax(scores, axis=-1):
        return scores / np.sum(scores, axis=axis, keepdims=True)
    return (softmax,)

@app.cell
def _(check, softmax):
    check(softmax)
    return

@app.cell
def _():
    import numpy as np
    return (np,)
"""


def test_marimo(home: Path) -> None:
    (home / "masks.py").write_text(MARIMO, encoding="utf-8")
    command = [sys.executable, "-m", "marimo", "-q", "export", "ipynb", "--include-outputs",
               "--sort", "top-down", "masks.py", "-o", "out.ipynb"]  # fmt: skip
    subprocess.run(command, cwd=home, check=True, timeout=PATIENCE, capture_output=True)
    told = json.dumps(json.loads((home / "out.ipynb").read_text(encoding="utf-8")))
    assert "scores divided by their sum" in told
    assert re.search(r"look at cell \[\d\], line 1", told)
