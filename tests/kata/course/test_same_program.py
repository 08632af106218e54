"""Which texts are the same program."""

import builtins

import pytest

from kata.course.same_program import tree


def test_renaming_and_comments_do_not_make_another_program() -> None:
    one = 'def f(x):\n    """Doc."""\n    return x + 1  # why\n'

    assert tree(one) == tree("def f(value: int) -> int:\n    return value + 1\n")
    assert tree(one) != tree("def f(x):\n    return 1 + x\n")


def test_an_underscore_is_a_name_also_where_an_interactive_session_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(builtins, "_", "what a doctest printed last", raising=False)

    assert tree("a, _ = f(1)\n") == tree("a, b = f(1)\n")
