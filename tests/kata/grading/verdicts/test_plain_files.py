"""Which files are taken for plain, and that claims and exercises of those do not see each other."""

import ast
import inspect
import math
import tomllib
from collections import Counter, deque
from fractions import Fraction
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from kata.course.curriculum import exercises
from kata.course.source import read
from kata.grading.verdicts.plain.files import is_plain, why_not
from kata.grading.verdicts.plain.names import names
from tests.helpers.later import nn, torch
from tests.helpers.plain_answers import Answer, differences, wrong_answers

KEEPS_STATE = tomllib.loads(
    Path(__file__).with_name("keeps_state.toml").read_text(encoding="utf-8")
)
LEAST = 0.91  # of the right answers in other styles; those with caches keep what they are given
FEW = 2  # plain answers of ex02 that are judged in other orders; tests/long judges all


def plain(text: str, *earlier: str) -> bool:
    return is_plain(ast.parse(text), *map(ast.parse, earlier))


def test_what_keeps_state_is_not_plain() -> None:
    assert [name for name, text in KEEPS_STATE.items()
            if plain(text) or not why_not(ast.parse(text))] == []  # fmt: skip


def test_each_solution_is_plain() -> None:
    reasons = {each.short: why_not(read(each.solution).tree) for each in exercises().values()}

    assert {short: reason for short, reason in reasons.items() if reason} == {}


def test_nearly_all_right_answers_are_plain() -> None:
    paths = [path for each in exercises().values() for path in each.accepted.glob("*.py")]
    found = [is_plain(read(path).tree) for path in paths]

    assert sum(found) >= LEAST * len(found)


def test_no_mistake_that_remembers_is_plain() -> None:
    found = [answer for each in exercises().values() for answer in wrong_answers(each, "remembers")]

    assert len(found) >= 29
    assert [answer.name for answer in found if is_plain(answer.tree)] == []


def test_the_construct_is_quoted_with_its_line() -> None:
    assert why_not(ast.parse(KEEPS_STATE["a_global"])) == "line 3: global CALLS"


def test_what_is_too_deep_to_look_into_is_not_plain() -> None:
    assert not plain(f"X = {'-' * 2000}1")


def test_what_runs_only_by_itself_is_plain() -> None:
    body = 'if __name__ == "__main__":\n    print(softmax([1.0]))\n'
    text = "def softmax(scores):\n    return scores\n"

    assert plain(text + body)
    assert not plain(text + body + "else:\n    print(softmax([1.0]))\n")


def test_a_function_that_an_earlier_exercise_gives_away_is_known() -> None:
    head = "class Head:\n    @staticmethod\n    def split(x):\n        return x\n"
    text = ("from .ex08_heads_in_a_list import Head\n"
            "def count():\n    split = Head().split\n    split.calls = 1\n")  # fmt: skip

    assert plain(head)
    assert plain(text)  # with the reference, which has no such function
    assert not plain(text, head)


def test_a_file_is_no_plainer_than_an_earlier_exercise() -> None:
    text = "from .ex01_softmax import softmax\ndef weights(x):\n    return softmax(x)\n"

    assert plain(text)
    assert not plain(text, KEEPS_STATE["a_list"])


def test_no_solution_gives_a_function_away() -> None:
    """So a file that uses the reference need not be given it."""
    texts = [read(exercise.solution).text for exercise in exercises().values()]

    assert [text for text in texts if "staticmethod" in text] == []


def kinds() -> tuple[type, ...]:
    return (
        *(nn.Linear, nn.LayerNorm, nn.Dropout, nn.MultiheadAttention, nn.ModuleList, nn.Sequential),
        *(nn.ModuleDict, nn.ReLU, nn.Identity, torch.optim.AdamW, torch.Tensor, nn.Parameter),
        *(torch.finfo, torch.dtype, torch.Size, np.ndarray, np.float32, np.dtype, np.finfo),
        *(ValueError, slice, str, list, dict, tuple, range, zip, Counter, deque, Fraction),
    )


def _can_be_changed(value: Any) -> bool:
    try:
        value.changed_by_a_test = 1
    except (AttributeError, TypeError):
        return isinstance(value, (list, dict, set))
    del value.changed_by_a_test
    return True


def test_no_attribute_that_may_be_read_is_shared_and_can_be_changed() -> None:
    """What all objects of a class of a library have in common is a method or a constant."""
    found = []
    for kind in kinds():
        for name in names().attributes.intersection(dir(kind)):
            value = inspect.getattr_static(kind, name)
            of_each = inspect.isroutine(value) or inspect.isdatadescriptor(value)
            if not of_each and _can_be_changed(value):
                found.append((kind.__name__, name))

    assert found == []


def test_no_value_that_may_stand_anywhere_can_be_changed() -> None:
    modules = {"torch": import_module("torch"), "numpy": np, "math": math}
    found = []
    for path in names().values:
        library, *parts = path.split(".")
        value: Any = modules[library]
        for part in parts:
            value = getattr(value, part, None)  # an older library has fewer names
        found += [path] if _can_be_changed(value) else []

    assert found == []


def test_plain_answers_are_judged_alike_in_any_order() -> None:
    """Claims backwards by the same module, and exercises after those of another mind."""
    some: list[Answer] = []
    for slug, count in {"ex02_attention_scores": FEW, "ex06_causal_attention": 1}.items():
        wrong = wrong_answers(exercises()[slug])
        some += islice(filter(lambda each: is_plain(each.tree), wrong), count)

    assert list(differences(some)) == []


def test_an_answer_that_remembers_is_judged_otherwise() -> None:
    """So the comparison sees what a file that is not plain does."""
    wrong = wrong_answers(exercises()["ex02_attention_scores"])
    kept = next(each for each in wrong if each.name == "list-outside-the-function")

    assert list(differences([kept]))
