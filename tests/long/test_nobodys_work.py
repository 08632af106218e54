"""Who was suspected of earlier submissions is kept, and makes no difference to later ones."""

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.suspects import Suspects
from tests.helpers.rewritten import seen
from tests.kata.diagnosis.test_diagnosis import changed_or_none

EX05 = exercises()["ex05_causal_masks"]


def test_nobody_elses_work_makes_a_difference() -> None:
    every = bugs(EX05)
    works = [changed_or_none(EX05, *each) for each in zip(every[::4], every[5::4], strict=False)]
    findings = [seen(EX05, text).findings for text in works if text]
    kept = Suspects(EX05)

    first = [diagnose(EX05, each, kept) for each in findings]

    assert len(findings) > 20
    assert first == [diagnose(EX05, each) for each in findings]
    assert [diagnose(EX05, each, kept) for each in reversed(findings)] == first[::-1]
