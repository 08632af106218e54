"""The figures of the handouts: readable, calm, the same everywhere, and true."""

import math
import re
from collections.abc import Iterator
from dataclasses import astuple
from functools import cache
from importlib import import_module
from itertools import combinations
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from kata.course.curriculum import ROOT, exercises
from kata.handouts.drawing import MONO, SERIF, WIDTH, Box, Figure, number, text_width
from kata.handouts.figures import figure
from kata.handouts.figures.answers import filled, inference, right, tensor, wrong
from kata.palette import HAIR, HUES, INK, MUTED, PAPER, WHITE
from tests.helpers.later import functional, torch

SVG = "{http://www.w3.org/2000/svg}"
COLOURS = {INK, MUTED, HAIR, PAPER, WHITE} | {each for hue in HUES for each in astuple(hue)}
TALLEST = 232
SMALLEST = 8


def of(name: str) -> ModuleType:
    """A module of figures, which imports torch."""
    return import_module(f"kata.handouts.figures.{name}")


def texts(svg: str) -> Iterator[ElementTree.Element]:
    yield from ElementTree.fromstring(svg).iter(f"{SVG}text")


def box_of(text: ElementTree.Element) -> Box:
    size, mono = float(text.attrib["font-size"]), text.attrib["font-family"] == MONO
    wide = text_width(text.text or "", size, mono)
    x, y = float(text.attrib["x"]), float(text.attrib["y"])
    left = {"start": 0.0, "middle": wide / 2, "end": wide}[text.attrib.get("text-anchor", "start")]
    if "transform" in text.attrib:
        return Box(x - size * 0.6, y - size * 0.34 - wide / 2, size * 0.95, wide)
    return Box(x - left, y - size * 0.72, wide, size * 0.95)


def apart(a: Box, b: Box) -> bool:
    return a.right <= b.x or b.right <= a.x or a.bottom <= b.y or b.bottom <= a.y


def shapes_of(svg: str) -> Iterator[tuple[float, float]]:
    """Corners of everything drawn that is no text."""
    for each in ElementTree.fromstring(svg):
        if each.tag == f"{SVG}rect":
            x, y, width, height = (float(each.attrib[key]) for key in ("x", "y", "width", "height"))
            yield from ((x, y), (x + width, y + height))
        for pair in each.attrib.get("points", "").split():
            x, y = map(float, pair.split(","))
            yield x, y


@cache
def drawn(slug: str) -> Figure:
    drawing = figure(slug)
    assert drawing is not None
    return drawing


def printed(slug: str) -> list[str]:
    """The texts of a figure in the order in which they were drawn."""
    return [each.text or "" for each in texts(drawn(slug).svg)]


def holds(found: list[str], table: Any, digits: int = 1) -> bool:
    """Whether these numbers stand in the figure, one after the other."""
    return places(found, [number(each, digits) for each in np.asarray(table).flatten()]) > 0


def shows(found: list[str], weights: Any) -> int:
    """How often these weights stand there; one of exactly zero is written as 0."""
    return places(found, [number(each) if each else "0" for each in weights.flatten().tolist()])


def places(found: list[str], wanted: list[str]) -> int:
    return sum(found[at : at + len(wanted)] == wanted for at in range(len(found)))


def attended(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
    return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)


def weights_of(query: Any, key: Any, mask: Any = None) -> Any:
    one = torch.eye(key.shape[-2], dtype=key.dtype)
    return attended(query, key, one.expand(*key.shape[:-2], *one.shape), mask)


@pytest.fixture(autouse=True, scope="module")
def on_inference() -> Iterator[None]:
    with inference():
        yield


def figures() -> dict[str, Figure]:
    """All of them, by exercise."""
    return {slug: drawn(slug) for slug in exercises()}


def test_a_figure_is_calm_and_can_be_read() -> None:
    assert {slug: faults for slug, made in figures().items()
            if any(faults := unreadable(made.svg))} == {}  # fmt: skip


def unreadable(svg: str) -> tuple[Any, ...]:
    """What is too large, stands outside, or over something else."""
    page = ElementTree.fromstring(svg)
    width, height = float(page.attrib["width"]), float(page.attrib["height"])
    boxes = [(text.text, box_of(text)) for text in texts(svg)]
    framed = page.attrib["viewBox"] == f"0 0 {page.attrib['width']} {page.attrib['height']}"
    return (
        not framed or width > WIDTH or height > TALLEST,
        [text for text, box in boxes
         if box.x < 0 or box.y < 0 or box.right > width or box.bottom > height],
        [(x, y) for x, y in shapes_of(svg) if not (0 <= x <= width and 0 <= y <= height)],
        [(a[0], b[0]) for a, b in combinations(boxes, 2) if not apart(a[1], b[1])],
    )  # fmt: skip


def test_a_figure_keeps_to_the_palette_and_the_fonts() -> None:
    for slug, made in figures().items():
        letters = [*texts(made.svg)]

        assert set(re.findall(r"#[0-9a-fA-F]{6}", made.svg)) <= COLOURS, slug
        assert set(re.findall(r'(?:fill|stroke)="([a-z]+)"', made.svg)) <= {"none"}, slug
        assert {text.attrib["font-family"] for text in letters} <= {SERIF, MONO}, slug
        assert min(float(text.attrib["font-size"]) for text in letters) >= SMALLEST, slug
        raised = {text.text for text in letters if "ᵀ" in (text.text or "")}
        in_mono = {text.text for text in letters if text.attrib["font-family"] == MONO}
        assert raised <= in_mono, slug  # Libertinus has no raised T


def test_a_figure_is_told_to_those_who_cannot_see_it() -> None:
    for slug, made in figures().items():
        assert len(made.title.split()) <= 12, slug
        assert len(made.alt) > len(made.caption) > len(made.title), slug
        assert made.caption.endswith("."), slug
        assert ElementTree.fromstring(made.svg).attrib["aria-label"] == made.alt
        assert not re.search(r"[{}]", made.title + made.alt + made.caption), slug


def test_a_figure_has_the_same_bytes_each_time() -> None:
    slugs = [*figures()][::3]
    figure.cache_clear()
    again = {slug: figure(slug) for slug in slugs}

    assert [slug for slug, made in again.items() if made != drawn(slug)] == []
    assert [slug for slug, made in figures().items() if '"-0"' in made.svg] == []


def test_what_is_not_drawn_is_none() -> None:
    assert figure("ex29_not_drawn") is None


def test_a_text_that_is_wide_is_known_to_be_wide() -> None:
    assert text_width("mmmm") > text_width("llll")
    assert text_width("llll", mono=True) == text_width("mmmm", mono=True)


def test_numbers_have_a_real_minus_and_no_negative_zero() -> None:
    assert [number(each, 1) for each in (-1.25, -0.04, 3)] == ["−1.2", "0.0", "3.0"]


# ---- what stands in a figure, computed in another way


def test_ex01_shares() -> None:
    powers = [math.exp(each) for each in (2, 1, -1)]
    shares = [number(each / sum(powers)) for each in powers]

    assert printed("ex01_softmax").count(shares[0]) == 2  # a thousand more changes nothing
    assert "exp [inf, inf, inf]" in printed("ex01_softmax")


def test_ex02_contexts() -> None:
    scores = of("ex02_attention_scores").QUERIES @ of("ex02_attention_scores").KEYS.T
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)

    assert holds(printed("ex02_attention_scores"), weights, 2)
    assert holds(printed("ex02_attention_scores"), weights @ of("ex02_attention_scores").VALUES, 2)
    assert "query 1 · key 3 = 0.5·1 + 1·1 + (−1)·0 = 1.5" in printed("ex02_attention_scores")


def test_ex03_contexts() -> None:
    x, (q, k, v) = tensor(14, 3, 3), [tensor(30 + at, 3, 2, spread=0.5) for at in range(3)]

    assert holds(printed("ex03_self_attention"), weights_of(x @ q, x @ k), 2)
    assert holds(printed("ex03_self_attention"), attended(x @ q, x @ k, x @ v))


def test_ex04_curves_end_where_they_are_said_to() -> None:
    query, key = (tensor(seed + 1024, 60, 6, 1024, digits=3).numpy() for seed in (0, 5000))
    for scale in (1, 32):
        scores = query @ key.swapaxes(1, 2) / scale
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        largest = (1 / powers.sum(axis=-1)).mean()
        assert number(largest) in drawn("ex04_scaled_attention").alt


def test_ex05_hidden_keys_have_no_weight() -> None:
    query, key = tensor(2, 5, 4), tensor(3, 5, 4)
    may = torch.ones(5, 5).tril().bool()
    may[:, of("ex05_causal_masks").LENGTH :] = False

    assert shows(printed("ex05_causal_masks"), weights_of(query, key, may))
    assert shows(printed("ex05_causal_masks"), weights_of(query, key))


def test_ex06_what_is_kept_is_what_pytorch_keeps() -> None:
    module = of("ex06_causal_attention")
    model = filled(right(module.SLUG).CausalAttention(4, 4, 6, module.RATE), 18, 0.6)
    before, after = module.dropped(model)
    torch.manual_seed(0)
    kept = torch.nn.Dropout(module.RATE)(before)

    both = (kept != 0) & (after != 0)
    assert both.any()
    assert torch.allclose(kept[both], after[both])


def test_ex07_heads_hold_their_columns() -> None:
    x, found = np.arange(48).reshape(2, 4, 6), printed("ex07_heads")
    for head in range(3):
        assert holds(found, x[0, :, 2 * head : 2 * head + 2], 0)
        assert holds(found, x.reshape(2, 3, 4, 2)[0, head], 0)  # the trap
    assert "strides (24, 2, 6, 1)" in found


def test_ex08_each_head_attends_with_its_own_layers() -> None:
    module = of("ex08_heads_in_a_list")
    model = filled(right(module.SLUG).HeadsInAList(6, 3), 40, 0.7)
    x = tensor(4, 3, 6)
    made = [[layer(x).detach() for layer in each.children()] for each in model.heads]
    merged = torch.cat([attended(*each) for each in made], dim=-1)

    for query, key, _ in made:
        assert holds(printed(module.SLUG), weights_of(query, key), 2)
    assert holds(printed(module.SLUG), merged)
    assert holds(printed(module.SLUG), model.w_out(merged).detach())


def test_ex09_maps_are_those_of_the_built_in() -> None:
    module = of("ex09_multi_head_attention")
    model = filled(right(module.SLUG).MultiHeadAttention(8, 4), 60, 0.8)
    builtin = right("ex17_builtin_attention").to_builtin(model.float())
    query, memory = tensor(61, 2, 3, 8).float(), tensor(62, 2, 5, 8).float()
    padded = torch.tensor([[False] * 4 + [True], [False] * 5])
    maps = builtin(query, memory, memory, padded, average_attn_weights=False)[1][0]

    assert [shows(printed(module.SLUG), table) for table in maps] == [1] * 4


@pytest.mark.parametrize("layout", ["blocks", "per_head"])
def test_ex10_what_is_read_is_what_was_written(layout: str) -> None:
    numbers = np.arange(18).reshape(3, 3, 2)
    parts = numbers if layout == "blocks" else numbers.swapaxes(0, 1)

    for part in parts:
        assert holds(printed("ex10_fused_qkv"), part, 0)


def test_ex11_counts_are_those_of_layers() -> None:
    one = sum(each.numel() for each in torch.nn.Linear(6, 6).parameters())

    assert {str(one * layers) for layers in (2, 3, 4)} <= set(printed("ex11_fewer_projections"))
    assert [each for each in printed("ex11_fewer_projections") if " / " in each] == [
        "36 / 36", "6 / 36", "36 / 36", "18 / 36",
    ]  # fmt: skip


def test_ex12_rows_are_those_of_pytorch() -> None:
    nearly = of("ex12_layer_norm").NEARLY_EQUAL

    assert holds(printed("ex12_layer_norm"), functional.layer_norm(tensor(16, 3, 4), (4,)))
    assert holds(printed("ex12_layer_norm"), functional.layer_norm(nearly, (4,)), 3)
    assert holds(printed("ex12_layer_norm"), [-0.001 / 0.00101, 0.001 / 0.00101], 3)


def test_ex13_outputs_are_two_products() -> None:
    model = filled(right("ex13_feed_forward").FeedForward(2, 5), 8, 0.8)
    hidden = np.maximum(tensor(3, 3, 2).numpy() @ array(model.linear1.weight).T
                        + array(model.linear1.bias), 0)  # fmt: skip
    output = hidden @ array(model.linear2.weight).T + array(model.linear2.bias)

    assert holds(printed("ex13_feed_forward"), output)


def array(parameter: Any) -> Any:
    return parameter.detach().numpy()


def test_ex14_paths_are_the_layer_and_a_known_mistake() -> None:
    module = of("ex14_encoder_layer")
    layer, x = module.example()
    other = wrong(module.SLUG, "pre-norm").EncoderLayer(8, 2, 16).double().eval()
    other.load_state_dict(layer.state_dict())

    for path, order in ((layer, module.AFTER), (other, module.BEFORE)):
        spread = float(path(x).detach().std(dim=-1, correction=0).mean())
        assert module.spreads(layer, x, order)[-1] == pytest.approx(spread)


def test_ex15_influence_is_a_power_of_the_mask() -> None:
    window = np.tri(6) - np.tri(6, k=-2)
    for layers, table in enumerate(of("ex15_encoder").influences(), start=1):
        reached = np.linalg.matrix_power(window, layers) > 0
        assert ((table.numpy() > 1e-9) == reached).all()


def test_ex16_output_is_that_of_pytorch() -> None:
    x, weights, mask = of("ex16_numpy_multi_head").example()
    x, mask, *weights = map(torch.from_numpy, (x, mask, *weights))
    parts = [(x @ each).view(1, 3, 2, 2).transpose(1, 2) for each in weights[:3]]
    output = attended(*parts, mask).transpose(1, 2).reshape(1, 3, 4) @ weights[3]

    assert holds(printed("ex16_numpy_multi_head"), output)


def test_ex17_only_the_turned_mask_means_the_same() -> None:
    found = printed("ex17_builtin_attention")
    x = tensor(5, 1, 4, 4)
    past = weights_of(x, x, torch.ones(4, 4).tril().bool())[0]

    assert shows(found, past) == 3
    assert found.count("nan") == 4


def test_ex18_losses_are_those_of_the_page_about_the_documents() -> None:
    page = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
    for run in ("working", "dropped"):
        losses = of("ex18_training_run").losses(run)
        assert f"| {losses[0]:.4f} → {losses[90]:.4f} |" in page
        assert f"{losses[90]:.4f}" in printed("ex18_training_run")
