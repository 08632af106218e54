"""`kata verdict`, and what three commands tell assistants and editors as JSON."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kata.__main__ import COMMANDS
from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from tests.helpers.answers import RIGHT, claims
from tests.helpers.answers import WRONG as SIGNED
from tests.helpers.documented import complaints, documented, fields_of
from tests.helpers.learner_folder import Kata, Learner, Run
from tests.helpers.source_code import FORBIDDEN
from tests.kata.commands.test_commands import EX01, one_line
from tests.kata.learner.test_bad_input import forward

SCHEMAS = ROOT / "kata" / "commands" / "schemas"
PAGE = (ROOT / "docs" / "assistants.md").read_text(encoding="utf-8")
AGENTS = (ROOT / "kata" / "learner" / "files" / "AGENTS.md").read_text(encoding="utf-8")
SIGNED_WITH_A_PRINT = f"print('rows', scores.ndim)\n{SIGNED}"
CLAIMS = claims()
SCREEN = 40  # lines


def read(run: Run, name: str) -> dict[str, Any]:
    """The one document on standard output, which fits its schema."""
    found: dict[str, Any] = json.loads(run.out)
    assert complaints(SCHEMAS / f"{name}.json", found) == []
    assert run.err == ""
    return found


def only(run: Run) -> dict[str, Any]:
    """The verdict on the one exercise that was judged."""
    (found,) = read(run, "verdict")["exercises"]
    return dict(found)


def message_in(out: str) -> str:
    """What stands between the heading of the failing claim and its prints, or the board."""
    told = out.split("worked_out_by_hand", 1)[1]
    told = re.split(r"\n(?:printed by|-+ Captured|=+ attention kata|\n  [✗✓·–])", told)[0]
    return told.lstrip(" _").strip("\n")


def board_in(out: str) -> str:
    """From the row of the exercise to the line that says what is next."""
    found = re.search(r"^  [✗✓·–].*^next: [^\n]*", out, re.DOTALL | re.MULTILINE)
    return found[0] if found else ""


# kata verdict


def test_a_verdict_says_what_pytest_says(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED_WITH_A_PRINT)
    pytest_says = learner.run(COLUMNS="80")

    run = kata("verdict", "ex01")

    assert run.status == pytest_says.status == 1
    assert "scores divided by their" in run.out  # the known mistake
    assert message_in(run.out) == message_in(pytest_says.out)
    assert board_in(run.out) == board_in(pytest_says.out) != ""
    assert "printed by this call:\nrows 1\n" in run.out
    assert "`kata hint ex01` gives a hint" in " ".join(run.out.split())


def test_a_verdict_in_json(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED_WITH_A_PRINT)
    no_exp = next(each for each in bugs(EX01) if each.slug == "no-exp")

    run = kata("verdict", "ex01", "--json")
    found = only(run)
    first, named = found["first"], found["diagnosis"]

    assert run.status == 1
    assert (found["exercise"], found["state"], found["claims"]) == (EX01.slug, "failed", CLAIMS)
    assert first["name"] == "test_one_row_gets_the_weights_worked_out_by_hand"
    assert first["message"]["claim"].endswith("become the weights 1/8, 2/8 and 5/8.")
    assert first["message"]["inputs"] == "softmax(scores [0, 0.693147, 1.60944])"
    assert "expected 0.125, got 0" in first["message"]["evidence"]
    assert "expected = [0.125,  0.25, 0.625]" in first["message"]["compared"]
    assert (found["file"], found["line"]) == ("mine/ex01_softmax.py", 4)
    assert found["held"] + 1 + len(found["others"]) == CLAIMS
    assert all(each.startswith("test_") for each in found["others"])
    assert named["fit"] == "one"
    told = {"title": no_exp.title, "symptom": no_exp.symptom, "why": no_exp.why}
    assert named["mistakes"] == [{"slug": "no-exp", **told}]  # and no hints
    assert named["says"].endswith(f"all {CLAIMS} claims: scores divided by their sum")
    assert found["printed"] == "rows 1\n"


def test_no_code_of_an_answer_is_in_a_verdict(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    right = EX01.solution.read_text(encoding="utf-8").splitlines()
    code = {line.strip() for line in right if "np." in line and "def " not in line}

    out = kata("verdict", "ex01", "--json").out

    assert len(code) >= 2
    assert [line for line in code if line in out] == []


def test_a_picture_is_a_row_on_each_line(kata: Kata, learner: Learner) -> None:
    five = exercises()["ex05_causal_masks"]
    dropped = next(each for each in bugs(five) if each.slug == "scores-fill-dropped")
    learner.write(five.slug, wrong_answer(five, dropped))

    run = kata("verdict", "5", "--json")
    picture = only(run)["first"]["message"]["picture"]

    assert len(picture["wrong"]) == 5
    assert run.out.count("[true, true, true, true, true, true, true]") == 5


def test_a_verdict_is_remembered_like_that_of_pytest(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    assert kata("verdict", "ex01").status == 1
    assert read(kata("board", "--json"), "board")["exercises"][0]["mistakes"] == ["no-exp"]

    learner.softmax(RIGHT)
    assert kata("verdict", "ex01").status == 0

    assert kata("board").status == 0
    assert kata("solution", "ex01").status == 0


def test_it_judges_anew_what_was_judged(kata: Kata, learner: Learner) -> None:
    learner.softmax(f"open('count', 'a').write('x')\n{RIGHT}")

    for _ in range(2):
        assert kata("verdict", "ex01").status == 0
        (learner.home / "count").unlink()  # it is there each time


def test_without_a_name_all_that_are_begun_are_judged(kata: Kata, learner: Learner) -> None:
    learner.take("ex02", "ex04")
    learner.softmax(SIGNED)
    learner.write("ex12_layer_norm", "x = = 1")

    found = read(kata("verdict", "--json"), "verdict")["exercises"]
    plain = kata("verdict").out

    assert [each["exercise"] for each in found] == ["ex01_softmax", "ex12_layer_norm"]
    assert [each["state"] for each in found] == ["failed", "error"]
    assert found[1]["first"]["message"]["claim"].startswith("ex12_layer_norm.py:1 is not Python")
    assert (found[1]["claims"], found[1]["line"]) == (0, 1)
    assert "✗ ex01_softmax " in plain
    assert "ex12_layer_norm\nex12_layer_norm.py:1 is not Python" in plain
    assert "ex02" not in plain


def test_many_are_judged_in_order_so_that_one_serves_the_next(kata: Kata, learner: Learner) -> None:
    learner.solve("ex01", "ex03", "ex08")

    run = kata("verdict", "--json")
    found = read(run, "verdict")["exercises"]

    assert run.status == 0
    assert [each["state"] for each in found] == ["passed"] * 3
    assert [each["stand_ins"] for each in found] == [[], [], []]
    assert found[0]["first"] is None


def test_nothing_begun_is_work_left(kata: Kata, learner: Learner) -> None:
    learner.take("ex01")

    run, found = kata("verdict"), kata("verdict", "--json")

    assert (run.status, run.out) == (1, "no exercise in mine has been started\n")
    assert (found.status, read(found, "verdict")["exercises"]) == (1, [])


def test_a_stub_is_not_started(kata: Kata, learner: Learner) -> None:
    learner.take("ex01")

    run = kata("verdict", "ex01", "--json")
    found = only(run)

    assert run.status == 1
    assert (found["state"], found["claims"], found["others"]) == ("not started", 0, [])


def test_what_is_written_comes_before_what_is_not(kata: Kata, learner: Learner) -> None:
    learner.take("ex02")
    path = learner.folder / "ex02_attention_scores.py"
    unwritten = 'raise NotImplementedError("ex02 attention_weights: not written yet")'
    written = path.read_text(encoding="utf-8").replace(unwritten, "return nonsense")
    path.write_text(written, encoding="utf-8")

    found = only(kata("verdict", "ex02", "--json"))

    assert found["first"]["message"]["evidence"] == "NameError: name 'nonsense' is not defined"
    assert "return nonsense" in written.splitlines()[found["line"] - 1]
    assert found["not_written"] == 28
    assert found["not_written"] + 1 + len(found["others"]) == found["claims"] == 39


def test_a_loop_costs_its_claim_and_not_the_verdict(kata: Kata, learner: Learner) -> None:
    learner.softmax(f"n = 0\n{forward(0.9)}\nwhile True:\n    n += 1", "import signal")

    found = only(kata("verdict", "ex01", "--json", "--timeout", "1"))
    told = found["first"]["message"]

    assert (found["state"], found["blocked"]) == ("timed out", CLAIMS - 1)
    assert found["first"]["name"] == "test_one_row_gets_the_weights_worked_out_by_hand"
    assert told["evidence"].startswith("stopped after 1 seconds of computing")
    assert told["inputs"].startswith("softmax(")
    assert told["frames"][0].startswith("mine/ex01_softmax.py:")


def test_the_end_of_the_process_is_a_verdict(kata: Kata, learner: Learner) -> None:
    learner.softmax(RIGHT, "import os\n\nprint('bye', flush=True)\nos._exit(3)")

    found = only(kata("verdict", "ex01", "--json"))

    assert found["state"] == "error"
    assert found["first"]["message"]["claim"].endswith("exited with status 3")
    assert found["printed"] == "bye\n"


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_wrong_question_is_one_line(kata: Kata, words: tuple[str, ...]) -> None:
    one_line(kata("verdict", "ex01_sofmax", *words), "did you mean `ex01_softmax`?")
    one_line(kata("verdict", "ex01", *words), "`kata reset ex01` creates the stub")
    one_line(kata("verdict", *words, folder="nowhere"), "is not a folder of exercises")


# kata hint and kata board


def test_a_hint_in_json_counts(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    plain = kata("hint").out

    found = read(kata("hint", "--json"), "hint")

    assert found["exercise"] == "ex01_softmax"
    assert found["about"] == "known mistake: scores divided by their sum"
    assert len(found["hints"]) == 2  # the one above, and one more
    assert " ".join(found["hints"][0].split()) in " ".join(plain.split())
    assert f"hint 3 of {found['of']}" in kata("hint").out


def test_no_hint_in_json(kata: Kata, learner: Learner) -> None:
    learner.softmax(RIGHT)

    named = read(kata("hint", "ex01", "--json"), "hint")
    alone = read(kata("hint", "--json"), "hint")

    assert (named["exercise"], named["hints"], named["of"]) == ("ex01_softmax", [], 0)
    assert (alone["exercise"], alone["hints"]) == (None, [])


def test_a_hint_that_cannot_be_counted_says_so(kata: Kata, learner: Learner) -> None:
    learner.softmax(SIGNED)
    for place in (learner.home, learner.folder):
        (place / ".kata").write_text("in the way")

    assert read(kata("hint", "--json"), "hint")["remembered"] is False


def test_the_board_in_json(kata: Kata, learner: Learner) -> None:
    learner.take("ex02")
    learner.softmax(RIGHT)
    learner.run()
    learner.write("ex04_scaled_attention", "x = 1")

    found = read(kata("board", "--json"), "board")

    states = {each["exercise"]: (each["state"], each["claims"]) for each in found["exercises"]}
    assert states == {
        "ex01_softmax": ("passed", CLAIMS),
        "ex02_attention_scores": ("not started", 0),
        "ex04_scaled_attention": ("not judged", 0),
    }
    assert found["next"] == "ex04_scaled_attention"
    assert (found["core"], found["course"]) == (
        {"done": 1, "of": 7},
        {"done": 1, "of": len(exercises())},
    )


# What is written about it


@pytest.mark.parametrize("name", ["verdict", "hint", "board"])
def test_the_documented_fields_are_those_of_the_schema(name: str) -> None:
    assert documented(PAGE, name) == fields_of(SCHEMAS / f"{name}.json")


def test_every_schema_is_of_a_command_that_prints_it() -> None:
    names = {path.stem for path in SCHEMAS.iterdir()}

    assert names == set(re.findall(r"^## kata (\w+) --json$", PAGE, re.MULTILINE))
    assert names <= set(COMMANDS)


def commands_in(text: str) -> list[list[str]]:
    """What is told to be typed: the words after `kata`."""
    return [found.split() for found in re.findall(r"`kata ([^`]+)`", text)]


@pytest.mark.parametrize("text", [AGENTS, PAGE], ids=["AGENTS.md", "assistants.md"])
def test_what_an_assistant_is_told_to_run_exists(kata: Kata, text: str) -> None:
    told = [words for words in commands_in(text) if words[0] != "init"]

    assert len(told) >= 5
    for name in {words[0] for words in told}:
        options = {each for words in told if words[0] == name for each in words if each[:2] == "--"}
        offered = kata(name, "--help", folder="").out
        assert all(each in offered for each in options), name


def test_an_assistant_is_told_in_one_screen() -> None:
    assert len(AGENTS.splitlines()) <= SCREEN
    assert max(map(len, AGENTS.splitlines())) <= 115
    assert FORBIDDEN.findall(AGENTS) == []
    assert "```" not in AGENTS  # nothing to paste
    assert Path("AGENTS.md").name in PAGE
