"""The diagnosis: what it names, when it is silent, and what a learner reads of it."""

import gc

from kata.course.catalogue import Bug, CatalogueError, bugs, changed, target_of
from kata.course.curriculum import Exercise, exercises
from kata.course.suite_code import about as claim_about
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import causes, find
from kata.diagnosis.suspects import Suspects
from kata.judging.attempt import Attempt
from kata.judging.judge import suite
from kata.verdict import Diagnosis, Fit, State
from tests.helpers.answers import suspects
from tests.helpers.learner_folder import FOLDER, Learner
from tests.helpers.rewritten import FILES, named, named_otherwise, seen, slugs

SLOW = {"ex18_training_run"}
EX01 = exercises()["ex01_softmax"]
EX05 = exercises()["ex05_causal_masks"]


def bug(exercise: Exercise, slug: str) -> Bug:
    return next(each for each in bugs(exercise) if each.slug == slug)


def test_garbage_is_collected_again_afterwards() -> None:
    text = FILES[0].read_text(encoding="utf-8")
    exercise = exercises()[FILES[0].parent.name]

    assert named(exercise, text)
    assert gc.isenabled()


def test_a_mistake_in_another_style_is_named() -> None:
    """One in twenty-four of those that other people wrote; tests/system has all of them."""
    some = [path for path in FILES[::24] if path.parent.name not in SLOW]

    assert {path.parent.name for path in some} > {"ex01_softmax", "ex05_causal_masks"}
    assert {path.name: named_otherwise(path) for path in some} == {path.name: "" for path in some}


def test_the_solution_is_named_nothing() -> None:
    assert named(EX05, EX05.solution.read_text(encoding="utf-8")) is None


def test_nobody_elses_work_makes_a_difference() -> None:
    """A judge keeps who was suspected of earlier submissions. tests/long has more of them."""
    every = bugs(EX01)
    works = [text for pair in zip(every[::7], every[7::7], strict=False)
             if (text := changed_or_none(EX01, *pair))]  # fmt: skip
    findings = [seen(EX01, text).findings for text in works]
    kept = Suspects(EX01)

    first = [diagnose(EX01, each, kept) for each in findings]

    assert len(findings) > 5
    assert first == [diagnose(EX01, each) for each in findings]
    assert [diagnose(EX01, each, kept) for each in reversed(findings)] == first[::-1]


def named_by_some_claims(exercise: Exercise, text: str, about: str) -> Diagnosis | None:
    """What a crash is named, which needs no claim about anything else."""
    attempt = Attempt(exercise, target_of(exercise, text))
    claims = [each for each in suite(exercise) if claim_about(exercise, each.name) == about]
    findings = {claim.id: find(claim, attempt) for claim in claims}
    return diagnose(exercise, findings, suspects(exercise.slug), text)


def changed_or_none(exercise: Exercise, *mistakes: Bug) -> str:
    try:
        return changed(exercise, *mistakes)
    except CatalogueError:  # they do not go together
        return ""


def test_two_mistakes_are_named_as_two() -> None:
    both = [bug(EX05, "causal-transposed"), bug(EX05, "padding-one-too-many")]
    found = named(EX05, changed(EX05, *both))

    assert found is not None
    assert found.fit is Fit.BOTH
    assert sorted(slugs(found)) == sorted(each.slug for each in both)


def test_the_documents_pair_is_named_with_its_twin() -> None:
    """A fill whose result is lost looks the same whichever way round its mask is."""
    found = named(EX05, changed(EX05, bug(EX05, "scores-fill-dropped-and-inverted")))

    assert found is not None
    assert found.fit is Fit.TWINS
    assert slugs(found)[:2] == ["scores-fill-dropped", "scores-fill-dropped-and-inverted"]


def test_what_is_not_written_yet_is_no_mistake() -> None:
    """One function is wrong, the four after it are stubs."""
    text = changed(EX05, bug(EX05, "causal-transposed"))
    written, rest = text.split("def padding_mask")
    stubs = EX05.stub.read_text(encoding="utf-8").split("def padding_mask")[1]
    assert rest != stubs

    assert slugs(named(EX05, f"{written}def padding_mask{stubs}")) == ["causal-transposed"]


def test_one_function_is_diagnosed_where_another_has_unknown_faults() -> None:
    text = changed(EX05, bug(EX05, "causal-transposed"))
    before, after = text.split("def mask_weights")
    body = after.index("    hidden" if "    hidden" in after else "    kept")
    strange = (
        f"{before}def mask_weights{after[:body]}    return weights + 7\n\n\ndef masked_attention"
    )
    text = strange + after.split("def masked_attention")[1]

    found = named(EX05, text)

    assert slugs(found) == ["causal-transposed"]
    assert found is not None
    assert found.fit is Fit.ONE


def test_an_unknown_mistake_is_met_with_silence() -> None:
    assert (
        named(EX01, "import numpy as np\n\n\ndef softmax(scores, axis=-1):\n    return scores**3\n")
        is None
    )


def test_one_claim_cannot_tell_two_apart_and_all_of_them_can() -> None:
    claim = "test_minus_infinity_gets_weight_zero"
    findings = seen(EX01, changed(EX01, bug(EX01, "no-keepdims"))).findings

    alone = diagnose(EX01, {claim: findings[claim]})
    together = diagnose(EX01, findings)

    assert alone is not None
    assert together is not None
    assert (alone.fit, slugs(alone)) == (
        Fit.EITHER,
        ["no-keepdims", "no-keepdims-transposed"],
    )
    assert (together.fit, slugs(together)) == (Fit.ONE, ["no-keepdims"])


def test_every_cause_has_its_texts() -> None:
    known = [*causes("crashes"), *causes("kinds")]
    lacking = [cause.slug for pattern, cause in known
               if not all([pattern, cause.title, cause.symptom, cause.why])
               or len(cause.hints) != 3]  # fmt: skip

    assert known
    assert lacking == []


CRASHES = {
    "view-after-transpose": "x = torch.ones(2, 3).mT\n    return x.view(6)",
    "array-as-condition": "return scores if mask else scores",
    "float-as-size": "return torch.ones(scores.shape[-1] / 2)",
    "mask-of-numbers": "return scores.masked_fill(mask.float(), 0)",
    "two-dtypes": "return scores @ torch.ones(scores.shape[-1], 2, dtype=torch.float64)",
    "numpy-in-torch": "return torch.from_numpy(scores.requires_grad_().numpy())",
    "sizes-do-not-multiply": "return scores.reshape(-1, 4, 9)",
    "inner-sizes-differ": "return scores @ torch.ones(99, 2)",
    "sizes-do-not-broadcast": "return scores + torch.ones(99)",
    "no-such-dimension": "return scores.sum(7)",
    "none-in-the-middle": "return None.mT",
    "wrong-library": "return scores.astype(float)",
    "integers-in": "return mask.long().softmax(-1).mean()",
    "calls-itself": "return mask_scores(scores, mask)",
    "in-place-on-a-leaf": "x = torch.ones(3, requires_grad=True)\n    x += 1\n    return x",
}


def test_a_crash_with_one_cause_is_named() -> None:
    head, rest = EX05.solution.read_text(encoding="utf-8").split("def mask_scores")
    tail = rest.split("def mask_weights")[1]
    wrong = {}
    for slug, code in CRASHES.items():
        body = f"def mask_scores(scores, mask):\n    {code}\n\n\ndef mask_weights"
        found = named_by_some_claims(EX05, head + body + tail, about="mask_scores")
        if not found or (slugs(found), found.fit) != ([slug], Fit.CRASH):
            wrong[slug] = found

    assert wrong == {}


def test_no_super_init_is_named_in_any_class() -> None:
    text = "from torch import nn\n\n\nclass MultiHeadAttention(nn.Module):\n" + (
        "    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):\n"
        "        self.mine = nn.Linear(d_model, d_model)\n"
    )

    assert "no-super-init" in slugs(named(exercises()["ex09_multi_head_attention"], text))


def test_words_of_ones_own_are_no_crash() -> None:
    error = "raise RuntimeError('could not be broadcast together')"
    text = f"def softmax(scores, axis=-1):\n    {error}\n"

    assert named(EX01, text) is None


def test_the_time_limit_is_not_spent_on_the_diagnosis(learner: Learner) -> None:
    learner.softmax("return scores / scores.sum(axis, keepdims=True)")

    assert "known mistake" in learner.run(FOLDER, "--timeout", "0.2").out


def test_nothing_is_replayed_while_claims_hold(learner: Learner) -> None:
    learner.solve("ex01")
    learner.home.joinpath("conftest.py").write_text(
        "import sys\n\nsys.modules.pop('kata.diagnosis.diagnose', None)\n\n\n"
        "def pytest_unconfigure():\n"
        "    print('kata.diagnosis.diagnose' in sys.modules)\n"
    )

    assert learner.run().out.rstrip().endswith("False")


def test_states_that_say_nothing_are_left_out() -> None:
    findings = seen(EX01, EX01.stub.read_text(encoding="utf-8")).findings

    assert all(each.verdict.state is State.NOT_STARTED for each in findings.values())
    assert diagnose(EX01, findings) is None
