"""A notebook in a real JupyterLab, driven through a real browser."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page

PATIENCE = 240_000
OUTPUT = ".jp-OutputArea-output"
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
HAS_RUN = """([number, before]) => {
    const cell = document.querySelectorAll(".jp-Notebook .jp-CodeCell")[number]
    const found = cell.querySelector(".jp-InputPrompt").innerText
    return found !== before && /[0-9]/.test(found)
}"""
# What is run before the kernel is there is never run: the page says that it is idle long before.
IS_READY = """() => {
    const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel
    return kernel?.connectionStatus === "connected" && kernel.status === "idle"
}"""
# JupyterLab takes cells out of the page that are scrolled out of sight.
WHOLE_PAGE = {"@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"}}


def write(path: Path, texts: Sequence[str]) -> None:
    """A notebook with these cells."""
    cells = [new_code_cell(text, id=f"cell-{at}") for at, text in enumerate(texts)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    found = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.validate(found)
    nbformat.write(found, path)


@contextmanager
def served(home: Path) -> Iterator[str]:
    """The address of a server of its own for this folder."""
    port = _free_port()
    options = [f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", "--no-browser",
               "--LabApp.expose_app_in_browser=True", "--IdentityProvider.token=",
               "--ServerApp.disable_check_xsrf=True", "--allow-root"]  # fmt: skip
    own = {f"JUPYTER_{name}_DIR": str(home / f".{name}") for name in ("CONFIG", "RUNTIME")}
    settings = {**os.environ, **own, "JUPYTERLAB_SETTINGS_DIR": str(home / ".settings")}
    _settings(home / ".settings")
    log = (home / "server.log").open("w")
    command = [sys.executable, "-m", "jupyterlab", *options]
    server = subprocess.Popen(command, cwd=home, env=settings, stdout=log, stderr=log)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()
        log.close()


def _settings(folder: Path) -> None:
    for name, found in WHOLE_PAGE.items():
        path = folder / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(found), encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Lab:
    """One notebook that is open."""

    def __init__(self, page: Page, address: str, name: str) -> None:
        self.page = page
        page.set_default_timeout(PATIENCE)
        self._open(f"{address}/lab/tree/{name}")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        page.wait_for_function(IS_READY)

    def _open(self, address: str) -> None:
        """The server needs some seconds to begin."""
        for _ in range(600):
            try:
                self.page.goto(address)
                return
            except Exception:  # nobody listens yet
                time.sleep(0.2)

    def do(self, command: str, **given: Any) -> None:
        """Begin one of JupyterLab's commands, as a menu does: it is not waited for."""
        start = f"void jupyterapp.commands.execute({json.dumps(command)}, {json.dumps(given)})"
        self.page.evaluate(start)

    def finished(self, number: int) -> str:
        """What a cell shows once it has run."""
        self.page.wait_for_function(HAS_RUN, arg=[number, "[ ]:"])
        self.page.wait_for_selector(IDLE)
        return self.shown(number)

    def cell(self, number: int) -> Locator:
        """One cell, counted from zero."""
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(number)

    def edit(self, number: int, text: str) -> None:
        """Replace what a cell holds, by typing."""
        self.cell(number).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def run(self, number: int) -> str:
        """Run a cell, and wait for the last that it shows."""
        cell = self.cell(number)
        cell.locator(".cm-content").click()
        before = cell.locator(".jp-InputPrompt").inner_text()
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(HAS_RUN, arg=[number, before])
        self.page.wait_for_selector(IDLE)
        return self.shown(number)

    def shown(self, number: int) -> str:
        """The output of a cell as text, in one line."""
        return re.sub(r"\s+", " ", " ".join(self.cell(number).locator(OUTPUT).all_inner_texts()))
