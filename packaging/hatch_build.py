"""Puts the course into the wheel: in a checkout it lies beside `kata`, once installed within it."""

import bz2
import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import mkstemp
from typing import Any
from zipfile import ZipFile, ZipInfo

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MATERIAL = "kata/course/material"
FOLDERS = ("exercises", "solutions", "bugs/records")
FOLDERS_OF_TESTS = ("graded", "fuzz", "mutation")
ACCEPTED = "tests/accepted"  # so many small files that they are packed
PACKED = ".bz2"  # as kata/course/curriculum.py knows them
A_DAY = (2020, 1, 1, 0, 0, 0)  # the same files give the same bytes
# What an archive for a platform needs, from which the kata can be installed again.
FILES = (
    *("grader.py", "pyproject.toml", "packaging/hatch_build.py", "constraints.txt", "README.md"),
    "LICENSE",
)


class CourseHook(BuildHookInterface[Any]):
    """Called by hatchling before and after it builds a wheel."""

    _made: tuple[Path, ...] = ()

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable install uses the folders of the checkout."""
        if version == "standard":
            names = [*FOLDERS, *(f"tests/{each}" for each in FOLDERS_OF_TESTS), *FILES]
            # An archive for a platform has no tests of the kata itself.
            there = [each for each in names if Path(self.root, each).exists()]
            build_data["force_include"] |= {each: f"{MATERIAL}/{each}" for each in there}
            build_data["force_include"][self._packed()] = f"{MATERIAL}/{ACCEPTED}.zip"
            build_data["force_include"] |= dict(self._catalogue())

    def finalize(self, *_: Any) -> None:
        """Remove what was packed."""
        for each in self._made:
            each.unlink()

    def _catalogue(self) -> Iterator[tuple[str, str]]:
        """The wrong answers, most of the wheel, packed better than it packs."""
        for path in sorted(Path(self.root, "bugs").glob("ex*.toml*")):
            name = path.name.removesuffix(PACKED) + PACKED
            made = (
                str(path) if path.name == name else self._made_of(bz2.compress(path.read_bytes()))
            )
            yield made, f"{MATERIAL}/bugs/{name}"

    def _made_of(self, content: bytes) -> str:
        handle, name = mkstemp()
        self._made += (Path(name),)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        return name

    def _packed(self) -> str:
        """One file, which is compressed as a whole when it is put into the wheel."""
        folder, content = Path(self.root, ACCEPTED), BytesIO()
        with ZipFile(content, "w") as archive:
            for path in sorted(folder.glob("ex*/*.py")):
                info = ZipInfo(path.relative_to(folder).as_posix(), A_DAY)
                archive.writestr(info, path.read_bytes())
        return self._made_of(content.getvalue())
