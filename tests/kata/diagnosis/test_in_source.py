"""The text of an answer decides between mistakes that give the same results."""

from kata.course.catalogue import bugs, target_of, wrong_answer
from kata.course.curriculum import exercises
from kata.course.source import read
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import observe
from kata.diagnosis.ranking import contradicts, likeliest
from kata.diagnosis.suspects import Suspect
from kata.verdict import Diagnosis, Fit
from tests.helpers.answers import spelled, suspects

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


NO_CHECK = """
batch, tokens, width = x.shape
per_head = width // num_heads
return x.reshape(batch, tokens, num_heads, per_head).permute(0, 2, 1, 3)
"""
ANOTHER_CHECK = """
batch, tokens, width = x.shape
if math.gcd(width, num_heads) == 1:
    raise ValueError(f"{width} {num_heads}")
return x.reshape(batch, tokens, num_heads, width // num_heads).transpose(1, 2)
"""


def test_whoever_checks_nothing_is_not_told_of_a_wrong_check() -> None:
    """No check at all and a check of something else can let the same numbers through."""
    exercise = exercises()["ex07_heads"]
    slugs = ("split-unchecked", "split-common-divisor", "split-divides-either-way")
    known = {bug.slug: bug for bug in bugs(exercise)}
    found = [Suspect(exercise, wrong_answer(exercise, known[each]), known[each]) for each in slugs]
    right = read(exercise.solution).text

    without, another = (
        spelled(exercise.slug, {"split_heads": each}) for each in (NO_CHECK, ANOTHER_CHECK)
    )

    assert likeliest(found, without, right) == found[:1]
    assert likeliest(found, another, right) != found[:1]


def test_a_product_elsewhere_is_no_list_times_n() -> None:
    """Heads of their own in a plain list, and a check that multiplies, from a planted class."""
    exercise = exercises()["ex08_heads_in_a_list"]
    body = """
    super().__init__()
    head_size = d_model // num_heads
    if head_size * num_heads != d_model:
        raise ValueError(f"{d_model} features, {num_heads} heads")
    self.w_out = nn.Linear(d_model, d_model)
    self.heads = [SelfAttention(d_model, head_size, bias=True) for _ in range(num_heads)]
    """
    text = spelled(exercise.slug, {"HeadsInAList.__init__": body})

    seen = observe(exercise, target_of(exercise, text)).findings
    found = diagnose(exercise, seen, suspects(exercise.slug), text)

    assert found is not None
    assert [each.slug for each in found.mistakes] == ["plain-list"]
