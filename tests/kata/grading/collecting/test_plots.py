"""Plots and magics in Python files cost nothing, and every line keeps its place."""

import pytest

from kata.grading.collecting.handed_text.plots import without_plots

WORK = "import numpy as np\n\n\ndef softmax(scores):\n    return np.exp(scores)\n"


def left(text: str) -> str:
    return without_plots(text.encode()).decode()


@pytest.mark.parametrize("line", [
    "import matplotlib.pyplot as plt", "from matplotlib import pyplot as plt, cm",
    "import seaborn as sns", "%matplotlib inline", "!pip install torch",
    "get_ipython().run_line_magic('matplotlib', 'inline')",
])  # fmt: skip
def test_a_line_that_only_a_notebook_needs_is_left_out(line: str) -> None:
    assert left(f"{line}\n{WORK}") == f"\n{WORK}"


def test_what_is_done_with_a_plot_goes_with_it() -> None:
    shown = "plt.imshow(softmax(np.eye(3)))\nfigure, axes = plt.subplots(\n    1, 2\n)\n"

    assert left(f"import matplotlib.pyplot as plt\n{WORK}{shown}") == f"\n{WORK}\n\n\n\n"


def test_functions_stay_whatever_they_use() -> None:
    drawn = "\n\ndef draw(weights):\n    plt.imshow(weights)\n"

    assert left(f"import matplotlib.pyplot as plt\n{WORK}{drawn}") == f"\n{WORK}{drawn}"


@pytest.mark.parametrize("text", [
    WORK, "import matplotlib.pyplot as plt\ndef softmax(:\n", "import numpy, matplotlib\n",
    f'"""\nimport matplotlib\n"""\n{WORK}',
])  # fmt: skip
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert left(text) == text
