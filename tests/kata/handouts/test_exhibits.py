"""Exhibits that can be touched: their data, what their formulas give, and their pages."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.handouts.figures.answers import moved, right, tensor, wrong
from kata.handouts.site import exhibits as touch
from kata.handouts.site.address import Address
from kata.handouts.site.exhibits.exhibit import (
    RIGHT,
    Exhibit,
    Line,
    common,
    exhibit_of,
    exhibits,
)
from kata.handouts.site.exhibits.pages import data
from kata.handouts.site.museum import Room
from kata.handouts.site.pages import Site, _templates
from tests.helpers.later import Later, torch
from tests.helpers.source_code import FORBIDDEN
from tests.kata.handouts.test_site import Tree, given_away, some

states = Later("kata.handouts.site.exhibits.states")
ALL = list(exhibits().values())
MASKS, SPLIT, FUSED = "ex05_causal_masks", "ex07_heads", "ex10_fused_qkv"
NORM, ROTARY, ENCODER, SCALED = (
    "ex12_layer_norm", "ex19_rotary_positions", "ex15_encoder", "ex04_scaled_attention",
)  # fmt: skip
WIDEST_CODE = 44  # characters of a line that is not wrapped
MOST_OF_A_PAGE, MOST_OF_THE_SHARED, MOST_OF_ALL_STATES = 20_000, 12_000, 110_000


def wrong_map(name: str, line: str, **knobs: Any) -> "torch.Tensor":
    exhibit = exhibits()[name]
    got = states.result(exhibit, line, {**exhibit.start, **knobs}).got
    assert got is not None
    return got


def assert_close(line: str, got: "torch.Tensor", right: "torch.Tensor", **within: Any) -> None:
    torch.testing.assert_close(got, right, msg=lambda text: f"{line}: {text}", **within)


@pytest.fixture(scope="module")
def room() -> Room:
    return some(exercises()[MASKS], "scores-fill-dropped", "scores-inverted")


@pytest.fixture(scope="module")
def pages(room: Room) -> dict[str, str]:
    return dict(touch.files(Site((room,), Address()), _templates()))


# ---- data


def test_there_are_twelve_in_an_order_and_each_has_its_formula_and_its_numbers() -> None:
    assert [each.place for each in ALL] == list(range(1, 13))
    assert set(exhibits()) == set(states.FORMULAS)
    assert all(states.inputs(name) for name in exhibits())


def test_what_an_exhibit_names_exists() -> None:
    known = {f"{each.slug}/{bug.slug}" for each in exercises().values() for bug in bugs(each)}

    for exhibit in ALL:
        assert exhibit.exercises, exhibit.name
        assert set(exhibit.exercises) <= {bug.partition("/")[0] for bug in exhibit.bugs}
        assert set(exhibit.bugs) <= known
        assert all(line.bugs for line in exhibit.lines[:-1]), exhibit.name


def test_an_exhibit_has_all_its_texts_and_no_line_of_code_is_wrapped() -> None:
    for exhibit in ALL:
        keys = [line.key for line in exhibit.lines]
        code = [text for line in exhibit.lines for text in line.code.splitlines()]

        assert len(set(keys)) == len(keys) >= 5
        assert keys[-1] == RIGHT
        assert all(line.label and line.code and line.shows for line in exhibit.lines[:-1])
        assert all(fact.claim and fact.measured for fact in exhibit.facts), exhibit.name
        assert exhibit.knobs, exhibit.name
        assert all(knob.start in knob.values for knob in exhibit.knobs), exhibit.name
        assert [text for text in code if len(text) > WIDEST_CODE] == []


def test_no_text_talks_down() -> None:
    folder = Path(touch.__file__).parent / "texts"

    for path in folder.glob("*.toml"):
        assert FORBIDDEN.findall(path.read_text(encoding="utf-8")) == [], path


def test_a_wrong_answer_leads_to_its_line() -> None:
    assert exhibit_of(MASKS, "scores-inverted") == "masks.html#line=inverted"
    assert exhibit_of(SPLIT, "merge-without-transpose") == "merge.html#line=untransposed"
    assert exhibit_of(MASKS, "no-such-slug") == ""


# ---- what the formulas give


def test_a_line_can_be_seen_with_some_setting_unless_it_is_right() -> None:
    seen = {(exhibit.name, line.key): any(fails(exhibit, line, each) for each in settings(exhibit))
            for exhibit in ALL for line in exhibit.lines}  # fmt: skip

    assert [state for state, is_seen in seen.items() if is_seen == (state[1] == RIGHT)] == []


def settings(exhibit: Exhibit) -> list[dict[str, Any]]:
    turned = ({knob.key: value} for knob in exhibit.knobs for value in knob.values)
    return [exhibit.start, *({**exhibit.start, **each} for each in turned)]


def test_a_number_without_a_twin_in_the_right_map_is_wrong() -> None:
    right, got = torch.zeros(1, 2, 2), torch.zeros(1, 2, 3)

    assert states.wrong_cells(right, got).nonzero().tolist() == [[0, 0, 2], [0, 1, 2]]


def fails(exhibit: Exhibit, line: Line, knobs: dict[str, Any]) -> bool:
    """Whether a claim does not hold, or the line raises an error."""
    found = states.result(exhibit, line.key, knobs)
    return found.got is None or any(m.holds is False for _, m in states.measures(exhibit, found))


def test_a_masked_map_is_that_of_the_wrong_answer() -> None:
    pairs = [("dropped", "scores-fill-dropped"),
             ("dropped-and-inverted", "scores-fill-dropped-and-inverted"),
             ("transposed", "scores-mask-transposed"), (RIGHT, "")]  # fmt: skip
    for line, bug in pairs:
        answer = wrong(MASKS, bug) if bug else right(MASKS)
        scores = torch.tensor(states.inputs("masks")["scores"], dtype=torch.float64)[:6, :6]
        weights = answer.mask_scores(scores, right(MASKS).causal_mask(6)).softmax(dim=-1)

        assert_close(line, wrong_map("masks", line)[0], weights)


def test_a_fill_is_that_of_the_wrong_answer() -> None:
    pairs = [
        ("boolean", "scores-boolean-added"), ("zero", "scores-times-mask"),
        ("zero", "scores-filled-with-zero"), ("tiny", "scores-filled-with-a-tiny-number"),
        ("ten", "scores-filled-with-minus-ten"),
        ("thousand", "scores-filled-with-minus-thousand"), ("sign", "scores-sign-error"),
    ]  # fmt: skip
    for size, (line, bug) in product((1, 1000), pairs):
        scores = torch.tensor(states.inputs("fills")["scores"], dtype=torch.float64) * size
        mask = right(MASKS).causal_mask(len(scores))
        weights = wrong(MASKS, bug).mask_scores(scores, mask).softmax(dim=-1)

        assert_close(line, wrong_map("fills", line, size=size)[0], weights)


def test_an_empty_row_is_that_of_the_wrong_answer() -> None:
    pairs = [
        ("divided", "weights-zero-by-zero"), ("kept", "weights-empty-row-kept"), (RIGHT, ""),
    ]  # fmt: skip
    for line, bug in pairs:
        scores = torch.tensor(states.inputs("empty-rows")["scores"], dtype=torch.float64)
        mask = right(MASKS).causal_mask(5) & (torch.arange(5) >= 2)
        answer = wrong(MASKS, bug) if bug else right(MASKS)
        weights = answer.mask_weights(scores.softmax(dim=-1), mask)

        assert_close(line, wrong_map("empty-rows", line)[0], weights, equal_nan=True)


def test_a_number_too_large_for_half_precision_is_told_in_torch_s_words() -> None:
    said = data(exhibits()["empty-rows"])["error"]

    assert said.startswith("RuntimeError: ")
    assert "overflow" in said
    assert "raises an error" in shown_line("empty-rows", "half").summary
    assert shown_line("empty-rows", "half").got == ()


def shown_line(name: str, key: str) -> Any:
    exhibit = exhibits()[name]
    return states.view(exhibit, next(x for x in exhibit.lines if x.key == key), exhibit.start)


def test_a_scale_is_that_of_the_wrong_answer() -> None:
    pairs = [
        ("none", "no-scale"), ("width", "scale-by-d"), ("width", "scaled-twice"),
        ("multiplied", "multiplied"), ("half", "half-of-d"), (RIGHT, ""),
    ]  # fmt: skip
    for line, bug in pairs:
        rows = states.inputs("scale")
        bits = [[f"{int(row, 16):0512b}" for row in rows[name]] for name in ("query", "key")]
        query, key = (torch.tensor([[float(bit) * 2 - 1 for bit in row[:64]] for row in each],
                                   dtype=torch.float64) for each in bits)  # fmt: skip
        answer = wrong(SCALED, bug) if bug else right(SCALED)
        weights = answer.scaled_dot_product_attention(query, key, key)[1]

        assert_close(line, wrong_map("scale", line)[0], weights)


def test_an_axis_is_that_of_the_wrong_answer() -> None:
    pairs = [
        ("queries", "softmax-over-queries"), ("heads", "softmax-over-axis-zero"),
        ("everything", "whole-matrix"), ("sigmoid", "sigmoid"), ("twice", "softmax-twice"),
    ]  # fmt: skip
    for line, bug in pairs:
        scores = torch.tensor(states.inputs("axis")["scores"], dtype=torch.float64)[:2]
        key = torch.eye(5, dtype=torch.float64).expand(2, 5, 5)  # so that scores are the queries
        query = scores * 5**0.5
        weights = wrong(SCALED, bug).scaled_dot_product_attention(query, key, key)[1]

        assert_close(line, wrong_map("axis", line), weights)


def test_heads_are_split_as_by_the_wrong_answer() -> None:
    pairs = [
        ("view", "split-view-without-transpose"), ("interleaved", "split-interleaved"),
        ("early", "split-transposed-too-early"), ("exchanged", "split-sizes-exchanged"),
        ("overlapping", "split-overlapping"), (RIGHT, ""),
    ]  # fmt: skip
    for heads, (line, bug) in product((2, 3), pairs):
        x = torch.arange(4)[:, None] * 10 + torch.arange(6)
        answer = wrong(SPLIT, bug) if bug else right(SPLIT)

        got = wrong_map("split", line, heads=heads)
        assert got.equal(answer.split_heads(x[None], heads)[0]), line


def test_heads_are_merged_as_by_the_wrong_answer() -> None:
    pairs = [
        ("untransposed", "merge-without-transpose"), ("wrong-pair", "merge-wrong-pair"),
        ("interleaved", "merge-interleaved"), ("reversed", "merge-heads-reversed"),
        ("stacked", "merge-along-the-tokens"), (RIGHT, ""),
    ]  # fmt: skip
    for line, bug in pairs:
        x = torch.arange(2)[:, None, None] * 100 + torch.arange(3)[:, None] * 10 + torch.arange(2)
        answer = wrong(SPLIT, bug) if bug else right(SPLIT)

        assert wrong_map("merge", line).equal(answer.merge_heads(x[None])), line


def test_a_fused_row_is_read_as_by_the_wrong_answer() -> None:
    pairs = [
        ("blocks-as-heads", "blocks-read-per-head"), ("thirds", "blocks-in-turn"),
        ("keys-first", "blocks-key-first"), ("values-second", "blocks-value-before-key"),
        ("heads-as-blocks", "per-head-read-in-blocks"), (RIGHT, ""),
    ]  # fmt: skip
    for line, bug in pairs:
        exhibit = exhibits()["fused"]
        found = states.result(exhibit, line, exhibit.start)
        assert found.operand is not None
        answer = wrong(FUSED, bug) if bug else right(FUSED)
        read = answer.split_qkv_per_head if line == "heads-as-blocks" else answer.split_qkv_blocks
        three = read(found.operand.reshape(1, 1, -1), 2)  # (1, H, 1, D) each

        assert wrong_map("fused", line).equal(torch.stack([each[0, :, 0] for each in three])), line


def test_a_row_is_normalised_as_by_the_wrong_answer() -> None:
    pairs = [
        ("unbiased", "unbiased-variance"), ("outside", "eps-outside-the-root"),
        ("tutorial", "deviation-plus-eps"), ("none", "no-eps"),
        ("variance", "divided-by-the-variance"), ("tokens", "over-tokens"),
        ("everything", "one-row-of-all"), (RIGHT, ""),
    ]  # fmt: skip
    for eps, (line, bug) in product((1e-5, 1.0), pairs):
        x = torch.tensor(states.inputs("norm")["x"], dtype=torch.float64)
        answer = wrong(NORM, bug) if bug else right(NORM)
        with torch.no_grad():
            given = answer.LayerNorm(6, eps).double()(x)

        assert_close(line, wrong_map("norm", line, eps=eps)[0], given, equal_nan=True)


def test_positions_are_those_of_the_wrong_answer() -> None:
    pairs = [
        ("alike", "one-row-for-all-tokens"), ("added", "positions-added"),
        ("halves", "pairs-half-apart"), ("back", "pairs-turned-back"), (RIGHT, ""),
    ]  # fmt: skip
    for line, bug in pairs:
        answer = wrong(ROTARY, bug) if bug else right(ROTARY)
        query, key = (torch.tensor(states.inputs("positions")[name], dtype=torch.float64)
                      for name in ("query", "key"))  # fmt: skip
        cos, sin = right(ROTARY).rotation_table(16, 4)  # in float32
        one, other = (answer.rotate_pairs(each, cos, sin, offset=3) for each in (query, key))
        weights = (one @ other.mT / 2).softmax(dim=-1)

        assert_close(line, wrong_map("positions", line)[0], weights, atol=1e-5, rtol=0)


def test_keys_that_are_not_turned_are_left_as_they_are() -> None:
    query, key = (
        torch.tensor(states.inputs("positions")[name], dtype=torch.float64)
        for name in ("query", "key")
    )
    cos, sin = right(ROTARY).rotation_table(16, 4)
    weights = (right(ROTARY).rotate_pairs(query, cos, sin, offset=3) @ key.mT / 2).softmax(dim=-1)

    torch.testing.assert_close(wrong_map("positions", "queries")[0], weights, atol=1e-5, rtol=0)


def test_a_forgotten_offset_is_that_of_the_wrong_answer() -> None:
    query, key = (torch.tensor(states.inputs("positions")[name], dtype=torch.float64)
                  for name in ("query", "key"))  # fmt: skip
    cos, sin = right(ROTARY).rotation_table(16, 4)
    one = wrong(ROTARY, "offset-ignored").rotate_pairs(query, cos, sin, offset=3)
    other = right(ROTARY).rotate_pairs(key, cos, sin, offset=3)
    weights = (one @ other.mT / 2).softmax(dim=-1)

    torch.testing.assert_close(wrong_map("positions", "forgotten")[0], weights, atol=1e-5, rtol=0)


def test_what_leaks_is_what_leaks_through_the_wrong_answer() -> None:
    pairs = [
        ("first", "mask-to-the-first-layer"), ("last", "mask-to-the-last-layer"),
        ("alternating", "mask-in-every-other-layer"), ("none", "mask-not-handed-on"), (RIGHT, ""),
    ]  # fmt: skip
    for line, bug in pairs:
        reached = reach(wrong(ENCODER, bug) if bug else right(ENCODER))

        assert (wrong_map("leak", line)[0] > 0).equal(reached > 1e-9), line


def reach(answer: Any) -> "torch.Tensor":
    torch.manual_seed(0)
    with torch.no_grad():
        model, mask = answer.Encoder(6, 3, 12, 3).double().eval(), right(MASKS).causal_mask(6)
        return moved(lambda x: model(x, mask), tensor(3, 1, 6, 6))


def test_dropout_is_torch_s_where_it_is_right() -> None:
    torch.manual_seed(0)
    exhibit, share = exhibits()["dropout"], 0.3
    weights = torch.tensor(states.inputs("dropout")["scores"], dtype=torch.float64).softmax(dim=-1)
    torch_s = torch.nn.functional.dropout(weights, share)
    ours = wrong_map("dropout", RIGHT, p=share)[0]

    kept = torch_s != 0
    torch.testing.assert_close(torch_s[kept], (weights / (1 - share))[kept])
    torch.testing.assert_close(ours[ours != 0], (weights / (1 - share))[ours != 0])
    assert wrong_map("dropout", RIGHT, mode="evaluation")[0].equal(weights)
    assert 0 < int((ours == 0).sum()) < weights.numel()
    assert len(exhibit.lines) == 7


def test_the_average_over_all_draws_is_that_of_many_draws() -> None:
    torch.manual_seed(0)
    scores = torch.tensor(states.inputs("dropout")["scores"], dtype=torch.float64)
    many = torch.nn.functional.dropout(scores.expand(40_000, 5, 5), 0.3).softmax(dim=-1)
    apart = float((many.mean(dim=0) - scores.softmax(dim=-1)).abs().max())
    exhibit = exhibits()["dropout"]
    told = states.result(exhibit, "scores", exhibit.start).facts["average"].numbers["value"]

    assert apart == pytest.approx(told, abs=0.005)


# ---- pages


def test_a_still_is_the_map_of_the_first_line() -> None:
    for exhibit in ALL:
        got = wrong_map(exhibit.name, exhibit.lines[0].key)
        tables = states.still(exhibit).got
        assert len(tables) == len(got)
        assert [len(table.rows) for table in tables] == [got.size(1)] * len(got)
        if exhibit.look.get("digits") or exhibit.look.get("letters"):
            continue
        texts = [cell.text for table in tables for _, row in table.rows for cell in row]
        assert texts == [states.cell_text(exhibit, value) for value in got.flatten().tolist()]


def test_a_number_is_written_in_few_digits() -> None:
    values = 0.0, 1 - 1e-16, -0.345, 0.00321, 1.2e-7, float("nan"), float("-inf"), 41, 123456.7

    assert [*map(states.short, values)] == [
        "0", "1", "−0.34", "0.003", "1e−7", "NaN", "−∞", "41", "1e5"]  # fmt: skip


def test_pages_are_well_formed_and_small(pages: dict[str, str]) -> None:
    for name, text in pages.items():
        size = len(text.encode())
        if name.endswith(".html"):
            tree = Tree(text)
            names = tree.all("id")
            assert tree.trouble == []
            assert len(names) == len(set(names))
            assert size <= MOST_OF_A_PAGE, name
        elif name == "exhibits/exhibits.js":
            assert size <= MOST_OF_THE_SHARED
        elif name.endswith(".js") and name != "exhibits/numbers.js":
            assert size <= MOST_OF_ALL_STATES, name


def test_links_lead_only_to_wrong_answers_that_are_shown(room: Room, pages: dict[str, str]) -> None:
    links = {
        link for text in pages.values() for link in re.findall(r'href="\.\./(bugs/.*?)"', text)
    }

    assert links == {f"bugs/{MASKS}/{slug}.html" for slug in room.bugs}


def test_no_page_shows_a_line_of_a_solution(pages: dict[str, str]) -> None:
    told = {name: Tree(text).text for name, text in pages.items() if name.endswith(".html")}

    for exercise in exercises().values():
        for name, text in told.items():
            assert [line for line in given_away(exercise) if line in text] == [], name


def test_without_scripts_all_is_told(pages: dict[str, str]) -> None:
    told = Tree(pages["exhibits/masks.html"]).text

    for line in exhibits()["masks"].lines:
        assert line.label in told
        assert " ".join(line.code.split()) in told
    assert states.still(exhibits()["masks"]).summary in told
    assert common()["noscript"] in told


def test_an_exhibit_can_be_put_on_another_page(room: Room, pages: dict[str, str]) -> None:
    embedded = touch.embedded("masks", [room], _templates())
    tree = Tree(embedded)

    assert tree.trouble == []
    assert set(tree.all("src")) <= set(pages)
    assert f"bugs/{MASKS}/scores-inverted.html" in tree.all("href")
    assert "exhibits/masks.html" in tree.all("href")
