"""Which mistake is behind a message: made from the catalogue, with exactly one right answer."""

from dataclasses import replace

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.practice import evidence
from kata.practice.evidence import judged
from kata.practice.questions import LETTERS, Option, question, reply, some_which, which
from kata.terminal.style import Style
from kata.upkeep.hunts import complaints, solution_lines

EX05, EX06 = exercises()["ex05_causal_masks"], exercises()["ex06_causal_attention"]
INVERTED = next(each for each in bugs(EX05) if each.slug == "scores-inverted")
STYLE = Style()


@pytest.fixture
def hunt():
    return which(EX05, INVERTED, seed=1)


def test_the_message_is_that_of_the_wrong_answer(hunt) -> None:
    shown = "\n".join(question(hunt, STYLE))

    assert hunt.claim.name == INVERTED.claim
    assert hunt.message.evidence == judged(EX05, INVERTED, hunt.claim).text
    assert hunt.message.evidence.splitlines()[0].split(";")[0] in shown
    assert "kata call" not in shown


def test_the_others_give_other_evidence(hunt) -> None:
    wrong = [each for letter, each in hunt.lettered.items() if letter != hunt.right]

    assert len(wrong) == 3
    assert hunt.message.evidence not in [each.evidence.text for each in wrong]


def test_the_same_seed_makes_the_same_hunt_and_seeds_differ() -> None:
    slugs = [some_which(EX05, seed).bug.slug for seed in (1, 1, 2, 3)]

    assert slugs[0] == slugs[1]
    assert len(set(slugs)) == 3


def test_the_right_option_has_any_place() -> None:
    places = {which(EX05, INVERTED, seed).right for seed in range(8)}

    assert len(places) > 1


def test_a_right_answer_is_told_why(hunt) -> None:
    assert reply(hunt, hunt.right, Style(width=100))[0] == "Right."
    assert INVERTED.why in " ".join(" ".join(reply(hunt, hunt.right, STYLE)).split())


def test_a_wrong_answer_is_told_how_its_evidence_looks(hunt) -> None:
    for letter in set(LETTERS) - {hunt.right}:
        chosen, said = hunt.lettered[letter], " ".join(" ".join(reply(hunt, letter, STYLE)).split())
        assert said.startswith(f"No: it is {hunt.right}, {INVERTED.title}.")
        if chosen.evidence.held:
            assert f"{chosen.bug.title}: this claim would hold." in said
        else:
            assert f"{chosen.bug.title}: there it would say:" in said
            assert " ".join(chosen.evidence.text.split()) in said


def test_twins_and_what_keeps_state_are_no_hunts_and_no_options() -> None:
    for bug in bugs(EX06):
        found = which(EX06, bug, seed=0) if bug.remembers or bug.twins else None
        if bug.remembers:
            assert found is None, bug.slug
        elif found:
            assert not set(bug.twins) & {each.bug.slug for each in found.options}, bug.slug


def test_the_gate_finds_a_second_right_answer(hunt) -> None:
    at = next(n for n, each in enumerate(hunt.options) if each.bug is not hunt.bug)
    same = replace(INVERTED, slug="again", title="the same once more")
    options = list(hunt.options)
    options[at] = Option(same, hunt.lettered[hunt.right].evidence)

    assert list(complaints(hunt, solution_lines(EX05))) == []
    assert list(complaints(replace(hunt, options=tuple(options)), set())) == [
        "again is a wrong answer, and would show the same"
    ]


def test_the_gate_finds_a_line_of_the_solution(hunt) -> None:
    line = next(iter(solution_lines(EX05)))
    telling = replace(hunt, bug=replace(hunt.bug, why=f"Write {line} instead."))
    options = tuple(Option(telling.bug, each.evidence) if each.bug is hunt.bug else each
                    for each in hunt.options)  # fmt: skip

    assert list(complaints(replace(telling, options=options), solution_lines(EX05))) == [
        f"shows a line of the solution: {line}"
    ]


def test_what_is_recorded_makes_the_same_hunts_as_judging_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    some = [bug for bug in bugs(EX05) if bug.also][:6]
    recorded = [which(EX05, bug, seed=1) for bug in some]
    monkeypatch.setattr(evidence, "record_of", lambda *_: None)

    for bug, hunt in zip(some, recorded, strict=True):
        afresh = which(EX05, bug, seed=1)
        assert hunt is not None
        assert afresh is not None
        assert [each.bug.slug for each in hunt.options] == [e.bug.slug for e in afresh.options]
