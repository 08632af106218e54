"""The text of an answer decides between mistakes that give the same results."""

from kata.course.catalogue import bugs, target_of, wrong_answer
from kata.course.curriculum import exercises
from kata.course.source import read
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.in_source import contradicts, likeliest
from kata.diagnosis.observe import observe
from kata.diagnosis.suspects import Suspect
from kata.verdict import Diagnosis, Fit
from tests.kata.answers import suspects

EX05 = exercises()["ex05_causal_masks"]
RIGHT = read(EX05.solution).text


def suspect(slug: str) -> Suspect:
    bug = next(each for each in bugs(EX05) if each.slug == slug)
    return Suspect(EX05, wrong_answer(EX05, bug), bug)


def with_mask_scores(body: str) -> str:
    line = next(line for line in RIGHT.splitlines() if "return scores.masked_fill" in line)
    return RIGHT.replace(line, f"    {body}")


def named(text: str) -> Diagnosis | None:
    return diagnose(EX05, observe(EX05, target_of(EX05, text)).findings, suspects(EX05.slug), text)


def test_of_twins_the_one_that_is_written_there_is_named() -> None:
    found = named(with_mask_scores("return scores * mask"))

    assert found is not None
    assert [each.slug for each in found.mistakes] == ["scores-times-mask"]
    assert found.fit is Fit.ONE


def test_without_a_text_all_of_them_are() -> None:
    twins = [suspect("scores-times-mask"), suspect("scores-filled-with-zero")]

    assert likeliest(twins, "", RIGHT) == twins
    assert likeliest(twins, with_mask_scores("return scores * mask"), RIGHT) == twins[:1]


def test_a_mask_that_is_read_is_not_called_unused() -> None:
    unused = suspect("attention-mask-ignored")

    assert contradicts(unused, RIGHT, RIGHT)
    assert not contradicts(unused, unused.text, RIGHT)
    assert not contradicts(unused, "", RIGHT)


def test_code_that_reads_an_argument_is_told_only_that_its_results_are_the_same() -> None:
    """The values are looked at, and yet the weights are multiplied with the keys."""
    exercise = exercises()["ex04_scaled_attention"]
    bug = next(each for each in bugs(exercise) if each.slug == "keys-in-place-of-values")
    wrong = wrong_answer(exercise, bug)
    line = next(line for line in wrong.splitlines() if line.startswith("    scores = "))
    reads = wrong.replace(line, f"    width = value.size(-1)\n{line}")

    found = diagnose(exercise, observe(exercise, target_of(exercise, reads)).findings, text=reads)

    assert found is not None
    assert (found.fit, [each.slug for each in found.mistakes]) == (Fit.LIKE, [bug.slug])
