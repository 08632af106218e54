"""What a message shows beside the worst value: small cases in full, letters, unused names."""

import ast
from pathlib import Path

import numpy as np
import pytest

from kata.course.catalogue import target_of
from kata.course.curriculum import exercises
from kata.course.source import Source, unused
from kata.diagnosis.observe import observe
from kata.judging.arrays import both_in_full, in_full
from kata.verdict import Message


def first(slug: str, text: str) -> Message:
    """What is said of the first claim that fails."""
    exercise = exercises()[slug]
    failed = observe(exercise, target_of(exercise, text)).verdict.first_failure
    assert failed
    assert failed.message
    return failed.message


def changed(slug: str, *changes: tuple[str, str]) -> str:
    """The solution with these changes."""
    text = exercises()[slug].solution.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_arguments_stand_in_aligned_rows() -> None:
    keys = np.array([[0.43, -0.15], [10.0, 1 / 3]])

    assert in_full({"keys": keys, "mask": np.array([[True], [False]])}).splitlines() == [
        "  keys = [[  0.43,  -0.15],",
        "          [    10, 0.3333]]",
        "  mask = [[ True],",
        "          [False]]",
    ]


def test_all_arguments_are_shown_or_none() -> None:
    assert in_full({"small": np.ones(3), "large": np.ones((5, 5))}) == ""
    assert in_full({f"x{at}": np.ones(20) for at in range(3)}) == ""


@pytest.mark.parametrize("size", [1, 2, 7, 24])
def test_no_line_is_wider_than_a_narrow_terminal(size: int) -> None:
    lines = in_full({"a_long_name": np.full((24 // size, size), -1 / 3)}).splitlines()

    assert all(len(line) <= 58 for line in lines)


def test_wrong_numbers_have_digits_enough_to_differ() -> None:
    right, mine = np.array([0.123456, 2.0]), np.array([0.123459, 2.0])

    assert both_in_full(right, mine, right != mine).splitlines() == [
        "  expected = [0.123456,        2]",
        "  got      = [0.123459,        2]",
    ]


@pytest.mark.parametrize(
    ("slug", "change", "said"),
    [
        (
            "ex04_scaled_attention",
            ("return weights @ value, weights", "return weights @ value[..., :1], weights"),
            "output: shape (2, 5, 1), expected (2, 5, 4) = (..., T, Dv)",
        ),
    ],
)
def test_shapes_are_named_in_the_letters_of_the_contract(
    slug: str, change: tuple[str, str], said: str
) -> None:
    assert first(slug, changed(slug, change)).evidence == said


def test_a_result_of_whole_numbers_is_said_to_be_one() -> None:
    said = first(
        "ex02_attention_scores",
        "def score_query(query, keys):\n    return (keys @ query).astype(int)\n",
    )

    assert said.evidence.splitlines()[1] == (
        "what came back is int64, which can hold whole numbers only"
    )
    assert said.inputs.splitlines()[:2] == [
        "score_query(query [0.55, 0.87, 0.66], keys (6, 3) float64)",
        "  keys = [[0.43, 0.15, 0.89],",
    ]
    assert said.compared.startswith("  expected = [")


def test_a_mask_of_numbers_is_named_before_it_is_used() -> None:
    text = changed("ex17_builtin_attention", ("return ~mask", "return (~mask).double()"))

    assert first("ex17_builtin_attention", text).evidence == "dtype float64, expected bool"


def test_where_nothing_moves_the_start_is_shown() -> None:
    text = changed("ex18_training_run", ("optimizer.step()", "optimizer.zero_grad()"))
    evidence = first("ex18_training_run", text).evidence
    got, start = evidence.split("got ")[1].split("; at the start it was ")

    assert got == start


def test_a_part_that_is_never_used_is_named() -> None:
    text = changed("ex14_encoder_layer", ("self.norm2(", "self.norm1("))

    assert first("ex14_encoder_layer", text).remark == "never used in `EncoderLayer`: `norm2`"


def test_everything_that_is_missing_is_named_at_once() -> None:
    text = (
        "from torch import nn\n\n\nclass MultiHeadAttention(nn.Module):\n"
        "    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):\n"
        "        super().__init__()\n"
        "        self.w_query = nn.Linear(d_model, d_model)\n"
    )
    said = first("ex09_multi_head_attention", text)

    assert said.leads
    assert said.brief == (
        "no parameter `w_key.weight`, `w_value.weight`, `w_out.weight`, `w_key.bias`, "
        "`w_value.bias` or `w_out.bias`; there are: w_query.weight, w_query.bias"
    )


def test_missing_attributes_are_named_at_once() -> None:
    text = changed(
        "ex09_multi_head_attention",
        ("self.num_heads = num_heads", "self.heads = self.head_count = num_heads"),
        ("self.head_dim = d_model", "self.dim = d_model"),
    )
    exercise = exercises()["ex09_multi_head_attention"]
    verdict = observe(exercise, target_of(exercise, text)).verdict
    told = [claim.message.evidence for claim in verdict.claims if claim.message]

    assert any(
        "attribute `num_heads` is missing, expected an int; also missing: `head_dim`" in each
        for each in told
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("def f(x, y):\n    return x", ("y",)),
        ("def f(x, y):\n    y = 1\n    return x", ("y",)),
        ("def f(x, y):\n    return [y for _ in x]", ()),
        ("def f(x, y):\n    return locals()", ()),
        (
            "class f(nn.Module):\n    def __init__(self):\n        self.size = 3\n"
            "        self.a = self.b = nn.Linear(1, 1)\n"
            "    def forward(self, x):\n        return self.a(x)",
            ("b",),
        ),
        (
            "class f(nn.Module):\n    def __init__(self):\n        self.b = nn.Linear(1, 1)\n"
            "    def forward(self, x):\n        return helper(self, x)",
            (),
        ),
        (
            "class f(nn.Module):\n    def __init__(self):\n        self.b = nn.Linear(1, 1)\n"
            "    def forward(self, x):\n        return getattr(self, 'b')(x)",
            (),
        ),
        (
            "class f(Base):\n    def __init__(self):\n        self.b = nn.Linear(1, 1)\n"
            "    def forward(self, x):\n        return x",
            (),
        ),
    ],
)
def test_what_is_never_used(body: str, found: tuple[str, ...]) -> None:
    assert unused(Source(Path("a.py"), body, ast.parse(body)), "f") == found


@pytest.mark.parametrize(
    "slug", [each.slug for each in exercises().values() if each.library == "torch"]
)
def test_a_stub_imports_torch(slug: str) -> None:
    """Whoever writes torch.softmax should not meet a NameError first."""
    assert "\nimport torch\n" in exercises()[slug].stub.read_text(encoding="utf-8")
