"""Put the course into the wheel: in a checkout it lies beside `kata`, once installed within it."""

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
    """The hook that hatchling calls before and after it builds a wheel."""

    _temporary: tuple[Path, ...] = ()

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Include the course; an editable install uses the folders of the checkout."""
        if version == "standard":
            names = [*FOLDERS, *(f"tests/{folder}" for folder in FOLDERS_OF_TESTS), *FILES]
            # An archive for a platform has no tests of the kata itself.
            present = [name for name in names if Path(self.root, name).exists()]
            build_data["force_include"] |= {name: f"{MATERIAL}/{name}" for name in present}
            build_data["force_include"][self._accepted_answers()] = f"{MATERIAL}/{ACCEPTED}.zip"
            build_data["force_include"] |= dict(self._wrong_answers())

    def finalize(self, *_: Any) -> None:
        """Remove the temporary files."""
        for path in self._temporary:
            path.unlink()

    def _wrong_answers(self) -> Iterator[tuple[str, str]]:
        """Compress the catalogue, most of the wheel, better than a zip does."""
        for path in sorted(Path(self.root, "bugs").glob("ex*.toml*")):
            name, source = path.name.removesuffix(PACKED) + PACKED, str(path)
            if path.name != name:
                source = self._temporary_file(bz2.compress(path.read_bytes()))
            yield source, f"{MATERIAL}/bugs/{name}"

    def _temporary_file(self, content: bytes) -> str:
        handle, name = mkstemp()
        self._temporary += (Path(name),)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        return name

    def _accepted_answers(self) -> str:
        """Pack them into one file, which the wheel compresses as a whole."""
        folder, content = Path(self.root, ACCEPTED), BytesIO()
        with ZipFile(content, "w") as archive:
            for path in sorted(folder.glob("ex*/*.py")):
                info = ZipInfo(path.relative_to(folder).as_posix(), A_DAY)
                archive.writestr(info, path.read_bytes())
        return self._temporary_file(content.getvalue())
