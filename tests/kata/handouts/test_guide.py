"""The instructor's book before it is set: the page of an exercise, and the lists behind."""

import re
import tomllib

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.handouts.examples import TEXTS
from kata.handouts.excerpts import Change, changes
from kata.handouts.mistakes import sightings
from kata.handouts.paper.guide import (
    COUNT,
    LINES,
    entries,
    errors,
    grids,
    notable,
    page,
    printed_mistakes,
    program,
    stalls,
    symptoms,
)
from kata.verdict import Picture

ALL = list(exercises().values())
MASKS, HEADS, RUN = (
    exercises()[slug] for slug in ("ex05_causal_masks", "ex07_heads", "ex18_training_run")
)


def the(slug: str):
    return next(bug for bug in bugs(MASKS) if bug.slug == slug)


def plain(told: list[tuple[str, str]]) -> str:
    return "".join(words for _, words in told)


def test_a_wrong_line_stands_beside_the_right_one() -> None:
    fill = "scores.masked_fill(~mask, torch.finfo(scores.dtype).min)"

    assert changes(MASKS, the("scores-fill-dropped")) == (
        Change(f"{fill}\nreturn scores", f"return {fill}"),
    )


def test_a_line_that_is_missing_has_nothing_beside_the_right_one() -> None:
    (missing,) = changes(RUN, next(bug for bug in bugs(RUN) if bug.slug == "no-zero-grad"))

    assert missing == Change("", "optimizer.zero_grad()")


def test_an_opening_is_two_or_three_sentences_about_each_exercise() -> None:
    openings = tomllib.loads((TEXTS / "guide.toml").read_text(encoding="utf-8"))

    assert list(openings) == [each.slug for each in ALL]
    counted = {slug: len(re.findall(r"[.?!](?= |$)", text)) for slug, text in openings.items()}
    assert {slug: count for slug, count in counted.items() if not 2 <= count <= 4} == {}


@pytest.mark.parametrize("exercise", [MASKS, HEADS], ids=lambda each: each.short)
def test_a_page_shows_three_mistakes_that_happen_each_with_its_lines_and_a_map(exercise) -> None:
    found = printed_mistakes(exercise)

    assert len({each.bug.claim for each in found}) == COUNT
    assert all(each.bug.is_real or each.bug.level == 1 for each in found)
    assert sum(part.lines for each in found for part in each.changes) <= LINES
    assert all(each.changes and each.has_map for each in found)


def test_a_page_has_everything_an_instructor_needs() -> None:
    told = page(HEADS)

    assert plain(told["say"]).startswith("A head is a block")
    assert told["figure"]
    assert told["questions"]
    for each in told["mistakes"]:
        assert all(each[part] for part in ("changes", "evidence", "maps", "why", "ask"))


def test_a_map_is_as_large_as_there_is_room_and_has_the_worst_number() -> None:
    rows = [[float(row * column) for column in range(9)] for row in range(9)]
    got = [[*row[:8], -1e-7] for row in rows]
    wrong = [[False] * 8 + [True]] * 9
    expected, mine = grids(Picture(rows, got, wrong, worst=[8, 8], shape=[9, 9]))

    assert len(expected["rows"]) == len(mine["rows"]) == 4
    assert len(expected["columns"]) < 9
    cells = [cell for _, row in mine["rows"] for cell in row]
    assert [(words, bad) for words, _, bad, worst, _ in cells if worst] == [("−1e−7", True)]


def test_where_groups_stall_is_counted_in_the_catalogue() -> None:
    mine = [bug for bug in bugs(MASKS) if bug.is_real or bug.level == 1]
    first = printed_mistakes(MASKS)[0].bug
    found = stalls(MASKS, [first])

    assert found.count == len(mine)
    assert sum(many for _, many in found.places) <= found.count
    assert {name for name, _ in found.places} >= {"masked_attention", "mask_scores"}
    assert first not in found.others
    assert all(len(sightings(bug)) <= len(sightings(found.others[0])) for bug in mine
               if bug is not first)  # fmt: skip


def test_the_catalogue_has_what_happened_under_its_claims() -> None:
    slugs = [entry["slug"] for claim in entries(MASKS) for entry in claim["entries"]]

    assert sorted(slugs) == sorted(bug.slug for bug in notable(MASKS))


def test_an_error_text_leads_to_its_mistakes_whatever_the_numbers() -> None:
    found = {plain(group["heading"]): group["rows"] for group in errors([MASKS])}

    (text,) = (each for each in found if each.startswith("IndexError: The shape of the mask"))
    assert "[…, …]" in text
    assert {key.partition(".")[0] for key, *_ in found[text]} == {"ex05"}


def test_a_symptom_leads_to_its_mistakes() -> None:
    found = {plain(group["heading"]): [key for key, *_ in group["rows"]]
             for group in symptoms([MASKS])}  # fmt: skip

    assert "ex05.causal-leaks-one" in found["the future is visible"]
    assert "ex05.causal-hides-itself" in found["NaN"]


def test_nearly_every_mistake_that_happens_has_a_heading_in_the_index() -> None:
    found = {key for group in symptoms(ALL) for key, *_ in group["rows"]}
    wanted = sum(len(notable(each)) for each in ALL)

    assert len(found) >= 0.9 * wanted


def test_a_reference_has_no_notes_for_tools() -> None:
    assert "type: ignore" in RUN.solution.read_text(encoding="utf-8")
    assert not [each.short for each in ALL if re.search(r"# (type|noqa|fmt)", program(each))]
