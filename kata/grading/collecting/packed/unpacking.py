"""A folder for the zip of a class, which is deleted when the program ends."""

import atexit
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import rmtree

from kata.grading.collecting.bounded import Reader
from kata.grading.collecting.names import without_suffix
from kata.grading.collecting.packed.class_export import Unpacking


def unpacked_class(export: Path, tell: Callable[[str], object]) -> Path:
    """Where the files of a class now are; raises UnreadError if its zip cannot be unpacked."""
    home = Path(tempfile.mkdtemp(prefix="kata-class-"))
    atexit.register(rmtree, home, ignore_errors=True)
    folder = home / without_suffix(export.name)  # GitHub's prefix is read from the folder's name
    folder.mkdir()
    done = Unpacking(export, folder)
    with closing(Reader()) as reader:
        while not done.ended:
            done = reader.ask("unpack", done)
    for line in done.told:
        tell(line)
    return folder
