"""Python files that are not UTF-8, and plots in them; every line keeps its place."""

import codecs
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.course.source import LARGEST
from kata.grading.collecting.python_files import as_text, without_plots
from kata.grading.collecting.submissions import Submission
from tests.helpers.handed_work import EX01, EX05, F01, F05
from tests.helpers.handing_in import check, from_folder

TEXT = ('"""Größe."""\nimport torch\n\ndef causal_mask(n):\n    """Maske: é"""\n'
        "    return torch.ones(n, n).tril().bool()  # öö … \n")  # fmt: skip
PLAIN = TEXT.encode().decode("ascii", "ignore")
REFUSED = "not UTF-8 text; save it as UTF-8"


def submission(tmp_path: Path, content: bytes, name: str = F05) -> Submission:
    return from_folder(tmp_path, {name: content})


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


@pytest.mark.parametrize(("content", "start"), [
    # 0x85 would end a line in Latin-1.
    (TEXT.replace("Größe", "Größe …").encode("cp1252"), '"""Größe …."""'),
    (("# -*- coding: latin-1 -*-\nname = 'é'\n" + TEXT.replace("…", "")).encode("latin-1"), ""),
    (("# coding: utf-8\n" + TEXT).encode("cp1252"), "# coding: utf-8\n"),
    (("# coding: utf-16\n" + TEXT).encode("utf-16"), "# coding: utf-8\n"),
], ids=["lines stay", "a right coding line", "a wrong coding line", "of UTF-16"])  # fmt: skip
def test_the_coding_line_is_believed_unless_it_lies(
    tmp_path: Path, content: bytes, start: str
) -> None:
    work = submission(tmp_path, content)

    if start:
        text = work.files[EX05].decode()
        assert text.startswith(start)
        assert len(text.splitlines()) == TEXT.count("\n") + start.startswith("#")
    else:
        assert work == Submission("alice", {EX05: content})


ODD = "größe = 3\n".encode("latin-1")
WIDE = codecs.BOM_UTF16 + b"\xd8" * 3, codecs.BOM_UTF32_LE + b"aaaa"


@pytest.mark.parametrize(("content", "reason"), [
    *((f"{text}\n{PLAIN}".encode("latin-1"), REFUSED) for text in (
        "größe = 3", "x = 'é'", "def f(): 'é'", "x = ('é')", "# é\n'''é", "f'é'")),
    *((content, "not …") for content in (b"PK\3\4\0\0" * 9 + b"\xff", b"\xff\xfe\0", *WIDE)),
])  # fmt: skip
def test_code_in_an_unknown_encoding_is_refused(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    check(submission(tmp_path, content), {}, f"it contains no exercise; not read: {F05}: {reason}")


def test_many_of_them_are_one_line_and_the_others_count(tmp_path: Path) -> None:
    names = [exercise.filename for exercise in exercises().values()][:18]
    every = from_folder(tmp_path / "1", dict.fromkeys(names, ODD))
    one = from_folder(tmp_path / "2", {F05: ODD, F01: b"x = 1\n"})

    check(every, {}, "it contains no exercise; not read: ex01_softmax.py, "
          f"ex02_attention_scores.py, ex03_self_attention.py and 15 more: {REFUSED}")  # fmt: skip
    told = f"not read: {F05}: {REFUSED}"
    assert one == Submission(
        "alice", {EX01: b"x = 1\n"}, (told,), unread={EX05: f"{told} (line 1)"}
    )


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
