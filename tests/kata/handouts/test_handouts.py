"""What the handouts say, before it is set; and one sheet that is."""

import ast
import io
import json
import math
import re
import sys
from itertools import pairwise
from pathlib import Path

import pypdf
import pytest

from kata.__main__ import main
from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.course.source import contract
from kata.handouts import contracts, examples, mistakes
from kata.handouts.paper import build, sheets, typesetting
from kata.handouts.paper.guide import program
from kata.handouts.paper.typesetting import capital, prose
from tests.helpers.later import torch

ALL = list(exercises().values())
CORE = [each for each in ALL if each.core]
HEADS = exercises()["ex07_heads"]
SHORTEST = 16  # characters of a line that gives something away
HAND = 3.5  # mm that a character takes, written with a pencil
BLANK = float(re.findall(r"#let length = (\d+)mm",
                         (typesetting.TEMPLATES / "sheet.typ").read_text("utf-8"))[0])  # fmt: skip


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sheets without figures, which take their time to be computed."""
    monkeypatch.setattr(
        sheets, "figure_data", lambda _: {"svg": "", "alt": "", "title": "", "caption": []}
    )


def secrets(exercise: Exercise) -> set[str]:
    """Lines of a solution that are not in its stub, without spaces."""
    stub = exercise.stub.read_text(encoding="utf-8")
    lines = (line.partition("  #")[0].strip() for line in program(exercise).splitlines())
    return {"".join(line.split()) for line in lines if line not in stub and len(line) >= SHORTEST}


def test_code_is_told_from_text() -> None:
    assert prose("use `a b`\nor `c`") == [
        ("text", "use "), ("code", "a b"), ("text", " or "), ("code", "c"),
    ]  # fmt: skip


def test_quotes_are_those_of_print_but_not_in_code() -> None:
    assert prose('say "no" to `"no"`') == [("text", "say “no” to "), ("code", '"no"')]
    assert prose('a "pair `x` of" them') == [
        ("text", "a “pair "), ("code", "x"), ("text", " of” them"),
    ]  # fmt: skip
    assert prose('2" wide') == [("text", '2" wide')]


def test_a_name_gets_no_capital() -> None:
    assert capital("no check") == "No check"
    assert [capital(each) for each in ("x is lost", "nn.Linear twice", "`w` twice")] == [
        "x is lost", "nn.Linear twice", "`w` twice"]  # fmt: skip


def test_every_public_name_has_its_contract_in_which_every_parameter_is_told() -> None:
    for exercise in ALL:
        wanted, asked = contract(exercise).functions, contracts.question(exercise).contracts
        names = {each.name.removesuffix(".__init__") for each in asked}
        assert names == {name.removesuffix(".__init__") for name in wanted}, exercise.short
        for each in asked:
            args = each.sections.get("Args", ())
            told = tuple(name for item in args for name in item.name.split(", "))
            given = wanted.get(each.name, wanted.get(f"{each.name}.__init__"))
            assert (each.name, told) == (each.name, given), exercise.short


def test_a_signature_is_written_as_in_the_stub() -> None:
    norm = contracts.question(exercises()["ex12_layer_norm"]).contracts[0]

    assert norm.signature == "LayerNorm(shape, eps=1e-5)"


@pytest.mark.usefixtures("undrawn")
def test_no_line_of_a_solution_is_on_a_sheet() -> None:
    for exercise in CORE:
        told = "".join(json.dumps(sheets.data(exercise), ensure_ascii=False).split())

        assert [line for line in secrets(exercise) if line in told] == []


def test_a_solution_has_secrets() -> None:
    assert "returnblocks.transpose(1,2)" in secrets(HEADS)


def test_a_program_is_the_solution_without_its_docstrings() -> None:
    made = program(HEADS)
    functions = [each for each in ast.parse(made).body if isinstance(each, ast.FunctionDef)]

    assert [each.name for each in functions] == ["split_heads", "merge_heads"]
    assert '"""' not in made


def test_what_does_not_hold_is_an_error() -> None:
    with pytest.raises(examples.ExampleError, match="ex07: 1 == 2"):
        examples._check(HEADS, "", (("One is two.", "1 == 2"),))


def test_a_result_is_shown_as_one_writes_it() -> None:
    assert examples.format_value(torch.tensor([[0.5, -0.0]])) == "[[0.5, 0]]"
    assert examples.format_value(torch.zeros(2, 3).shape) == "(2, 3)"
    assert examples.format_value(2 / 3) == "0.6667"


def test_an_answer_is_written_as_with_a_pencil() -> None:
    assert examples.format_exact(torch.tensor([1 / 3, 2 / 3, 0.0])) == "[1/3, 2/3, 0]"
    assert examples.format_exact(2 / 15) == "2/15 (0.1333)"
    assert examples.format_exact(math.sqrt(6)) == "√6 (2.4495)"
    assert examples.format_exact(-2 / 3) == "-2/3 (-0.6667)"
    assert examples.format_exact(torch.tensor(0.625)) == "0.625"
    assert examples.format_exact(torch.tensor(math.log(7))) == "1.9459"
    assert examples.format_exact((2, 3)) == "(2, 3)"


def test_a_blank_is_as_long_as_a_hand_needs_for_any_answer() -> None:
    """Of two ways to write one, like 1/3 (0.3333), the first is enough."""
    answers = [(exercise.short, answer.partition(" (")[0]) for exercise in ALL
               for _, answer in examples.texts(exercise).paper[1]]  # fmt: skip

    assert [answer for answer in answers if len(answer[1]) * HAND > BLANK] == []


def test_a_trap_is_told_once_for_each_claim() -> None:
    found = mistakes.traps(HEADS)

    assert len({bug.claim for bug in found}) == len(found)
    counts = [len(mistakes.sightings(bug)) for bug in found]
    assert counts == sorted(counts, reverse=True)


def test_every_mistake_stands_under_its_claim() -> None:
    for exercise in ALL:
        told = [bug for _, found in mistakes.by_claim(exercise) for bug in found]

        assert sorted(bug.slug for bug in told) == sorted(bug.slug for bug in bugs(exercise))


def belongs(exercise: Exercise, name: str) -> bool:
    if name == "decoder":
        return "decoder" in exercise.tracks and not exercise.core
    return exercise.core or name == "full"


@pytest.mark.parametrize("name", ["core", "full", "decoder"])
def test_a_plan_has_every_exercise_once_and_no_gap(name: str) -> None:
    days = build.days(name)
    slots = [slot for day in days for slot in day.slots if slot.exercise]

    assert [slot.exercise for slot in slots] == [each for each in ALL if belongs(each, name)]
    assert all(slot.work == slot.exercise.minutes for slot in slots if slot.exercise)
    for day in days:
        times = [minutes(each) for each in (*(slot.start for slot in day.slots), day.end)]
        assert [b - a for a, b in pairwise(times)] == [slot.minutes for slot in day.slots]


@pytest.mark.parametrize("name", ["core", "full", "decoder"])
def test_every_exercise_of_a_plan_is_introduced_and_talked_about(name: str) -> None:
    for slot in (slot for day in build.days(name) for slot in day.slots if slot.exercise):
        times = [minutes(each) for each in (slot.start, slot.begin, slot.stop)]

        assert [b - a for a, b in pairwise(times)] == [slot.introduce, slot.work]
        assert min(slot.introduce, slot.discuss) >= 3


def test_half_a_day_is_half_a_day_and_a_day_ends_in_the_afternoon() -> None:
    (half,) = build.days("core")

    assert minutes(half.end) - minutes(half.slots[0].start) <= 300
    for day in (*build.days("full"), *build.days("decoder")):
        assert minutes(day.end) <= minutes("17:15")


def test_a_day_has_time_to_catch_up() -> None:
    later = (*build.days("full"), *build.days("decoder"))

    assert all(any(slot.text == "time to catch up" for slot in day.slots) for day in later)


def minutes(clock: str) -> int:
    hours, _, rest = clock.partition(":")
    return 60 * int(hours) + int(rest)


def test_each_own_bug_of_the_documents_is_shown_by_one_of_the_catalogue() -> None:
    for each in mistakes.own_bugs():
        exercise = next(other for other in ALL if other.short == each.exercise)
        assert each.slug in {bug.slug for bug in bugs(exercise)}


def test_a_sheet_has_two_sides_and_is_always_the_same() -> None:
    made = sheets.sheet(HEADS, "a4")
    front, back = (page.extract_text() for page in pypdf.PdfReader(io.BytesIO(made)).pages)

    assert made == sheets.sheet(HEADS, "a4")
    assert "split_heads(x, num_heads)" in front
    assert "Name" in front
    assert all(
        text.replace("`", "") in front.replace("\n", " ")
        for text, _ in examples.texts(HEADS).paper[1]
    )
    assert "Answers" not in front
    assert all(answer in back for _, answer in examples.texts(HEADS).paper[1])


def test_a_sheet_that_is_too_long_is_an_error() -> None:
    data = sheets.data(HEADS)
    data["about"] = [prose("far too much " * 900)]

    with pytest.raises(typesetting.TypesettingError, match="the front of ex07 does not fit"):
        typesetting.pdf("sheet.typ", data, "a4")


def test_a_warning_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = b'#let handout(data, paper) = [#set document(title: "x"); #text(font: "No Such", [x])]'
    monkeypatch.setattr(typesetting, "_templates", lambda: {"odd.typ": odd})

    with pytest.raises(typesetting.TypesettingError, match=r"odd\.typ: .*no such"):
        typesetting.pdf("odd.typ", {}, "a4")


def test_a_page_that_cannot_be_read_aloud_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    mute = b'#let handout(data, paper) = { set document(title: "x"); $ 1 + 1 $ }'
    monkeypatch.setattr(typesetting, "_templates", lambda: {"mute.typ": mute})

    with pytest.raises(typesetting.TypesettingError, match="PDF/UA-1"):
        typesetting.pdf("mute.typ", {}, "a4")


def test_without_typst_one_line_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)

    assert main(["handouts", "--out", str(tmp_path / "out")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "typst" in line
    assert 'pip install -e ".[handouts]"' in line


def test_where_nothing_can_be_written_one_line_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("a file", encoding="utf-8")

    assert main(["handouts", "--out", str(tmp_path / "out")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(tmp_path / "out") in line


def test_stubs_are_read_and_not_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = contracts.question(HEADS)
    contracts.question.cache_clear()
    monkeypatch.setattr(Exercise, "solution", Path("no-solution.py"))

    assert contracts.question(HEADS) == expected
