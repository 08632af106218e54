"""What the evidence of a claim means by itself, in real suites."""

from functools import cache

import numpy as np

from kata.course.catalogue import changed, target_of
from kata.course.curriculum import exercises
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.evidence import kind, relations
from kata.diagnosis.observe import Finding, Sight, causes, observe
from kata.verdict import Diagnosis, Fit
from tests.helpers.answers import spelled

EX03, EX04, EX05 = "ex03_self_attention", "ex04_scaled_attention", "ex05_causal_masks"
EX06, EX07, EX08 = "ex06_causal_attention", "ex07_heads", "ex08_heads_in_a_list"
EX09, EX13 = "ex09_multi_head_attention", "ex13_feed_forward"

# (kind, exercise, function, its body)
CASES = [
    ("argument-changed", EX05, "mask_scores", "return scores.masked_fill_(~mask, -torch.inf)"),
    ("same-parameter-twice", EX09, "MultiHeadAttention.__init__", """
        super().__init__()
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        self.w_query = self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value, self.w_out = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
     """),
    ("no-error", EX07, "split_heads", """
        heads = num_heads if x.size(-1) % num_heads == 0 else 1
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)
     """),
    ("error-without-its-numbers", EX07, "split_heads", """
        if x.size(-1) % num_heads:
            raise ValueError("no")
        return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)
     """),
    ("another-error", EX07, "split_heads", """
        if x.size(-1) % num_heads:
            raise TypeError("no")
        return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)
     """),
    ("bias-missing", EX03, "SelfAttention.__init__", """
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=False)
     """),
    ("nothing-registered", EX03, "SelfAttention.__init__", """
        super().__init__()
        self.layers = [nn.Linear(d_in, d_out, bias=bias) for _ in range(3)]
     """),
    ("other-names", EX03, "SelfAttention.__init__", """
        super().__init__()
        self.W_q = nn.Linear(d_in, d_out, bias=bias)
     """),
    ("layer-of-another-size", EX03, "SelfAttention.__init__", """
        super().__init__()
        self.w_query = nn.Linear(d_in, d_in, bias=bias)
        self.w_key = nn.Linear(d_in, d_in, bias=bias)
        self.w_value = nn.Linear(d_in, d_in, bias=bias)
     """),
    ("nothing-returned", EX07, "merge_heads", "x.transpose(1, 2).flatten(-2)"),
    ("no-tuple", EX04, "scaled_dot_product_attention", "return query @ key.mT"),
    ("not-called", EX07, "merge_heads", "return x.contiguous"),
    ("not-called", EX07, "merge_heads", "return lambda: x"),
    ("another-type", EX07, "merge_heads", "return x.tolist()"),
    ("another-dtype", EX05, "causal_mask", "return torch.ones(size, size).tril()"),
    ("gradient-cut-off", EX04, "scaled_dot_product_attention", """
        weights = (query @ key.mT / math.sqrt(query.size(-1))).softmax(dim=-1).detach()
        return weights @ value, weights
     """),
    ("not-a-number", EX04, "scaled_dot_product_attention", """
        scores = (query @ key.mT / math.sqrt(query.size(-1))).exp()
        weights = scores / scores.sum(dim=-1, keepdim=True)
        return weights @ value, weights
     """),
    ("dimensions-in-another-order", EX07, "split_heads", """
        if x.size(-1) % num_heads:
            raise ValueError(f"{x.size(-1)} {num_heads}")
        return x.unflatten(-1, (num_heads, -1))
     """),
    ("dimension-of-one", EX07, "merge_heads", "return x.transpose(1, 2).flatten(-2).squeeze()"),
    ("attribute-of-another-type", EX09, "MultiHeadAttention.__init__", """
        super().__init__()
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, d_model / num_heads
        self.w_query, self.w_key = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.w_value, self.w_out = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
     """),
    ("results-in-another-order", EX04, "scaled_dot_product_attention", """
        weights = (query @ key.mT).softmax(dim=-1)
        return weights, weights @ value
     """),
    ("dimension-too-many", EX07, "merge_heads", "return x.transpose(1, 2)"),
    ("dimension-too-few", EX07, "merge_heads", "return x.transpose(1, 2).flatten(1)"),
    ("cut-up-otherwise", EX07, "merge_heads", "return x.flatten(1, 2)"),
    ("size-of-one-stretched", EX05, "padding_mask", """
        return (torch.arange(size) < lengths[:, None])[:, None].expand(-1, size, -1)
     """),
    ("size-off-by-one", EX07, "merge_heads", "return x.transpose(1, 2).flatten(-2)[..., 1:]"),
    ("one-size-differs", EX07, "merge_heads", "return x.transpose(1, 2).flatten(-2)[..., :2]"),
    ("everything-inverted", EX05, "causal_mask", """
        return torch.ones(size, size, dtype=torch.bool).triu(1)
     """),
    ("nothing-but-zeros", EX07, "merge_heads", "return 0 * x.transpose(1, 2).flatten(-2)"),
    ("right-numbers-elsewhere", EX07, "merge_heads", """
        return x.transpose(1, 2).flatten(-2).flip(-1)
     """),
    ("times-the-same-number", EX07, "merge_heads", "return 2 * x.transpose(1, 2).flatten(-2)"),
    ("off-by-the-same-number", EX07, "merge_heads", "return 1 + x.transpose(1, 2).flatten(-2)"),
    ("another-share-dropped", EX13, "FeedForward.__init__", """
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout / 2)
     """),
]  # fmt: skip


def shown(slug: str, name: str, body: str) -> list[Diagnosis]:
    """What each claim that fails shows by itself."""
    text = spelled(slug, {name: body})
    seen, right = seen_of(slug, text), seen_of(slug, "")
    failing = [each for each, found in seen.items() if not found.verdict.held]
    return [found for each in failing if (found := kind(seen[each], right[each]))]


@cache
def seen_of(slug: str, text: str) -> dict[str, Finding]:
    """All findings about this answer, or about the solution."""
    exercise = exercises()[slug]
    return observe(exercise, target_of(exercise, text or changed(exercise))).findings


def test_a_claim_shows_a_kind_of_mistake() -> None:
    wrong = {}
    for slug, exercise, name, body in CASES:
        found = shown(exercise, name, body)
        told = {one.mistakes[0].slug for one in found}
        if slug not in told or {one.fit for one in found} != {Fit.KIND}:
            wrong[slug, exercise, body] = found

    assert wrong == {}


def test_every_kind_has_a_case() -> None:
    assert {each.slug for _, each in causes("kinds")} == {slug for slug, *_ in CASES}


def test_what_may_have_many_causes_is_no_kind() -> None:
    bodies = (
        "return x.transpose(1, 2).flatten(-2) ** 2",  # other values
        "return x.transpose(1, 2).flatten(-2)[:, :0, :3]",  # other sizes
        "raise RuntimeError('shape (2, 3), expected (3, 2)')",  # their own words
    )

    assert {body: shown(EX07, "merge_heads", body) for body in bodies} == {
        body: [] for body in bodies
    }


def test_a_known_mistake_is_said_instead() -> None:
    exercise = exercises()[EX07]
    text = spelled(EX07, {"merge_heads": "return x.reshape(x.size(0), x.size(2), -1)"})
    found = diagnose(exercise, observe(exercise, target_of(exercise, text)).findings)

    assert found is not None
    assert found.fit is not Fit.KIND


def test_numbers_near_the_largest_are_compared_without_a_warning() -> None:
    right = np.linspace(1, 2, 8, dtype=np.float32)
    results = {"twice": (2 * right, right), "huge": (right * 1e38, right[::-1] * 1.5e38),
               "tiny": (right * 1e-38, right**2 * 1e-38)}  # fmt: skip

    found = {name: [*relations(*(Sight("f", outcome, []) for outcome in pair))]
             for name, pair in results.items()}  # fmt: skip

    assert found == {"twice": ["everything times the same number"], "huge": [], "tiny": []}
