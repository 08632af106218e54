"""Plots and magics in Python files cost nothing, and every line keeps its place."""

import pytest

from kata.grading.collecting.python_files import without_plots

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
    found = left(f"import matplotlib.pyplot as plt\n{WORK}{shown}").split("\n")[-6:]

    assert not any(
        each.startswith(("fig", "for", "    each", "show(", "display")) for each in found
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
