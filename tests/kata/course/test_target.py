"""A folder of exercises as one piece of work: what may be imported, and whose file serves."""

from pathlib import Path

import pytest

from kata.course.curriculum import EXERCISES, Exercise, exercises
from kata.course.source import UnusableError, contract, read
from kata.course.target import Target


def test_a_target_refuses_an_exercise_that_comes_later(tmp_path: Path) -> None:
    (tmp_path / "ex04_scaled_attention.py").write_text("from .ex05_causal_masks import causal_mask")

    with pytest.raises(UnusableError, match=r"ex04 may import only exercises that come before it$"):
        Target(tmp_path).module("ex04_scaled_attention")


def test_an_exercise_may_import_any_earlier_one(tmp_path: Path) -> None:
    """Also one that the solution does without: whoever can use it finds it there."""
    text = "from .ex04_scaled_attention import scaled_dot_product_attention as attend\n"
    (tmp_path / "ex05_causal_masks.py").write_text(text)
    target = Target(tmp_path)

    assert callable(target.module("ex05_causal_masks").attend)
    assert target.stand_ins("ex05_causal_masks") == ("ex04_scaled_attention",)


def test_the_first_exercise_may_import_none(tmp_path: Path) -> None:
    (tmp_path / "ex01_softmax.py").write_text("from .ex05_causal_masks import causal_mask\n")

    with pytest.raises(UnusableError, match=r"imports `\.ex05_causal_masks`; ex01 may import no"):
        Target(tmp_path).module("ex01_softmax")


def test_ones_own_file_serves_only_if_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "ex01_softmax.py").write_text("softmax = 'mine'\n")
    text = "from .ex01_softmax import softmax\n"
    (tmp_path / "ex02_attention_scores.py").write_text(text)

    trusting = Target(tmp_path, trusts=lambda _: True)
    careful = Target(tmp_path)

    assert trusting.module("ex02_attention_scores").softmax == "mine"
    assert trusting.stand_ins("ex02_attention_scores") == ()
    assert callable(careful.module("ex02_attention_scores").softmax)
    assert careful.stand_ins("ex02_attention_scores") == ("ex01_softmax",)


def test_no_terminal_obeys_the_name_of_a_file_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match=r"^mine\.py cannot be read: No such file"):
        read(tmp_path / "mine\x1b[2J.py")


def test_two_targets_do_not_share_modules(tmp_path: Path) -> None:
    (tmp_path / "ex01_softmax.py").write_text("softmax = []\n")

    one, other = Target(tmp_path), Target(tmp_path)

    assert one.module("ex01_softmax").softmax is not other.module("ex01_softmax").softmax


def test_a_digest_changes_with_the_text(tmp_path: Path) -> None:
    path = tmp_path / "ex01_softmax.py"
    path.write_text("a = 1\n")
    before = Target(tmp_path).digest("ex01_softmax")
    path.write_text("a = 2\n")

    assert Target(tmp_path).digest("ex01_softmax") != before
    assert Target(tmp_path).digest("ex02_attention_scores") == ""


def test_a_digest_changes_with_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has passed has to pass again once its claims are others."""
    before = Target(EXERCISES).digest("ex01_softmax")
    (tmp_path / "test_ex01_softmax.py").write_text("other claims")
    monkeypatch.setattr("kata.course.curriculum.GRADED", tmp_path)

    assert Target(EXERCISES).digest("ex01_softmax") != before


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_a_stub_can_be_imported(exercise: Exercise) -> None:
    module = Target(EXERCISES).module(exercise.slug)

    assert set(contract(exercise).names) <= set(vars(module))
