"""Debian's Chromium for tests; `pytest_plugins = ["tests.helpers.browser"]` gives its fixtures.

`page` is an empty tab. Its test fails if anything but a local file is asked for, if anything is
written to the console as an error, if a script fails, or if a dialog opens.

PYTEST_DONT_REWRITE: a test that also imports a function from here would else be warned.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import BrowserContext, Dialog, Page, Request, ViewportSize, sync_playwright

from tests.helpers.sampling import everything

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]  # what root in a box needs
WIDE = ViewportSize(width=1400, height=900)
NARROW = ViewportSize(width=390, height=844)  # a telephone
Scheme = Literal["light", "dark"]
Look = tuple[Scheme, ViewportSize]
LOOKS: list[Look] = [("light", WIDE), ("light", NARROW), ("dark", WIDE), ("dark", NARROW)]
OPPOSITE = LOOKS[::3]  # the two that share least; before a release, all four
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    "resultTypes": ["violations"],
    "preload": False,  # of style sheets: it asks for files
}
ENOUGH = 4.5  # the contrast that WCAG asks for
LEVELS = "[...document.querySelectorAll('h1, h2, h3, h4')].map(each => Number(each.tagName[1]))"
# The contrast of every piece of text with what lies behind it, and what it is.
CONTRASTS = """(skipped) => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const known = new Map();
  const read = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => c / 255);
    const [x, y, z] = [r, g, b]
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return [0.2126 * x + 0.7152 * y + 0.0722 * z, a];
  };
  const light = (colour) => {
    if (!known.has(colour)) known.set(colour, read(colour));
    return known.get(colour);
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const [luminance, opacity] = light(getComputedStyle(each).backgroundColor);
      if (opacity === 1) return luminance;
    }
    return 1;
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    if (["SCRIPT", "TITLE", "OPTION", "rect"].includes(element.tagName)) continue;
    const own = [...element.childNodes].find((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility() || element.closest(skipped)) continue;
    const style = getComputedStyle(element);
    const text = light(element.closest("svg") ? style.fill : style.color)[0];
    const [low, high] = [text, behind(element)].sort((a, b) => a - b);
    const label = `${element.tagName}.${element.getAttribute("class")} ${own.data.trim()}`;
    found.push([(high + 0.05) / (low + 0.05), label.slice(0, 60)]);
  }
  return found;
}"""


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """One browser for the whole run."""
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("there is no chromium: sudo apt install chromium", pytrace=False)
    folder = tmp_path_factory.mktemp("chromium")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            folder, executable_path=program, args=FLAGS
        )
        yield context
        context.close()


@pytest.fixture
def page(chromium: BrowserContext) -> Iterator[Page]:
    """A tab in which nothing may go wrong."""
    tab = chromium.new_page()
    tab.set_viewport_size(WIDE)
    trouble = watch(tab)
    yield tab
    tab.close()
    if trouble:
        pytest.fail("\n".join(trouble), pytrace=False)


def watch(tab: Page, *inside: str) -> list[str]:
    """What goes wrong in it from now on; a page may ask for what is inside, or itself alone."""
    trouble: list[str] = []

    def asked(request: Request) -> None:
        itself = request.is_navigation_request() and request.url.startswith("file:")
        if not (request.url.startswith(inside) if inside else itself):
            trouble.append(f"asked for {request.url}")

    def opened(dialog: Dialog) -> None:
        trouble.append(f"opened a dialog: {dialog.message}")
        dialog.dismiss()

    tab.on("request", asked)
    tab.on("dialog", opened)
    tab.on("pageerror", lambda error: trouble.append(f"failed: {error}"))
    tab.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    return trouble


@contextmanager
def inside(chromium: BrowserContext, site: Path) -> Iterator[tuple[Page, list[str]]]:
    """A tab that may read the files of a site and nothing else, and what goes wrong in it."""
    tab = chromium.new_page()
    # The icon is empty.
    trouble = watch(tab, f"{site.resolve().as_uri()}/", "data:,", "about:blank")
    tab.on("requestfailed", lambda request: trouble.append(f"did not get {request.url}"))
    yield tab, trouble
    tab.close()


def faint(tab: Page, skipped: str, least: int = 2) -> set[str]:
    """Text that cannot be told from its ground, among more than a few."""
    contrasts = tab.evaluate(CONTRASTS, skipped)
    assert len(contrasts) > least
    return {f"{contrast:.2f} {label}" for contrast, label in contrasts if contrast < ENOUGH}


def without_scripts(tab: Page) -> None:
    """From the next page on, as if JavaScript were switched off."""
    session = tab.context.new_cdp_session(tab)
    session.send("Emulation.setScriptExecutionDisabled", {"value": True})


def visit(tab: Page, path: Path) -> None:
    """Open a file."""
    tab.goto(path.resolve().as_uri())


def barriers(tab: Page, *, contrast: bool = True) -> list[str]:
    """What axe-core finds on the page, light and dark, wide and narrow.

    Without contrast on large pages: that takes twenty seconds for each look.
    """
    tab.evaluate(AXE_SCRIPT)
    looks = LOOKS if everything() else OPPOSITE
    return [f"{scheme} {size['width']}: {each}" for scheme, size in looks
            for each in _found(tab, scheme, size, contrast)]  # fmt: skip


def _found(tab: Page, scheme: Scheme, size: ViewportSize, contrast: bool) -> list[str]:
    tab.set_viewport_size(size)
    tab.emulate_media(color_scheme=scheme)
    options = {**RULES, "rules": {"color-contrast": {"enabled": contrast}}}
    violations = tab.evaluate("options => axe.run(options).then(each => each.violations)", options)
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in violations]
