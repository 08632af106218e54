"""A learner in a real JupyterLab: from stubs to a zip that is graded."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from kata.course.curriculum import ROOT
from tests.helpers.lab import OUTPUT, Lab, served, write
from tests.system.test_notebook_kernel import IMPORTS, KATA, RIGHT, WRONG, definitions

pytest_plugins = ["tests.helpers.browser"]

STUB = "def mask_scores(scores, mask):\n    raise NotImplementedError('not written yet')"
MASK_SCORES, CHECK, HINT, WHOLE, SUBMIT = 3, 6, 7, 8, 9
THEMES = ("JupyterLab Light", "JupyterLab Dark")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "notebooks"
    folder.mkdir()
    functions = definitions("ex05_causal_masks")
    functions[2] = STUB
    asks = ["check(mask_scores)", "hint()", 'check("ex05")', "submit()"]
    write(folder / "ex05_causal_masks.ipynb", [IMPORTS + KATA, *functions, *asks])
    return folder


def test_from_the_stub_to_a_graded_zip(home: Path, chromium: BrowserContext) -> None:
    with served(home) as address:
        lab = Lab(chromium.new_page(), address, "ex05_causal_masks.ipynb")
        lab.do("notebook:run-all-cells")
        assert "4 not written yet" not in lab.finished(SUBMIT)
        assert "`mask_scores`" not in lab.shown(CHECK)  # code is shown as code
        assert "mask_scores is not written yet: cell [4], line 2 still raises" in lab.shown(CHECK)

        lab.edit(MASK_SCORES, WRONG)
        lab.run(MASK_SCORES)
        assert "known mistake, with the same result in all 14 claims" in lab.run(CHECK)
        assert re.search(r"look at cell \[11\], line 1", lab.shown(CHECK))  # as Jupyter counts
        assert "is defined in cells" not in lab.shown(CHECK)  # what the cell held is forgotten
        shown = lab.cell(CHECK).locator(OUTPUT)
        assert shown.count() == 1  # the mistake is put where the verdict was
        labels = [each.get_attribute("aria-label") for each in shown.locator("svg[role=img]").all()]
        assert [str(each).split(",")[0] for each in labels] == ["expected", "got", "difference"]
        colours = {theme: _text_colour(lab, theme) for theme in THEMES}
        assert len(set(colours.values())) == 2
        assert "hint 1 of" in lab.run(HINT)

        lab.edit(MASK_SCORES, RIGHT)
        lab.run(MASK_SCORES)
        assert "14 of 14 claims hold" in lab.run(CHECK)
        assert "73 of 73 claims hold" in lab.run(WHOLE)
        assert "73 of 73 claims hold" in lab.run(SUBMIT)
        lab.page.close()
    (newest,) = home.glob("submission.1.zip")
    assert _graded(home, newest) == 3.0


def _text_colour(lab: Lab, theme: str) -> str:
    """Of the words above the maps, which have no colour of their own."""
    lab.do("apputils:change-theme", theme=theme)
    lab.page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")
    words = lab.cell(CHECK).locator("svg text").first
    return str(words.evaluate("each => getComputedStyle(each).fill"))


def _graded(home: Path, handed_in: Path) -> float:
    """The points for what this notebook has handed in, from the real grader."""
    with zipfile.ZipFile(handed_in) as archive:
        archive.extractall(home / "class" / "ada")
    command = [sys.executable, "grader.py", str(home / "class"), "--grades", str(home / "grades")]
    subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
    found = json.loads((home / "grades" / "results.json").read_text(encoding="utf-8"))
    return float(found["submissions"][0]["score"])
