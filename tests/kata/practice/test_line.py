"""A file that is wrong in one place: made in the learner's own file where that is possible."""

import ast

import pytest

from kata.course.catalogue import bugs, target_of
from kata.course.curriculum import exercises
from kata.course.source import UnusableError, read
from kata.course.target import reference
from kata.judging.judge import judge
from kata.practice.evidence import part, place, tops
from kata.practice.line import changed_tokens, line, line_again, some_line

EX05, EX06 = exercises()["ex05_causal_masks"], exercises()["ex06_causal_attention"]
PATH = EX05.stub
INVERTED = next(each for each in bugs(EX05) if each.slug == "scores-inverted")
SOLUTION = read(EX05.solution).text


def holds(text: str) -> bool:
    return judge(EX05, target_of(EX05, text)).done


def test_it_is_made_in_the_learners_own_file() -> None:
    ((find, _),) = INVERTED.change
    own = SOLUTION.replace(find, f"{find}  # my own remark")

    hunt = line(EX05, INVERTED, own)

    assert hunt.base == own
    assert "my own remark" in hunt.file
    assert not holds(hunt.wrong)


def test_without_the_place_in_the_own_file_another_right_answer_is_taken() -> None:
    hunt = line(EX05, INVERTED, "from torch import Tensor\n")

    assert holds(hunt.base)
    assert not holds(hunt.wrong)


def test_a_hunt_is_made_anew_from_its_name_and_the_digest_of_a_file() -> None:
    """What is kept of it lies where anybody may have put it, so it is no code."""
    ((find, _),) = INVERTED.change
    own = SOLUTION.replace(find, f"{find}  # my own remark")

    for text in (own, "from torch import Tensor\n"):
        hunt = line(EX05, INVERTED, text)
        assert line_again(EX05, INVERTED, text, hunt.made_in) == hunt

    edited = line_again(EX05, INVERTED, own + "x = 1\n", line(EX05, INVERTED, own).made_in)
    assert edited.base == own + "x = 1\n"


def test_only_the_function_with_the_mistake_is_shown() -> None:
    hunt = line(EX05, INVERTED, SOLUTION)

    assert list(tops(hunt.file)) == [hunt.name] == [place(EX05, INVERTED)]
    assert INVERTED.slug not in hunt.file
    assert INVERTED.title not in hunt.file


def test_the_mended_function_makes_the_whole_file_right() -> None:
    hunt = line(EX05, INVERTED, SOLUTION)
    right = part(SOLUTION, tops(SOLUTION)[hunt.name])

    assert holds(hunt.mended(PATH, f"from torch import Tensor\n\n{right}\n"))
    assert changed_tokens(hunt.wrong, hunt.mended(PATH, right)) == hunt.fewest > 0
    with pytest.raises(UnusableError, match=f"`{hunt.name}` is not there"):
        hunt.mended(PATH, "x = 1\n")


def test_layout_and_comments_are_no_changed_tokens() -> None:
    assert changed_tokens("x = f(1)\n", "x = f(\n    1\n)  # one\n") == 0
    assert changed_tokens("x = a + b\n", "x = a - b\n") == 1
    assert changed_tokens("x = ~a\n", "x = a\n") == 1


def test_every_exercise_has_such_files_and_they_are_python() -> None:
    for exercise in exercises().values():
        hunt = some_line(exercise, reference().source(exercise.slug).text, 0, frozenset())
        assert hunt is not None, exercise.slug
        ast.parse(hunt.file)
        assert hunt.fewest > 0


def test_what_is_solved_is_not_offered_again() -> None:
    first = some_line(EX06, "", 0, frozenset())
    second = some_line(EX06, "", 0, frozenset({first.bug.slug}))

    assert first.bug.slug != second.bug.slug
    assert some_line(EX06, "", 0, frozenset(each.slug for each in bugs(EX06))) is None
