"""Modules that take long to import, each imported at its first use and not while collecting."""

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module until one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest")):  # pytest asks all that is in a test file for some
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


torch = Later("torch")
nn = Later("torch.nn")
functional = Later("torch.nn.functional")
nbformat = Later("nbformat")
