"""Which texts are the same program."""

from kata.course.same_program import tree


def test_renaming_and_comments_do_not_make_another_program() -> None:
    one = 'def f(x):\n    """Doc."""\n    return x + 1  # why\n'

    assert tree(one) == tree("def f(value: int) -> int:\n    return value + 1\n")
    assert tree(one) != tree("def f(x):\n    return 1 + x\n")
