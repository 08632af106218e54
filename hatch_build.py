"""Puts the course into the wheel: in a checkout it lies beside `kata`, once installed within it."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MATERIAL = "kata/course/material"
FOLDERS = ("exercises", "solutions", "bugs")
FOLDERS_OF_TESTS = ("graded", "accepted", "fuzz", "mutation")
# What an archive for a platform needs, from which the kata can be installed again.
FILES = ("grader.py", "pyproject.toml", "hatch_build.py", "constraints.txt", "README.md", "LICENSE")


class CourseHook(BuildHookInterface[Any]):
    """Called by hatchling before it builds a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable install uses the folders of the checkout."""
        if version == "standard":
            names = [*FOLDERS, *(f"tests/{each}" for each in FOLDERS_OF_TESTS), *FILES]
            # An archive for a platform has no tests of the kata itself.
            there = [each for each in names if Path(self.root, each).exists()]
            build_data["force_include"] |= {each: f"{MATERIAL}/{each}" for each in there}
