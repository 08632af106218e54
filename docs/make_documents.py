"""Compute every number and figure of docs/documents.md, and write the page.

Its texts are in kata/handouts/texts/documents.toml. `python -m docs.make_documents 13` prints what
is computed for section 13, and writes nothing.
"""

import io
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from functools import cache
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor

from docs.page import PIECES, Table, drawing, figure, main, numbers, piece, raised, table
from kata.__main__ import main as kata
from kata.course.catalogue import Bug, bugs, wrong_answer
from kata.course.curriculum import SOLUTIONS, Exercise, exercises
from kata.course.target import Target
from kata.handouts.documents_bugs import own_bugs
from kata.handouts.site.seen_in import own_number
from kata.judging.judge import suite

SHORTS = {each.short: each for each in exercises().values()}
SHOWN = {each.number: (each.exercise, each.slug) for each in own_bugs() if each.is_code}

# What the documents print, where it is compared with something here.
PRINTED_BATCHED = (0.9783, 0.9198, 0.8733, 0.8275, 0.7754, 0.7139, 0.6447, 0.5727, 0.5028, 0.4369)
PRINTED_MASKED = (0.9432, 0.8329, 0.7072, 0.5641, 0.4373, 0.3366, 0.2433, 0.1577, 0.0930, 0.0512)
PRINTED_JOINED = (-0.1674, -0.5873, -0.3776, -0.1674, -0.5863, -0.3775)
PRINTED_STALE = (-0.1668, -0.5863, -0.3756, -0.2091, 0.3069, 0.2622)
PRINTED_CONTEXT = torch.tensor([
    [[-0.1674, -0.5873, -0.3776], [-0.1674, -0.5863, -0.3775], [-0.1673, -0.5880, -0.3772]],
    [[-0.2045, 0.2991, 0.2583], [-0.2103, 0.3089, 0.2634], [-0.2006, 0.2925, 0.2540]],
])  # (H, S, D), the same for both samples  # fmt: skip
PRINTED_SCORES = torch.tensor([
    [[0.0430, 0.0376, 0.0732], [-0.2803, -0.4273, -0.2455], [0.0541, -0.0342, 0.1366]],
    [[-0.0250, -0.1112, 0.0318], [-0.0378, -0.1385, 0.0541], [-0.0443, -0.0262, 0.1318]],
])  # (H, S, S)  # fmt: skip
STALE_VALUES = torch.tensor([
    [[-0.1781, -0.5251, -0.4096], [-0.2055, -0.5814, -0.5027], [-0.1179, -0.6514, -0.2176]],
    [[0.0110, -0.0604, 0.0175], [-0.4761, 0.7434, 0.6308], [-0.1764, 0.2605, 0.1596]],
])  # (H, S, D)  # fmt: skip
THREE_TOKENS = torch.tensor([
    [0.2745, 0.6584, 0.2775, 0.8573, 0.6584, 0.2775],
    [0.8993, 0.0390, 0.9268, 0.7388, 0.8993, 0.0390],
    [0.7179, 0.7058, 0.9156, 0.4340, 0.7179, 0.9156],
])  # fmt: skip
SIX_TOKENS = np.array([
    [0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55],
])  # fmt: skip

# ---- tools


def bug(short: str, slug: str) -> Bug:
    """An entry of the catalogue."""
    return next(each for each in bugs(SHORTS[short]) if each.slug == slug)


@cache
def module(short: str, *mistake: str) -> ModuleType:
    """The reference of an exercise; with the mistake (exercise, slug) if one is given."""
    replaced = {}
    if mistake:
        wrong = SHORTS[mistake[0]]
        replaced = {wrong.slug: wrong_answer(wrong, bug(*mistake))}
    return Target(SOLUTIONS, replaced, trusts=lambda _: True).module(SHORTS[short].slug)


def heads(d_model: int, num_heads: int, *mistake: str, seed: int = 0, **options: Any) -> Any:
    """A multi-head attention of exercise 09 with the numbers of this seed."""
    torch.manual_seed(seed)
    return module("ex09", *mistake).MultiHeadAttention(d_model, num_heads, **options)


def causal(size: int) -> Tensor:
    """True where a key may be seen."""
    allowed: Tensor = module("ex05").causal_mask(size)
    return allowed


def influence(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """How far each output (rows) moves when each token (columns) is replaced; x is (1, S, E)."""
    with torch.no_grad():
        right, moves = function(x), []
        for token in range(x.size(1)):
            other = x.clone()
            other[:, token] = -other[:, token]
            moves.append((function(other) - right).abs().amax(dim=(0, 2)))
    return torch.stack(moves, dim=1)


# ---- where each one is met


def met(number: int) -> str:
    """The exercise, the claim and the command; then the same mistake elsewhere."""
    short, slug = SHOWN[number]
    told = [f"Exercise {short} `{slug}`: {_claim(SHORTS[short], bug(short, slug))}", ""]
    told += ["```", f"python -m kata show {short} {slug}", "```"]
    if others := list(_elsewhere(number)):
        told += ["", f"Also in the catalogue: {', '.join(others)}."]
    return "\n".join(told)


def _claim(exercise: Exercise, wrong: Bug) -> str:
    claim = next(each for each in suite(exercise) if each.name == wrong.claim)
    return f"`{wrong.claim}` fails first, which says “{claim.sentence}”"


def _elsewhere(number: int) -> Iterable[str]:
    for short, exercise in SHORTS.items():
        for each in bugs(exercise):
            if (short, each.slug) != SHOWN[number] and of_document(each, number):
                yield f"{short} `{each.slug}`"


def of_document(wrong: Bug, number: int) -> bool:
    """Whether an entry of the catalogue is this own bug of the documents."""
    return number in map(own_number, wrong.seen_in)


for _number in SHOWN:
    PIECES[f"{_number}.met"] = cache(lambda number=_number: met(number))


# ---- 1 to 3: document 001, its training runs

Fill = Callable[[Tensor, Tensor], Tensor]


class Composed(torch.nn.Module):
    """The attention of document 001: exercise 09's layers around a way to fill scores."""

    def __init__(self, fill: Fill) -> None:
        super().__init__()
        self.parts = module("ex09").MultiHeadAttention(32, 4)
        self.fill = fill

    def weights(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """What each query takes from each key, (B, H, S, S)."""
        split = module("ex07").split_heads
        queries, keys = split(self.parts.w_query(x), 4), split(self.parts.w_key(x), 4)
        scores = queries @ keys.mT / 8**0.5
        return (scores if mask is None else self.fill(scores, mask)).softmax(dim=-1)

    def forward(self, x: Tensor, _: Tensor, __: Tensor, mask: Tensor | None) -> Any:
        """Self-attention."""
        values = module("ex07").split_heads(self.parts.w_value(x), 4)
        mixed = self.weights(x, mask) @ values
        return self.parts.w_out(module("ex07").merge_heads(mixed))


def fills() -> dict[str, Fill]:
    """Ways to fill: the reference, the entries of the catalogue, and a kept inverted one."""
    slugs = [SHOWN[1][1], SHOWN[3][1]]
    wrong = {each: module("ex05", "ex05", each).mask_scores for each in slugs}
    kept = {"inverted": lambda scores, mask: torch.where(mask, -torch.inf, scores)}
    return {"": module("ex05").mask_scores, **wrong, **kept}


def document_001(batch: int, fill: str) -> tuple[Composed, Tensor, Tensor]:
    """Its model, inputs and targets: seed 42, width 32, four heads, eight tokens."""
    torch.manual_seed(42)
    x, target = (torch.randn(batch, 8, 32) for _ in range(2))
    return Composed(fills()[fill]), x, target


@cache
def losses(batch: int, fill: str = "", masked: bool = True) -> tuple[float, ...]:
    """100 steps as the document runs them."""
    model, x, target = document_001(batch, fill)
    return tuple(module("ex18").train(model, x, target, causal(8) if masked else None, 100))


def first_weights(fill: str = "") -> Tensor:
    """The maps of the four heads before the first step, (H, S, S)."""
    model, x, _ = document_001(1, fill)
    with torch.no_grad():
        return model.weights(x, causal(8))[0]


@piece("1.losses")
def batched_losses() -> Table:
    """The run that the document prints, between the two that it could be."""
    rows = {
        "no mask at all": losses(4, masked=False)[::10],
        "printed under “masked”": PRINTED_BATCHED,
        "the future hidden": losses(4)[::10],
    }
    head = ["batch of four, step", *(str(step) for step in range(0, 100, 10))]
    return table(head, [[name, *numbers(each)] for name, each in rows.items()])


@piece("1.gap")
def gap_dropped() -> str:
    """By how much the run with the dropped mask differs from the run without one."""
    return _gap("scores-fill-dropped")


@piece("3.gap")
def gap_both() -> str:
    """The same with both mistakes."""
    return _gap("scores-fill-dropped-and-inverted")


def _gap(slug: str) -> str:
    ignored, unmasked = losses(4, slug), losses(4, masked=False)
    return f"{max(abs(a - b) for a, b in zip(ignored, unmasked, strict=True)):.4f}"


@piece("1.later")
def weight_on_later_tokens() -> str:
    """The largest weight on a token that should be hidden."""
    return numbers([first_weights("scores-fill-dropped")[:, ~causal(8)].max()])[0]


@piece("1.message")
def message_dropped() -> str:
    """What a learner reads."""
    return f"```\n{shown(1)}\n```"


def shown(number: int) -> str:
    """What `kata show` prints of a mistake."""
    page = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    plain = {"COLUMNS": "88", "TERM": "xterm"}
    with redirect_stdout(page), patch.dict("os.environ", plain):
        kata(["show", *SHOWN[number]])
    page.seek(0)
    return re.sub(r"[ ]+$", "", page.read(), flags=re.MULTILINE).strip()


@drawing("1-dropped")
def draw_dropped() -> str:
    """Head 0 of document 001."""
    return figure(
        "Document 001, first head before training: weights of queries (rows) on keys (columns)",
        "The mask is there, and later tokens keep their weight.",
        first_weights()[0],
        first_weights("scores-fill-dropped")[0],
    )


@drawing("2-inverted")
def draw_inverted() -> str:
    """Head 0 of document 001 with an inverted mask."""
    return figure(
        "Document 001, the fill kept as it is written: weights of queries (rows) on keys (columns)",
        "Each token sees the future only; the last one sees nothing, which is not a number.",
        first_weights()[0],
        first_weights("inverted")[0],
    )


@piece("2.rows")
def rows_not_a_number() -> str:
    """How many rows of weights are NaN."""
    lost = first_weights("inverted").isnan().all(dim=-1)
    return f"{int(lost.sum())} of {lost.numel()}"


@piece("2.past")
def weight_on_the_past() -> str:
    """What the other rows give to the token itself and those before."""
    return numbers([first_weights("inverted")[:, :-1][:, causal(8)[:-1]].max()])[0]


@piece("2.loss")
def loss_inverted() -> str:
    """The first loss of such a run."""
    return str(losses(1, "inverted")[0])


@piece("3.table")
def four_ways() -> Table:
    """The losses of one sample with each of two mistakes, with both and with neither."""
    rows = [
        ["mask not inverted", _ends(losses(1)), _ends(losses(1, SHOWN[1][1]))],
        ["mask inverted", _ends(losses(1, "inverted")), _ends(losses(1, SHOWN[3][1]))],
    ]
    return table(["loss at step 0 → 90", "result kept", "result dropped"], rows)


def _ends(run: Sequence[float]) -> str:
    return " → ".join(numbers([run[0], run[90]]))


@piece("3.unmasked")
def unmasked_ends() -> str:
    """The run of document 001 without a mask."""
    return _ends(losses(1, masked=False))


# ---- 4 and 5: document 001, its shapes


def keys_seen(*mistake: str) -> Tensor:
    """How many keys each head of each sample gives weight to; samples have 8, 6, 4, 2 tokens."""
    model, x = heads(32, 4, *mistake), torch.randn(4, 8, 32)
    mask = module("ex05").padding_mask(torch.tensor([8, 6, 4, 2]), 8).expand(4, 8, 8)
    with torch.no_grad():
        weights = model(x, x, x, mask)[1]
    return (weights[:, :, 0] > 0).sum(dim=-1)


@piece("4.seen")
def seen_table() -> Table:
    """For each sample, the keys that its heads see."""
    right, got = keys_seen(), keys_seen(*SHOWN[4])
    rows = [
        [f"sample {b}", " ".join(map(str, right[b].tolist())), " ".join(map(str, got[b].tolist()))]
        for b in range(4)
    ]
    return table(["keys that are seen", "by heads 0 1 2 3, right", "by heads 0 1 2 3, got"], rows)


@drawing("4-samples-on-heads")
def draw_seen() -> str:
    """Samples down, heads across."""
    return figure(
        "How many keys the heads (columns) of each sample (row) see",
        "A sample's own length should decide; the number of the head decides.",
        keys_seen(),
        keys_seen(*SHOWN[4]),
    )


@piece("4.error")
def error_three_samples() -> str:
    """What a batch of three gives."""
    model, x = heads(32, 4, *SHOWN[4]), torch.randn(3, 8, 32)
    return raised(lambda: model(x, x, x, torch.ones(3, 8, 8, dtype=torch.bool)))


@piece("5.error")
def error_cross() -> str:
    """Eight queries at five keys."""
    model = heads(32, 4, *SHOWN[5])
    query, memory = torch.randn(4, 8, 32), torch.randn(4, 5, 32)
    return raised(lambda: model(query, memory, memory))


# ---- 6 and 7: document 002


@piece("6.error")
def error_foward() -> str:
    """Calling what has no forward."""
    model, x = heads(32, 4, *SHOWN[6]), torch.randn(1, 8, 32)
    return raised(lambda: model(x, x, x))


@piece("6.parameters")
def parameters_foward() -> str:
    """The parameters that it has nevertheless."""
    return str(sum(each.numel() for each in heads(32, 4, *SHOWN[6]).parameters()))


@piece("7.error")
def error_nothing() -> str:
    """The next line, which wants to add something."""
    model, x = heads(32, 4, *SHOWN[7]), torch.randn(1, 8, 32)
    return raised(lambda: model(x, x, x) + x)


@piece("7.returned")
def returned_nothing() -> str:
    """What the call itself gives."""
    model, x = heads(32, 4, *SHOWN[7]), torch.randn(1, 8, 32)
    return f"`{model(x, x, x)}`"


# ---- 8: documents 000 and 003


def joined(*mistake: str) -> Tensor:
    """The two heads that document 003 prints, put side by side: its first token."""
    merged: Tensor = module("ex07", *mistake).merge_heads(PRINTED_CONTEXT[None])
    return merged[0, 0]


@piece("8.joined")
def joined_table() -> Table:
    """The printed row between the two that it could be."""
    rows = {
        "printed": PRINTED_JOINED,
        "reshaped without the transpose": joined(*SHOWN[8]),
        "heads side by side": joined(),
    }
    head = ["document 003, token 0", *(f"feature {n}" for n in range(6))]
    return table(head, [[name, *numbers(each)] for name, each in rows.items()])


@piece("8.numpy")
def numpy_table() -> Table:
    """Document 004: the seeded output, and what a reshape alone makes of it."""
    rows = {"heads side by side (printed)": (), "without the transpose": ("ex16", _EX16)}
    head = ["document 004, token 0", *(f"feature {n}" for n in range(3))]
    return table(
        head, [[name, *numbers(seeded(*each)[0, 0, :3], 8)] for name, each in rows.items()]
    )


_EX16 = "merge-without-transpose"


def seeded(*mistake: str) -> Any:
    """Document 004: seed 0, one sample, four tokens, eight features, two heads."""
    random = np.random.RandomState(0)
    x, *weights = random.rand(1, 4, 8), *(random.rand(8, 8) for _ in range(4))
    return module("ex16", *mistake).multi_head_attention(x, *weights, 2)


@piece("8.origins")
def origins_table() -> Table:
    """Which token and head each number of a row comes from."""
    labels = torch.arange(12).view(1, 2, 3, 2)  # (B, H, S, D)
    right = module("ex07").merge_heads(labels)[0]
    got = module("ex07", *SHOWN[8]).merge_heads(labels)[0]
    rows = [[f"row {n}", _origin(right[n]), _origin(got[n])] for n in range(3)]
    return table(["three tokens, two heads of width two", "right", "got"], rows)


def _origin(row: Tensor) -> str:
    parts = [(int(n) // 2 % 3, int(n) // 6) for n in row[::2]]
    return ", ".join(f"token {token} of head {head}" for token, head in parts)


def causal_influence(*mistake: str) -> Tensor:
    """Five tokens under a causal mask: which outputs move with which inputs."""
    model, x = heads(18, 3, *mistake).eval(), torch.randn(1, 5, 18)
    return influence(lambda each: model(each, each, each, causal(5))[0], x)


@drawing("8-merge")
def draw_merge() -> str:
    """Later tokens leak into earlier rows."""
    return figure(
        "Under a causal mask: outputs (rows) that move with tokens (columns)",
        "Above the diagonal nothing should move; a merge without the transpose mixes tokens.",
        causal_influence(),
        causal_influence("ex09", "merge-without-transpose"),
    )


@piece("8.leak")
def leak() -> str:
    """How far an earlier output moves with a later token."""
    later = ~causal(5)
    right, got = causal_influence(), causal_influence("ex09", "merge-without-transpose")
    return f"{float(got[later].max()):.4f} instead of {float(right[later].max()):.4f}"


# ---- 9 to 12: document 000


def layer_influence(*mistake: str) -> Tensor:
    """The same for a whole encoder layer."""
    torch.manual_seed(0)
    layer = module("ex14", *mistake).EncoderLayer(18, 3, 11, dropout=0.0).eval()
    return influence(lambda each: layer(each, causal(5)), torch.randn(1, 5, 18))


@drawing("9-mask-forgotten")
def draw_forgotten() -> str:
    """The mask that ends in the layer."""
    return figure(
        "An encoder layer: outputs (rows) that move with tokens (columns)",
        "A causal mask is given; the layer hands None to its attention.",
        layer_influence(),
        layer_influence(*SHOWN[9]),
    )


@piece("9.leak")
def layer_leak() -> str:
    """How far an earlier output moves with a later token."""
    later = ~causal(5)
    right, got = layer_influence(), layer_influence(*SHOWN[9])
    return f"{float(got[later].max()):.4f} instead of {float(right[later].max()):.4f}"


@piece("10.weights")
def weights_added() -> Table:
    """Three equal scores, of which the first is allowed."""
    scores, mask = torch.zeros(1, 3), torch.tensor([[True, False, False]])
    rows = [
        [name, *numbers(module("ex05", *wrong).mask_scores(scores, mask).softmax(dim=-1)[0])]
        for name, wrong in {"hidden": (), "the mask added": SHOWN[10]}.items()
    ]
    return table(["weights", "allowed key", "hidden key", "hidden key"], rows)


@piece("10.ratio")
def ratio_added() -> str:
    """How much more an allowed key gets than a hidden one with the same score."""
    scores, mask = torch.zeros(1, 2), torch.tensor([[True, False]])
    weights = module("ex05", *SHOWN[10]).mask_scores(scores, mask).softmax(dim=-1)[0]
    return numbers([weights[0] / weights[1]])[0]


@piece("10.error")
def error_in_place() -> str:
    """Scores of one map, and a mask for each of four samples."""
    scores, mask = torch.zeros(5, 5), torch.zeros(4, 5, 5)
    return raised(lambda: scores.add_(mask))


@piece("11.fused")
def error_fused() -> str:
    """Ten features, three heads, queries, keys and values in one layer."""
    qkv = torch.randn(2, 5, 30)
    return raised(lambda: qkv.reshape(2, 5, 3, 3 * (10 // 3)))


@piece("11.list")
def error_list() -> str:
    """The same with a list of heads."""
    model = module("ex08", "ex08", "width-not-checked").HeadsInAList(10, 3)
    return raised(lambda: model(torch.randn(2, 5, 10)))


@piece("11.right")
def error_checked() -> str:
    """What the reference says, before anything is made."""
    return raised(lambda: module("ex09").MultiHeadAttention(10, 3))


@piece("12.table")
def dropout_table() -> Table:
    """How far two calls in training differ."""
    rows = []
    for name, wrong in {"dropout on the weights": (), "the dropout left out": SHOWN[12]}.items():
        model, x = heads(18, 3, *wrong, dropout=0.5).train(), torch.randn(2, 5, 18)
        with torch.no_grad():
            gap = (model(x, x, x)[0] - model(x, x, x)[0]).abs().max()
        rows.append([name, *numbers([gap])])
    return table(["in training, dropout 0.5", "largest difference between two calls"], rows)


# ---- 13 to 16: document 003


@piece("13.printed")
def shares_table() -> Table:
    """The second of six tokens, as it is."""
    return _shares(SIX_TOKENS)


@piece("13.moved")
def moved_table() -> Table:
    """The same tokens, each number less by one half."""
    return _shares(SIX_TOKENS - 0.5)


def _shares(tokens: Any) -> Table:
    scores = module("ex02").score_query(tokens[1], tokens)
    by_sum = module("ex02", *SHOWN[13]).attention_weights(scores)
    rows = {"scores": scores, "divided by their sum": by_sum}
    rows |= {"softmax": module("ex02").attention_weights(scores)}
    head = ["query x²", *(f"x{n}" for n in "¹²³⁴⁵⁶")]
    return table(head, [[name, *numbers(each)] for name, each in rows.items()])


@piece("13.zero")
def shares_of_zero() -> str:
    """Scores that sum to zero."""
    scores = np.array([1.0, -1.0])
    with np.errstate(divide="ignore"):
        got = module("ex02", *SHOWN[13]).attention_weights(scores)
    return f"`{got.tolist()}`"


@piece("14.four")
def four_tokens() -> Table:
    """Four tokens in room for six."""
    tokens = SIX_TOKENS[:4]
    right = module("ex02").attention_weights(module("ex02").attention_scores(tokens, tokens))
    six = module("ex02", *SHOWN[14]).attention_scores(tokens, tokens)
    got = module("ex02").attention_weights(six)
    rows = [["right", *numbers(right[1]), "", ""], ["room for six", *numbers(got[1])]]
    return table(["weights of x²", *(f"x{n}" for n in "¹²³⁴"), "nobody", "nobody"], rows)


@piece("14.lost")
def weight_on_nobody() -> str:
    """The share of the weight that goes to keys that do not exist."""
    six = module("ex02", *SHOWN[14]).attention_scores(SIX_TOKENS[:4], SIX_TOKENS[:4])
    return f"{module('ex02').attention_weights(six)[1, 4:].sum():.4f}"


@piece("14.error")
def error_seven() -> str:
    """Seven tokens in room for six."""
    tokens = np.vstack([SIX_TOKENS, SIX_TOKENS[:1]])
    return raised(lambda: module("ex02", *SHOWN[14]).attention_scores(tokens, tokens))


@piece("15.table")
def stale_table() -> Table:
    """The printed row between the two that it could be."""
    weights = (PRINTED_SCORES / 3**0.5).softmax(dim=-1)
    merge, split = module("ex07").merge_heads, module("ex07").split_heads
    rows = {
        "printed": PRINTED_STALE,
        "with the values of an earlier cell": merge((weights @ STALE_VALUES)[None])[0, 0],
        "with the slices of the tokens": merge(weights @ split(THREE_TOKENS[None], 2))[0, 0],
    }
    head = ["document 003, token 0", *(f"feature {n}" for n in range(6))]
    return table(head, [[name, *numbers(each)] for name, each in rows.items()])


@piece("16.parameters")
def parameters_table() -> Table:
    """Six features, two heads, with biases."""
    count = module("ex11").parameter_count
    rows = [
        ["multi-head attention", str(count(6, True, True))],
        ["called optimized: no values' layer", str(count(6, True, False))],
        ["called efficient: no keys' layer either", str(count(6, False, False))],
    ]
    return table(["width 6", "parameters"], rows)


def features_reached(*mistake: str) -> Tensor:
    """Which feature of the heads (rows) can hold which feature of a token (columns)."""
    model, x = heads(6, 2, *mistake).eval(), torch.randn(1, 1, 6)
    with torch.no_grad():
        model.w_out.weight.copy_(torch.eye(6))
        right = model(x, x, x)[0][0, 0]
        moves = [model(x, x, x + step)[0][0, 0] - right for step in torch.eye(6)]
    return torch.stack(moves, dim=1).abs()


@drawing("16-values")
def draw_values() -> str:
    """Every feature, or its own only."""
    return figure(
        "What a head's feature (row) takes from a token's feature (column)",
        "With a layer for the values, anything; without one, a head hands on its own slice.",
        features_reached(),
        features_reached(*SHOWN[16]),
    )


@piece("16.reached")
def reached() -> str:
    """How many of the paths are left."""
    ways = [(each > 1e-6).sum() for each in (features_reached(*SHOWN[16]), features_reached())]
    return f"{int(ways[0])} of {int(ways[1])}"


@piece("16.error")
def error_widths() -> str:
    """Tokens of width three cannot be values of width six."""
    return raised(lambda: torch.randn(2, 6, 3).view(2, 6, 2, 3))


# ---- 17 to 20


def example(name: str) -> tuple[int, int, tuple[Any, ...]]:
    """Width, heads and arguments of an example with the sizes of a document, or of this kata."""
    torch.manual_seed(0)
    if name == "003":
        x = torch.rand(6, 3).expand(2, 6, 3)
        return 3, 3, (x, x, x, causal(6))
    if name == "001":
        x = torch.randn(4, 8, 32)
        return 32, 4, (x, x, x, causal(8).expand(4, 8, 8))
    if name == "004":
        x = torch.rand(1, 4, 8)
        return 8, 2, (x, x, x, None)
    return 18, 3, (*(torch.randn(3, size, 18) for size in (5, 7, 7)), torch.rand(3, 5, 7) > 0.3)


def distance(name: str, slug: str) -> str:
    """How far a wrong answer of exercise 09 is from the right one, on this example."""
    width, count, arguments = example(name)
    outputs = []
    for mistake in ((), ("ex09", slug)):
        with torch.no_grad():
            outputs.append(heads(width, count, *mistake, seed=1).eval()(*arguments)[0])
    gap = float((outputs[0] - outputs[1]).abs().max())
    return f"{gap:.4f}" if gap > 1e-5 else "**0**"


BLIND = ("no-scale", "heads-interleaved", "sample-mask-on-heads", "first-samples-mask",
         "mask-ignored", "keys-from-value", "batch-and-heads-exchanged")  # fmt: skip


@piece("17.table")
def blind_table() -> Table:
    """What each example shows of some mistakes."""
    head = ["mistake in ex09", "003: D = 1, samples alike", "001: B = H, one mask for all",
            "004: one sample, no mask", "B = H = 3, T = 5, S = 7, D = 6"]  # fmt: skip
    columns = ("003", "001", "004", "kata")
    return table(head, [[f"`{each}`", *(distance(at, each) for at in columns)] for each in BLIND])


@piece("18.masked")
def masked_table() -> Table:
    """One sample: what is printed, what the shown code gives, what was meant."""
    rows = {
        "printed": PRINTED_MASKED,
        "given by the code above it": losses(1, SHOWN[3][1])[::10],
        "the future hidden": losses(1)[::10],
    }
    head = ["one sample, step", *(str(step) for step in range(0, 100, 10))]
    return table(head, [[name, *numbers(each)] for name, each in rows.items()])


@piece("18.ragged")
def error_ragged() -> str:
    """A tensor with rows of six and rows of four."""
    return raised(lambda: torch.tensor([[[[0.0] * 6] * 3, [[0.0] * 4] * 3]]))


@piece("18.product")
def product() -> str:
    """What is printed as its first product, from the first four columns of the first matrix."""
    return numbers([THREE_TOKENS[0, :4] @ THREE_TOKENS[0, :4]])[0]


@piece("19.names")
def names_table() -> Table:
    """Two things of document 001 with one name."""
    layer = heads(32, 4).w_out.weight
    rows = [
        ["the scores, once", " × ".join(map(str, (1, *first_weights().shape)))],
        ["the layer's weight, as it is saved", " × ".join(map(str, layer.shape))],
    ]
    return table(["`attention_scores`", "shape"], rows)


@piece("20.error")
def error_int() -> str:
    """The first call."""
    norm = module("ex12", *SHOWN[20]).LayerNorm(8)
    return raised(lambda: norm(torch.randn(2, 8)))


@piece("20.made")
def made_int() -> str:
    """What was made without complaint."""
    return str(sum(each.numel() for each in module("ex12", *SHOWN[20]).LayerNorm(8).parameters()))


if __name__ == "__main__":
    main(*sys.argv[1:2])
