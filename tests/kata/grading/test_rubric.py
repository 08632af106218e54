"""What a mark is: points by function, less prices; files with prices; and names of scores."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kata.class_verdict import ClassVerdict
from kata.course.catalogue import PRICES, bugs, part, price, shares
from kata.course.curriculum import exercises
from kata.course.suite_code import Group, about, groups
from kata.errors import UserError
from kata.grading.adjusted import Adjusting, adjusted
from kata.grading.reports import feedback, formats
from kata.grading.rubric import Rubric, mark, read_rubric, read_scale
from kata.marks import Mark
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Fit, Message, Mistake, State
from tests.helpers.adjusted_class import POINTS, graded

MASKS = next(exercise for exercise in exercises().values() if exercise.short == "ex05")
MOST = 3.0
OF_CAUSAL = MOST * part(MASKS, "causal_mask")
OF_BOTH = OF_CAUSAL + MOST * part(MASKS, "masked_attention")
FIRST, SECOND = (bug.slug for bug in bugs(MASKS)[:2])
LETTERS = "A 90, B 80, C 65, F 0"
INVERTED, LEAKING = (
    Mistake(slug, slug, function="causal_mask", price="small") for slug in ("inverted", "leaking")
)
DEAR = Mistake("dear", "dear", function="causal_mask", price="all")
UNPRICED = Mistake("another-dtype", "another dtype")
DIFFERS = Message("It is right.", evidence="2 of 3 values differ")


def of(function: str) -> list[str]:
    return [claim for claim in shares(MASKS) if about(MASKS, claim.partition("[")[0]) == function]


def verdict(failing: Sequence[str], *named: Diagnosis) -> ExerciseVerdict:
    claims = tuple(
        ClaimVerdict(claim, State.FAILED, DIFFERS)
        if claim in failing
        else ClaimVerdict(claim, State.PASSED)
        for claim in shares(MASKS)
    )
    first, *further = named or (None,)
    return ExerciseVerdict(MASKS.slug, claims, diagnosis=first, further=tuple(further))


def named(*mistakes: Mistake, explains: Sequence[str], fit: Fit = Fit.ONE) -> Diagnosis:
    first, *others = mistakes
    mistake = Mistake(first.slug, first.title, explains=tuple(explains), function=first.function,
                    price=first.price)  # fmt: skip
    return Diagnosis(fit, (mistake, *others))


def worth(claims: Sequence[str]) -> float:
    return MOST * sum(shares(MASKS)[claim] for claim in claims)


CAUSAL, MASKED, PADDING = map(of, ("causal_mask", "masked_attention", "padding_mask"))
FINE = [claim for claim in MASKED if groups(MASKS)[claim.partition("[")[0]] is not Group.IDEA]
SMALL = PRICES["small"]
LOST: dict[str, tuple[Sequence[str], list[Diagnosis], float]] = {
    "where no mistake is known claims cost what they are worth": (
        CAUSAL[:2], [], worth(CAUSAL[:2])
    ),
    "a function that does not hold at all costs its share": (CAUSAL, [], OF_CAUSAL),
    "the fine print costs less than the idea": (
        FINE, [], MOST * part(MASKS, "masked_attention") / 3
    ),
    "a mistake that explains all that fails costs its price": (
        CAUSAL, [named(INVERTED, explains=CAUSAL)], OF_CAUSAL * SMALL
    ),
    "a mistake costs no more than the claims that it breaks": (
        CAUSAL[-1:], [named(DEAR, explains=CAUSAL[-1:])], worth(CAUSAL[-1:])
    ),
    "claims count where something else fails in the same function": (
        CAUSAL, [named(INVERTED, explains=CAUSAL[:-1])], OF_CAUSAL
    ),
    "something else in another function leaves the price": (
        [*CAUSAL, *PADDING[:1]],
        [named(INVERTED, explains=CAUSAL)],
        OF_CAUSAL * SMALL + worth(PADDING[:1]),
    ),
    "a mistake that spoils two functions costs its price in both": (
        [*CAUSAL, *MASKED], [named(INVERTED, explains=[*CAUSAL, *MASKED])], OF_BOTH * SMALL
    ),
    "so does one that was named in both": (
        [*CAUSAL, *MASKED],
        [named(INVERTED, explains=CAUSAL), named(INVERTED, explains=MASKED)],
        OF_BOTH * SMALL,
    ),
    "of mistakes that nobody can tell apart the cheapest counts": (
        CAUSAL, [named(DEAR, LEAKING, explains=CAUSAL, fit=Fit.EITHER)], OF_CAUSAL * SMALL
    ),
    "what has no price costs its claims": (
        CAUSAL[:1], [named(UNPRICED, explains=CAUSAL[:1], fit=Fit.KIND)], worth(CAUSAL[:1])
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", LOST)
def test_what_fails_takes_points(what: str) -> None:
    failing, diagnoses, lost = LOST[what]

    assert mark(verdict(failing, *diagnoses), MOST).score == pytest.approx(MOST - lost, abs=1e-4)


def test_a_mark_names_the_mistakes_that_took_points_each_once() -> None:
    def charged(failing: Sequence[str], *diagnoses: Diagnosis) -> list[tuple[str, ...]]:
        return [charge.mistakes for charge in mark(verdict(failing, *diagnoses), MOST).charges]

    by_function = [named(INVERTED, explains=claims) for claims in (CAUSAL, MASKED)]
    assert charged(CAUSAL[:2]) == [()]
    assert charged(CAUSAL, by_function[0]) == [("inverted",)]
    assert charged([*CAUSAL, *MASKED], *by_function) == [("inverted",)]


@pytest.mark.parametrize(("cost", "lost"), [("grave", OF_CAUSAL / 2), (0.55, 0.55), (0.0, 0.0)])
def test_an_instructors_price_is_what_it_costs(cost: str | float, lost: float) -> None:
    failing = CAUSAL[-1:]
    rubric = Rubric({(MASKS.slug, "inverted"): cost})

    earned = mark(verdict(failing, named(INVERTED, explains=failing)), MOST, rubric)

    assert earned.score == pytest.approx(MOST - lost, abs=1e-4)


def test_no_mark_is_below_nothing_nor_is_what_cannot_be_judged_worth_anything() -> None:
    rubric = Rubric({(MASKS.slug, "inverted"): 2.0, (MASKS.slug, "leaking"): 2.0})
    diagnoses = named(INVERTED, explains=CAUSAL), named(LEAKING, explains=MASKED)
    whole = ExerciseVerdict(MASKS.slug, (ClaimVerdict("error", State.ERROR),))

    assert mark(verdict([*CAUSAL, *MASKED], *diagnoses), MOST, rubric).score == 0
    assert mark(whole, MOST) == Mark(0, MOST)
    assert mark(verdict([]), MOST) == Mark(MOST, MOST)


def test_a_mistake_that_leaves_nothing_to_compare_costs_its_claims() -> None:
    """Otherwise a name would be worth points by itself, whatever stands behind it."""
    spoilt = verdict(CAUSAL, named(INVERTED, explains=CAUSAL))
    absent = Message("It is right.", evidence="there is no `causal_mask`", leads=True)
    claims = tuple(replace(claim, message=claim.message and absent) for claim in spoilt.claims)

    assert mark(replace(spoilt, claims=claims), MOST).score == pytest.approx(
        MOST - OF_CAUSAL, abs=1e-4
    )


# Files with prices


def read(folder: Path, text: str) -> Rubric:
    path = folder / "rubric.toml"
    path.write_text(text, encoding="utf-8")
    return read_rubric(path)


@pytest.mark.parametrize("name", [MASKS.short, MASKS.slug])
def test_a_price_is_a_class_or_a_number_of_points(tmp_path: Path, name: str) -> None:
    rubric = read(tmp_path, f'[{name}]\n{FIRST} = "grave"\n{SECOND} = 0.4\n')

    assert rubric.own == {(MASKS.slug, FIRST): "grave", (MASKS.slug, SECOND): 0.4}


@pytest.mark.parametrize(("text", "reason"), [
    ("[ex05", "cannot be read"),
    ("ex05 = 3", "ex05 is not a table of prices"),
    (f"[ex05]\n{FIRST}x = 1", f"ex05 has no known mistake {FIRST}x; did you mean `{FIRST}`?"),
    (f"[ex05]\n{FIRST} = 'cheap'", "'cheap' is not a price: points, or one of all, grave"),
    (f"[ex05]\n{FIRST} = -1", "-1 is not a price"),
    (f"[ex05]\n{FIRST} = 1{'0' * 400}", "is not a price"),
    (f"[ex05]\n{FIRST} = true", "True is not a price"),
    (f"[ex05]\n{FIRST} = nan", "nan is not a price"),
    ("[ex99]\n", "no exercise is called ex99"),
])  # fmt: skip
def test_what_is_no_price_gets_a_line(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(UserError, match=r"\S") as error:
        read(tmp_path, text)

    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_line_that_was_not_changed_is_no_price_of_ones_own(tmp_path: Path) -> None:
    """So that a file as `--write-rubric` makes it changes no mark."""
    lines = (f'{bug.slug} = "{price(MASKS, bug)}"' for bug in bugs(MASKS))

    assert read(tmp_path, "\n".join(["[ex05]", *lines])).own == {}


# What a score is called


@pytest.mark.parametrize(("text", "score", "names"), [
    (LETTERS, 9.0, {"percent": "90", "grade": "A"}),
    (LETTERS, 8.9951, {"percent": "90", "grade": "A"}),
    (LETTERS, 8.9949, {"percent": "89.9", "grade": "B"}),
    (LETTERS, 0.0, {"percent": "0", "grade": "F"}),
    (LETTERS, 12.0, {"percent": "120", "grade": "A"}),
    ("F: 0 %, A = 90%", 9.0, {"percent": "90", "grade": "A"}),
    ("1,0 95; 1,3 90; 5,0 0", 9.4, {"percent": "94", "grade": "1,3"}),
    ("very good 87,5; good 0", 8.75, {"percent": "87.5", "grade": "very good"}),
    ("percent", 7.5, {"percent": "75"}),
])  # fmt: skip
def test_a_score_has_its_name(text: str, score: float, names: dict[str, str]) -> None:
    assert dict(read_scale(text).names(score, 10.0)) == names


@pytest.mark.parametrize("text", ["", "A", "A 90, B 80", "A 90, B 90, F 0", "A x, F 0", "90, 0"])
def test_what_is_no_scale_is_one_line(text: str) -> None:
    with pytest.raises(UserError, match="is not a scale: write percent, or the least percentage"):
        read_scale(text)


def scaled_class(text: str) -> ClassVerdict:
    people = [graded("ada"), graded("ben", 0.0, 1.0)]
    return adjusted(ClassVerdict(lambda: iter(people), POINTS), Adjusting(scale=read_scale(text)))


def test_the_table_has_a_column_for_each_and_the_students_page_says_it(tmp_path: Path) -> None:
    formats.write_tables(tmp_path, scaled_class(LETTERS), {"seed": 1})
    rows = csv.DictReader((tmp_path / "grades.csv").read_text("utf-8-sig").splitlines())
    assert [(row["percent"], row["grade"]) for row in rows] == [("90", "A"), ("10", "F")]

    for verdicts, sentence in (
        (scaled_class(LETTERS), "9 of 10 points, 90 %, grade A."),
        (scaled_class("percent"), "points, 90 %."),
        (ClassVerdict(lambda: iter(()), POINTS), "9 of 10 points.**"),
    ):
        page = feedback.page(graded("ada"), verdicts)
        assert sentence in feedback.text(page, "md")
        assert sentence.rstrip(".*").split("points")[1] in feedback.text(page, "html")
