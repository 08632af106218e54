"""The stubs of proofs: in the repository, in a learner's folder, and after an update."""

import ast
import shutil
from pathlib import Path

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.course.source import contract
from kata.learner.folder import layout
from kata.learner.folder.renewal import lay_out, renew
from kata.proofs import stubs
from kata.proofs.stubs import FOLDER, proof_stub
from kata.upkeep.gates import GATES
from kata.upkeep.proofs import stubs as gate
from tests.helpers.another_kata import another_kata, run_in

EX05 = exercises()["ex05_causal_masks"]
BEGUN = "def test_mine():\n    pass\n"


@pytest.mark.parametrize("exercise", exercises().values(), ids=list(exercises()))
def test_a_stub_asks_for_a_test_of_each_name(exercise: Exercise) -> None:
    tree = ast.parse(proof_stub(exercise))
    names = [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]

    assert len(names) == len(set(names)) == len(contract(exercise).names)
    assert list(gate.proof_follows_from_the_contract(exercise)) == []


def test_the_gate_is_one_of_all() -> None:
    assert gate.proof_follows_from_the_contract in GATES


def test_the_gate_sees_what_is_missing_or_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "FOLDER", tmp_path)
    (missing,) = gate.proof_follows_from_the_contract(EX05)
    (tmp_path / EX05.filename).write_text(BEGUN)
    (begun,) = gate.proof_follows_from_the_contract(EX05)

    assert missing == (
        "proofs/ex05_causal_masks.py is missing; `kata reset ex05 --proof` writes it again"
    )
    assert "is not what its contract asks for" in begun


def test_a_class_and_a_function_of_the_same_name_have_a_test_each() -> None:
    found = stubs.proof_stub(exercises()["ex03_self_attention"])

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


def test_an_update_of_a_checkout_leaves_what_was_begun(tmp_path: Path) -> None:
    home, newer = another_kata(tmp_path / "mine"), another_kata(tmp_path / "newer")
    mine = home / "proofs" / EX05.filename
    other = home / "proofs" / "ex01_softmax.py"
    mine.write_text(BEGUN)
    for path in (newer / "proofs").glob("*.py"):
        path.write_text(path.read_text() + "# newer\n")
    shutil.rmtree(home / ".kata", ignore_errors=True)

    done = run_in(home, "-m", "kata", "update", str(newer))

    assert (done.status, done.err) == (0, "")
    assert mine.read_text() == BEGUN
    assert other.read_text().endswith("# newer\n")
    assert "ex01_softmax: new stub of its proof" in done.out
    assert "ex05_causal_masks" not in done.out


def test_reset_starts_a_proof_over(tmp_path: Path) -> None:
    lay_out(tmp_path)
    mine = tmp_path / "proofs" / EX05.filename
    mine.write_text(BEGUN)

    done = run_in(tmp_path, "-m", "kata", "reset", "ex05", "--proof", PYTHONPATH=str(FOLDER.parent))

    assert done.status == 0, done
    assert mine.read_text() == proof_stub(EX05)
    assert (mine.parent / "ex05_causal_masks.1.bak").read_text() == BEGUN
