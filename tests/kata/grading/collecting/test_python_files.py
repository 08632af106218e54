"""Python files that are not UTF-8, and plots in them; every line keeps its place."""

import codecs
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.course.source import LARGEST
from kata.grading.collecting.python_files import as_text, without_plots
from kata.grading.collecting.submissions import Submission
from tests.helpers.handed_work import EX01, EX05, F01, F05
from tests.helpers.handing_in import only_student, write

TEXT = ('"""Größe."""\nimport torch\n\ndef causal_mask(n):\n    """Maske: é"""\n'
        "    return torch.ones(n, n).tril().bool()  # öö … \n")  # fmt: skip
PLAIN = TEXT.encode().decode("ascii", "ignore")
REFUSED = "not UTF-8 text; save it as UTF-8"


def submission(tmp_path: Path, content: bytes, name: str = F05) -> Submission:
    return only_student(write(tmp_path / "class", {f"alice/{name}": content}))


CERTAIN = [
    (TEXT.encode("utf-16"), "UTF-16"),
    (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "UTF-16"),
    (TEXT.encode("utf-16-le"), "UTF-16"),
    (TEXT.encode("utf-16-be"), "UTF-16"),
    (TEXT.encode("utf-32"), "UTF-32"),
    (TEXT.encode("cp1252"), "an unknown encoding, which matters in comments alone"),
    (TEXT.replace("…", "").encode("latin-1"),
     "an unknown encoding, which matters in comments alone"),
]  # fmt: skip


@pytest.mark.parametrize("name", [F05, "ex05.py", "homework.py"])
def test_what_is_certain_is_read_and_told(tmp_path: Path, name: str) -> None:
    for content, encoding in CERTAIN:
        work = submission(tmp_path, content, name)

        text = work.files[EX05].decode()
        assert "return torch.ones(n, n).tril().bool()" in text
        assert name != F05 or text.splitlines()[2:4] == TEXT.splitlines()[2:4]
        told = f"read, though not UTF-8 text but {encoding}; save it as UTF-8: {name}"
        assert told in work.notes, content[:30]


def test_lines_stay_where_they_are(tmp_path: Path) -> None:
    odd = TEXT.replace("Größe", "Größe …").encode("cp1252")  # 0x85 would end a line in Latin-1

    assert len(submission(tmp_path, odd).files[EX05].decode().splitlines()) == TEXT.count("\n")


def test_the_coding_line_is_believed(tmp_path: Path) -> None:
    content = ("# -*- coding: latin-1 -*-\nname = 'é'\n" + TEXT.replace("…", "")).encode("latin-1")

    assert submission(tmp_path, content) == Submission("alice", {EX05: content})


def test_one_that_lies_is_not(tmp_path: Path) -> None:
    content = ("# coding: utf-8\n" + TEXT).encode("cp1252")
    wide = ("# coding: utf-16\n" + TEXT).encode("utf-16")

    assert b"coding: utf-8" in submission(tmp_path / "1", content).files[EX05]
    assert submission(tmp_path / "2", wide).files[EX05].startswith(b"# coding: utf-8\n")


def test_code_in_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    texts = "größe = 3", "x = 'é'", "def f(): 'é'", "x = ('é')", "# é\n'''é", "f'é'"
    for text in texts:
        work = submission(tmp_path, f"{text}\n{PLAIN}".encode("latin-1"))

        assert (text, work.files) == (text, {})
        assert work.problem == f"it contains no exercise; not read: {F05}: {REFUSED}", text


def test_eighteen_of_them_are_one_line(tmp_path: Path) -> None:
    some = [*exercises().values()][:18]
    files = {f"alice/{exercise.filename}": "größe = 3\n".encode("cp1252") for exercise in some}
    submission = only_student(write(tmp_path, files))

    assert submission.problem == (
        "it contains no exercise; not read: ex01_softmax.py, ex02_attention_scores.py, "
        f"ex03_self_attention.py and 15 more: {REFUSED}"
    )


def test_the_others_count(tmp_path: Path) -> None:
    write(tmp_path / "alice", {F05: "größe = 3\n".encode("cp1252"), F01: b"x = 1\n"})

    told = f"not read: {F05}: {REFUSED}"
    assert only_student(tmp_path) == Submission(
        "alice", {EX01: b"x = 1\n"}, (told,), unread={EX05: f"{told} (line 1)"}
    )


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    wide = codecs.BOM_UTF16 + b"\xd8" * 3, codecs.BOM_UTF32_LE + b"aaaa"
    for content in (b"PK\3\4\0\0" * 9 + b"\xff", b"\xff\xfe\0", *wide):
        work = submission(tmp_path, content)

        assert (content, work.files) == (content, {})
        assert work.problem.startswith(f"it contains no exercise; not read: {F05}: not "), content


def test_the_limit_is_one_of_the_text() -> None:
    line = "# " + "x" * 97 + "\n"

    assert len(as_text((line * 300).encode("utf-16")).content) == len(line) * 300
    assert len(as_text((line * 400).encode("utf-16")).content) == LARGEST + 1
    assert len(as_text((line * 400 + "é").encode("latin-1")).content) == LARGEST + 1


# Plots and magics cost nothing

WORK = "import numpy as np\n\n\ndef softmax(scores):\n    return np.exp(scores)\n"


def left(text: str) -> str:
    return without_plots(text.encode()).decode()


@pytest.mark.parametrize("line", [
    "import matplotlib.pyplot as plt", "from matplotlib import pyplot as plt, cm",
    "from google.colab import drive", "import seaborn as sns", "%matplotlib inline",
    "!pip install torch", "get_ipython().run_line_magic('matplotlib', 'inline')",
])  # fmt: skip
def test_a_line_that_only_a_notebook_needs_is_left_out(line: str) -> None:
    assert left(f"{line}\n{WORK}") == f"\n{WORK}"


def test_what_is_done_with_a_plot_goes_with_it() -> None:
    shown = "plt.imshow(softmax(np.eye(3)))\nfigure, axes = plt.subplots(\n    1, 2\n)\n"

    assert left(f"import matplotlib.pyplot as plt\n{WORK}{shown}") == f"\n{WORK}\n\n\n\n"


@pytest.mark.parametrize("shown", [
    "fig, axes = plt.subplots(2)\nfor each in axes:\n    each.plot([1])\n",
    "def show(x):\n    plt.plot(x)\nshow(3)\n", "display(softmax([1.0]))\n",
])  # fmt: skip
def test_so_does_what_is_done_with_what_that_gave(shown: str) -> None:
    lines = left(f"import matplotlib.pyplot as plt\n{WORK}{shown}").split("\n")[-6:]

    assert not any(
        line.startswith(("fig", "for", "    each", "show(", "display")) for line in lines
    )


def test_a_program_that_imports_is_left_out_and_another_one_stays() -> None:
    program = 'if __name__ == "__main__":\n    '

    assert left(f"{WORK}{program}from ex07_heads import split_heads\n") == f"{WORK}\n\n"
    assert left(f"{WORK}{program}print(3)\n") == f"{WORK}{program}print(3)\n"


def test_functions_stay_whatever_they_use() -> None:
    drawn = "\n\ndef draw(weights):\n    plt.imshow(weights)\n"

    assert left(f"import matplotlib.pyplot as plt\n{WORK}{drawn}") == f"\n{WORK}{drawn}"


@pytest.mark.parametrize("text", [
    WORK, "import matplotlib.pyplot as plt\ndef softmax(:\n", "import numpy, matplotlib\n",
    f'"""\nimport matplotlib\n"""\n{WORK}',
])  # fmt: skip
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert left(text) == text
