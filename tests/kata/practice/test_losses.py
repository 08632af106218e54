"""What is recorded of training, the figure, and the hunts made of it."""

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from kata.course.source import read
from kata.handouts.site.pictures import picture, sentence
from kata.practice.loss import RIGHT, WRONG, Losses, drawn_curve, loss, losses, losses_of, some_loss
from kata.practice.questions import question, reply
from kata.terminal.style import Style
from tests.helpers.later import Later
from tests.helpers.sampling import sample

gate, training = Later("kata.upkeep.hunts"), Later("kata.upkeep.hunts")

EX09 = exercises()["ex09_multi_head_attention"]
KNOWN = Losses(right=((2.0, 0.5, 0.004), (2.1, 0.4, 0.001)), accepted={},
               wrong={"same": (2.1, 0.5, 0.0), "slow": (2.0, 0.9, 0.004),
                      "higher": (2.0, 0.5, 0.02)}, stopped={"nan": "not finite"})  # fmt: skip


def test_the_right_ones_runs_say_what_ending_there_means() -> None:
    assert KNOWN.highest == (2.1, 0.5, 0.004)
    assert set(KNOWN.there) == {"same", "slow"}
    assert set(KNOWN.hidden) == {"same"}
    assert KNOWN.trained == 4


def test_each_trained_exercise_is_recorded_as_its_catalogue_is() -> None:
    assert [slug for slug in training.TRAINED if losses_of(exercises()[slug]) is None] == []
    for slug in training.TRAINED:
        known, slugs = losses()[slug], {each.slug for each in bugs(exercises()[slug])}
        assert known.wrong.keys() | known.stopped.keys() == slugs
        assert known.trained == len(slugs)


def test_training_gives_what_is_recorded() -> None:
    known = losses()[EX09.slug]
    bug = next(each for each in bugs(EX09) if each.slug in known.there)

    assert gate.near(training.curve(EX09, read(EX09.solution).text), known.right[0])
    assert gate.near(training.curve(EX09, wrong_answer(EX09, bug)), known.wrong[bug.slug])


def test_the_gate_finds_another_curve(monkeypatch) -> None:
    monkeypatch.setattr("kata.upkeep.hunts.curve", lambda *_: [2.0, 1.0])

    found = list(gate.losses_are_true(EX09, one_in=100))

    assert len(found) == len(bugs(EX09)[::100])
    assert "gives [2.0, 1.0], and losses.json says" in found[0]


def test_an_error_and_a_loss_that_is_not_finite_are_told_apart() -> None:
    text = read(EX09.solution).text
    assert (
        training.curve(EX09, text.replace("self.w_out(merge", "self.w_nothing(merge"))
        == "AttributeError"
    )
    nan = text.replace("merge_heads(context)", "merge_heads(context) / 0")
    assert training.curve(EX09, nan) == training.NOT_FINITE


def test_both_kinds_of_code_are_hunted_for() -> None:
    hunts = [some_loss(EX09, seed) for seed in range(5)]

    assert {each.right for each in hunts} == {RIGHT, WRONG}
    for each in hunts:
        assert each.losses.ends_there(each.curve)
        assert "class MultiHeadAttention" in each.code


def test_a_hunt_by_loss_says_what_was_wrong_and_how_many_are_like_it() -> None:
    known = losses()[EX09.slug]
    bug = next(each for each in bugs(EX09) if each.slug in known.there and loss(EX09, each))
    hunt, style = loss(EX09, bug), Style(width=100)

    asked, said = "\n".join(question(hunt, style)), " ".join(reply(hunt, WRONG, style))

    assert bug.title not in asked
    assert drawn_curve(hunt.curve) in asked
    assert said.startswith(f"Right. The code is wrong, and the loss does not show it: {bug.title}.")
    assert (
        f"Of {known.trained} wrong answers to ex09 that were trained so, {len(known.there)}" in said
    )
    assert "Right." not in reply(hunt, RIGHT, style)


def test_what_training_shows_is_not_hunted_for() -> None:
    known = losses()[EX09.slug]
    seen = sample([each for each in bugs(EX09) if each.slug not in known.there])

    assert seen
    assert [each.slug for each in seen if loss(EX09, each)] == []


def test_the_picture_is_of_these_losses() -> None:
    """`python -m kata.handouts.readme_pictures losses.svg` draws it again."""
    drawn = (ROOT / "docs" / "losses.svg").read_text(encoding="utf-8")

    assert drawn == picture()
    for slug, known in losses().items():
        assert sentence(slug, known) in drawn.replace("&apos;", "'")
