"""Debian's Chromium for tests; `pytest_plugins = ["tests.helpers.browser"]` gives its fixtures.

`page` is an empty tab. Its test fails if anything but a local file is asked for, if anything is
written to the console as an error, if a script fails, or if a dialog opens.

PYTEST_DONT_REWRITE: a test that also imports a function from here would else be warned.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
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


def watch(tab: Page, origin: str = "") -> list[str]:
    """What goes wrong in it from now on; a page of a server may ask that server, and no other."""
    trouble: list[str] = []

    def asked(request: Request) -> None:
        own = origin and request.url.startswith(f"{origin}/")
        if not own and not (request.is_navigation_request() and request.url.startswith("file:")):
            trouble.append(f"asked for {request.url}")

    def opened(dialog: Dialog) -> None:
        trouble.append(f"opened a dialog: {dialog.message}")
        dialog.dismiss()

    tab.on("request", asked)
    tab.on("dialog", opened)
    tab.on("pageerror", lambda error: trouble.append(f"failed: {error}"))
    tab.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    return trouble


def without_scripts(tab: Page) -> None:
    """From the next page on, as if JavaScript were switched off."""
    session = tab.context.new_cdp_session(tab)
    session.send("Emulation.setScriptExecutionDisabled", {"value": True})


def visit(tab: Page, path: Path) -> None:
    """Open a file."""
    tab.goto(path.resolve().as_uri())


def barriers(tab: Page, *, contrast: bool = True) -> list[str]:
    """What axe-core finds on the page, light and dark, wide and narrow.

    Without contrast on pages of 20,000 elements: that takes twenty seconds for each look.
    """
    looks = LOOKS if everything() else OPPOSITE
    return [f"{scheme} {size['width']}: {each}" for scheme, size in looks
            for each in _found(tab, scheme, size, contrast)]  # fmt: skip


def _found(tab: Page, scheme: Scheme, size: ViewportSize, contrast: bool) -> list[str]:
    tab.set_viewport_size(size)
    tab.emulate_media(color_scheme=scheme)
    options = {**RULES, "rules": {"color-contrast": {"enabled": contrast}}}
    violations = Axe().run(tab, options=options).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in violations]
