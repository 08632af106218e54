"""How files are written and read in a folder that somebody else may have prepared."""

import ast
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from kata import files
from kata.course.curriculum import ROOT
from kata.files import (
    FOREIGN,
    append_to,
    delete_note,
    distrusted,
    new_file,
    read_file,
    read_note,
    replacing,
    write_file,
    write_note,
)
from tests.helpers.source_code import tree

KATA = ROOT / "kata"
WRITES = {"write_text", "write_bytes", "touch", "copy", "copy2", "copyfile", "copytree", "move"}
# Rooms and files that write otherwise, and where: nobody prepares that.
ELSEWHERE = {
    "upkeep": "the checkout of a maintainer",
    "inside": "no file: its own standard output",
    "learner/judge_process.py": "a file that its parent has made",
    "live/post.py": "like this, alone: it imports nothing of the kata",
    "grading/collecting/entries.py": "a new folder of temporary files, for the zip of a class",
    "grading/platforms.py": "a new folder of temporary files, and what GitHub gives",
    "commands/hunt.py": "a new folder of temporary files",
    "learner/layout.py": "a backup, into which a file is moved",
}
OTHER = 4321  # a user
Put = Callable[[Path], object]


def appended(path: Path) -> None:
    with append_to(path) as file:
        file.write(b"ours")


def in_a_table(path: Path) -> None:
    with replacing(path) as file:
        file.write("ours")


WAYS: dict[str, Put] = {
    "write": lambda path: write_file(path, "ours"),
    "write for its owner": lambda path: write_file(path, b"ours", private=True),
    "note": lambda path: write_note(path, "ours"),
    "table": in_a_table,
}


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the learner's outside of the folder in which the kata writes."""
    (tmp_path / "folder").mkdir()
    path = tmp_path / "victim"
    path.write_text("mine")
    return path


@pytest.mark.parametrize("way", WAYS)
def test_a_link_is_replaced_and_not_followed(victim: Path, way: str) -> None:
    for target in (victim, victim.with_name("nowhere")):
        path = victim.parent / "folder" / "file"
        path.symlink_to(target)

        WAYS[way](path)

        assert not path.is_symlink()
        assert path.read_text() == "ours"
        assert victim.read_text() == "mine"
        assert not victim.with_name("nowhere").exists()
        path.unlink()


def test_nothing_is_appended_through_a_link(victim: Path) -> None:
    path = victim.parent / "folder" / "journal"
    path.symlink_to(victim)

    with pytest.raises(OSError, match="journal"):
        appended(path)

    assert victim.read_text() == "mine"
    appended(path.with_name("own"))
    appended(path.with_name("own"))
    assert path.with_name("own").read_text() == "oursours"


def test_a_note_is_not_put_into_a_linked_folder_nor_its_gitignore_through_a_link(
    victim: Path,
) -> None:
    home = victim.parent
    (home / ".kata").symlink_to(home / "folder")
    with pytest.raises(OSError, match=r"\.kata"):
        write_note(home / ".kata" / "exercises.json", "{}")
    (home / ".kata").unlink()
    (home / ".kata").mkdir()
    (home / ".kata" / ".gitignore").symlink_to(victim)

    write_note(home / ".kata" / "exercises.json", "{}")

    assert victim.read_text() == "mine"
    assert [*(home / "folder").iterdir()] == []
    assert (home / ".kata" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_written_into_a_linked_folder(victim: Path, way: str) -> None:
    """A clone may have one where the kata writes: exercises, notebooks, .vscode."""
    link, folder = victim.parent / "link", victim.parent / "folder"
    link.symlink_to(folder)

    with pytest.raises(OSError, match="no link is followed"):
        WAYS[way](link / "file")

    assert [*folder.iterdir()] == []


@pytest.mark.skipif(not hasattr(os, "chown") or os.getuid() != 0, reason="takes another user")
def test_a_folder_of_another_user_is_distrusted_unless_they_are_named(tmp_path: Path) -> None:
    folder = tmp_path / ".kata"
    write_note(folder / "exercises.json", "{}")
    os.chown(folder, OTHER, OTHER)

    assert distrusted(tmp_path) == ""
    assert distrusted(folder) == FOREIGN
    assert distrusted(folder, OTHER) == ""
    for use in (read_note, delete_note, lambda path: write_note(path, "{}")):
        with pytest.raises(OSError, match=FOREIGN):
            use(folder / "exercises.json")

    os.chown(tmp_path, OTHER, OTHER)  # it goes with the folder that it lies in
    assert read_note(folder / "exercises.json") == {}


@pytest.mark.parametrize("failing", [new_file, replacing])
def test_what_fails_leaves_the_file_as_it_was(tmp_path: Path, failing) -> None:
    (tmp_path / "grades.csv").write_text("before")

    with suppress(ZeroDivisionError), failing(tmp_path / "grades.csv") as file:
        file.write(f"half{1 // 0}")

    assert [each.name for each in tmp_path.iterdir()] == ["grades.csv"]
    assert (tmp_path / "grades.csv").read_text() == "before"


def test_who_may_read_a_file(tmp_path: Path) -> None:
    """What was there keeps its rights; what is private is its owner's, whatever was there."""
    path = tmp_path / "file"

    for there, private, rights in [
        (None, False, 0o666 & ~_mask()), (None, True, 0o600), (0o640, False, 0o640),
        (0o755, False, 0o755), (0o644, True, 0o600),
    ]:  # fmt: skip
        if there:
            path.touch()
            path.chmod(there)
        write_file(path, "ours", private=private)
        assert stat.S_IMODE(path.stat().st_mode) == rights, (there, private)
        path.unlink()


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_only_plain_files_of_a_sensible_size_are_read(
    victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = victim.parent / "folder"
    (folder / "link").symlink_to(victim)
    (folder / "endless").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    (folder / "large").write_text("four")

    assert read_file(folder / "large") == b"four"
    monkeypatch.setattr(files, "LARGEST", 3)
    for name in ("link", "endless", "pipe", "large", "nothing", "."):
        with pytest.raises(OSError, match=name):
            read_file(folder / name)


def writes(path: Path) -> set[str]:
    """The calls in this file that write files by themselves."""
    calls = (each for each in ast.walk(tree(path)) if isinstance(each, ast.Call))
    return {name for call in calls if (name := _name(call.func)) in WRITES
            or (name == "open" and _is_for_writing(call))}  # fmt: skip


def _name(function: ast.expr) -> str:
    found = getattr(function, "attr", "") or getattr(function, "id", "")
    copied = isinstance(function, ast.Attribute) and found in {"copy", "move"}
    return "" if copied and ast.unparse(function.value) != "shutil" else str(found)


def _is_for_writing(call: ast.Call) -> bool:
    words = [each.value for each in call.args if isinstance(each, ast.Constant)]
    text = ast.unparse(call)
    if "devnull" in text:
        return False
    return any(isinstance(each, str) and set(each) & set("wax+") and set(each) <= set("rwaxbt+")
               for each in words) or "O_WRONLY" in text or "O_CREAT" in text  # fmt: skip


def test_all_else_is_written_in_this_way() -> None:
    found = {
        str(path.relative_to(KATA)): found
        for path in sorted(KATA.rglob("*.py"))
        if path != Path(files.__file__) and (found := writes(path))
    }

    unknown = {each for each in found if not each.startswith(tuple(ELSEWHERE))}
    assert {each: found[each] for each in unknown} == {}
    assert {each for each in ELSEWHERE if not any(one.startswith(each) for one in found)} == set()
