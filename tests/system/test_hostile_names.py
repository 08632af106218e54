"""Names and archives that attack, from the folder to the marks."""

import os
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT
from kata.grading.cli import main
from kata.grading.collecting import reader
from tests.helpers.handed_work import F01
from tests.helpers.handing_in import write
from tests.kata.grading.collecting.test_reader import empty_members, vast_dictionary

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs fork")


def test_a_class_under_attack_is_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An export of Blackboard, from the folder to the marks."""
    right = (ROOT / "solutions" / F01).read_bytes()
    wrong = b"def softmax(scores, axis=-1):\n    return scores\n"
    day, late, far = "2026-03-01-10-00-00", "2026-03-01-11-00-00", "2099-01-01-00-00-00"
    files = {
        f"masks_jane_attempt_{day}_{F01}": right,
        f"masks_mallory_attempt_{day}_{F01}": right + b"# mine\n",
        f"masks_mallory_attempt_{late}_x_jane_attempt_{far}_{F01}": wrong,
        f"masks_nils_attempt_{day}_work.tar.gz": empty_members(),
        f"masks_olga_attempt_{day}_work.tar.xz": vast_dictionary(),
    }
    monkeypatch.setattr(reader, "SECONDS", 1)
    monkeypatch.chdir(write(tmp_path, {f"class/{name}": each for name, each in files.items()}))

    status = main(["class", "--only", "ex01", "--trusted", "--no-diagnosis", "--workers", "1"])

    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert status == 1
    assert "jane 1 / 1 ✓" in lines
    assert any(each.startswith("mallory 0.") or each == "mallory 0 / 1 ✗" for each in lines)
    assert "not gradable: it could not be read in 1 s" in lines
    assert "not gradable: it needs more than 1024 MiB of memory to be read" in lines
