"""The stubs of proofs: in the repository and in a learner's folder.

What an update of a checkout does with them: tests/kata/commands/test_update.py.
"""

import ast
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.course.source import contract
from kata.learner import layout
from kata.learner.layout import lay_out, renew
from kata.proofs.proof import proof_stub
from kata.upkeep import faces as gate
from kata.upkeep.gates import GATES
from tests.helpers.learner_folder import run_python

EX05 = exercises()["ex05_causal_masks"]
BEGUN = "def test_mine():\n    pass\n"


def test_a_stub_asks_for_a_test_of_each_name() -> None:
    for exercise in exercises().values():
        tree = ast.parse(proof_stub(exercise))
        names = [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]
        assert len(names) == len(set(names)) == len(contract(exercise).names), exercise.slug
        assert list(gate.proof_follows_from_the_contract(exercise)) == [], exercise.slug


def test_the_gate_is_one_of_all() -> None:
    assert gate.proof_follows_from_the_contract in GATES


def test_the_gate_sees_what_is_missing_or_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "PROOF", gate.Face(tmp_path))
    (missing,) = gate.proof_follows_from_the_contract(EX05)
    (tmp_path / EX05.filename).write_text(BEGUN)
    (begun,) = gate.proof_follows_from_the_contract(EX05)

    assert missing == (
        "proofs/ex05_causal_masks.py is missing; `kata reset ex05 --proof` writes it again"
    )
    assert "is not what its contract asks for" in begun


def test_a_class_and_a_function_of_the_same_name_have_a_test_each() -> None:
    found = proof_stub(exercises()["ex03_self_attention"])

    assert "def test_self_attention() -> None:" in found
    assert "def test_self_attention_module() -> None:" in found


def test_a_proof_that_was_begun_is_never_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path)
    mine = tmp_path / "proofs" / EX05.filename
    mine.write_text(BEGUN)
    monkeypatch.setattr(layout, "proof_stub", lambda each: proof_stub(each) + "# newer\n")

    renew(tmp_path, tmp_path / "backup")

    assert mine.read_text() == BEGUN
    assert (tmp_path / "proofs" / "ex01_softmax.py").read_text().endswith("# newer\n")
    assert (tmp_path / "proofs" / "ex05_causal_masks.py.new.txt").is_file()


def test_reset_starts_a_proof_over(tmp_path: Path) -> None:
    lay_out(tmp_path)
    mine = tmp_path / "proofs" / EX05.filename
    mine.write_text(BEGUN)

    done = run_python("kata", ["reset", "ex05", "--proof"], tmp_path)

    assert done.status == 0, done
    assert mine.read_text() == proof_stub(EX05)
    assert (mine.parent / "ex05_causal_masks.1.bak").read_text() == BEGUN
