"""Six short tests from the contract alone catch level 1 of each exercise, and refuse nothing.

That they do is a gate; here is how they look, and that it notices if they do not.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.course.source import read
from kata.upkeep import levels as model
from kata.upkeep.faces import MODEL_PROOF, Face

MOST_TESTS, MOST_LINES = 6, 12
EX01 = exercises()["ex01_softmax"]


def test_a_model_proof_is_short_and_knows_nothing_of_the_catalogue() -> None:
    for exercise in exercises().values():
        tree = read(MODEL_PROOF.of(exercise)).tree
        tests = [each for each in _functions(tree) if each.name.startswith("test_")]

        assert 1 <= len(tests) <= MOST_TESTS, exercise.slug
        assert [each.name for each in tests if _length(each) > MOST_LINES] == [], exercise.slug
        assert not {"kata", "solutions", "bugs"} & set(_imported(tree)), exercise.slug


def test_a_model_proof_that_refuses_or_misses_is_found(tmp_path: Path, monkeypatch) -> None:
    text = MODEL_PROOF.of(EX01).read_text(encoding="utf-8")
    mine = tmp_path / EX01.filename
    monkeypatch.setattr(model, "MODEL_PROOF", Face(tmp_path))
    assert list(model.model_proof_catches_level_1(EX01)) == []  # there is none

    mine.write_text(text, encoding="utf-8")
    assert list(model.model_proof_catches_level_1(EX01)) == []

    first = next(line for line in text.splitlines() if line.startswith("def test_"))
    mine.write_text(f"{text}\n\ndef test_too_much():\n    assert False\n", encoding="utf-8")
    assert "test_too_much refuses a right answer" in next(model.model_proof_catches_level_1(EX01))

    mine.write_text(f"from exercises.ex01_softmax import softmax\n\n\n{first}\n    softmax\n")
    told = list(model.model_proof_catches_level_1(EX01))
    level_1 = [bug.slug for bug in bugs(EX01) if bug.level]
    assert told[: len(level_1)] == [f"{slug} gets past it" for slug in level_1]
    assert told[len(level_1) :] == ["it is not done: "]


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [each for each in tree.body if isinstance(each, ast.FunctionDef)]


def _length(function: ast.FunctionDef) -> int:
    return (function.end_lineno or 0) - function.lineno + 1


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name.split(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]
