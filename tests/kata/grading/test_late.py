"""A deadline, and what work loses that comes later."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kata.errors import UserError
from kata.grading.late import Deadline, read_deadline, read_rule, read_time
from kata.marks import Adjustment
from tests.helpers.adjusted_class import END, RULE, plan_for, plan_with, reported, write

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(("text", "hour"), [
    ("2026-03-01 12:00 UTC", 12), ("2026-03-01T12:00Z", 12), ("2026-03-01 12:00+01:00", 11),
    ("2026-03-01 12:00:00.000000000 -07:00", 19), ("2026-03-01 12:00 Europe/Berlin", 11),
    ("2026-03-01 12:00 -0700", 19),
])  # fmt: skip
def test_times_are_read_with_their_zone(text: str, hour: int) -> None:
    assert read_time(text) == NOON.replace(hour=hour)


def test_a_time_without_a_zone_is_in_that_of_the_deadline_else_of_this_machine() -> None:
    zone = read_deadline("2026-03-01 23:59 +05:00").zone

    assert read_time("2026-03-01 12:00", zone) == NOON.replace(hour=7)
    assert read_time("2026-03-01 12:00") == datetime(2026, 3, 1, 12).astimezone()
    assert read_time("Sunday, 1 March 2026, 12:00 PM", UTC) == NOON


@pytest.mark.parametrize(("text", "end"), [
    ("2026-03-01 11:59 UTC", NOON), ("2026-03-01 11:59:59 UTC", NOON),
    ("2026-02-28 UTC", NOON.replace(hour=0)),
])  # fmt: skip
def test_the_minute_or_the_day_that_is_named_still_counts(text: str, end: datetime) -> None:
    assert read_deadline(text).end == end


NO_DEADLINES = ("", "tomorrow", "2026-02-30", "2026-03-01 25:00",
                "2026-03-01 12:00 Europe/Atlantis", "9999-12-31")  # fmt: skip
NO_RULES = ("", "10%", "10% per week", "10% per day, 5% per day", "grace 2 days", "110% per day",
            "10% per day, at most half", "10% per day, grace 99999999999 days")  # fmt: skip


@pytest.mark.parametrize(("read", "text", "reason"), [
    *((read_deadline, text, "is not a deadline") for text in NO_DEADLINES),
    *((read_rule, text, "is not a rule for late work") for text in NO_RULES),
])  # fmt: skip
def test_what_is_no_deadline_or_rule_is_told(
    read: Callable[[str], object], text: str, reason: str
) -> None:
    with pytest.raises(UserError, match=reason):
        read(text)


def test_each_day_that_is_started_counts() -> None:
    day = timedelta(days=1)
    times = [-timedelta(seconds=1), timedelta(0), day - timedelta(seconds=1), day, 3 * day]

    deadline = Deadline(NOON, UTC)

    assert [deadline.days_after(NOON + time) for time in times] == [0, 1, 1, 2, 4]


@pytest.mark.parametrize(("text", "lost"), [
    ("10% per day", [0, 4, 8, 40]), ("2 points per day", [0, 2, 4, 20]),
    ("0.5 points a day, at most 3 points", [0, 0.5, 1, 3]),
    ("10% per day, at most 50%", [0, 4, 8, 20]),
    ("at most 5 points,grace 1 hour,1 point for each day", [0, 1, 2, 5]),
])  # fmt: skip
def test_a_rule_takes_points_off_for_each_day_up_to_its_cap(text: str, lost: list[float]) -> None:
    rule = read_rule(text)

    assert [rule.off(days, 40) for days in (0, 1, 2, 10)] == lost


BLACKBOARD = ("masks_ada_attempt_2026-03-01-23-59-59_ex01_softmax.py",
              "masks_ben_attempt_2026-03-03-10-00-00_ex01_softmax.py",
              "masks_cem_attempt_2026-03-04-00-00-00_ex01_softmax.py",
              "masks_dan_attempt_2026-05-01-10-00-00_ex01_softmax.py")  # fmt: skip


def test_days_after_the_grace_cost_points_and_are_told(tmp_path: Path) -> None:
    plan = plan_with(tmp_path, *BLACKBOARD, deadline=END, late=RULE)
    verdicts = reported(plan)
    ada, ben, cem, _ = verdicts.values()

    assert [(verdict.score, verdict.earned) for verdict in verdicts.values()] == [
        (9, 9), (9, 9), (8, 9), (4, 9)]  # fmt: skip
    cause = f"handed in late, 2026-03-04 00:00; 1 day counts ({RULE})"
    assert cem.adjustments == (Adjustment("late", 9, 8, cause=cause),)
    assert (ada.notes, ada.adjustments) == ((), ())
    assert ben.notes == ("handed in 2026-03-03 10:00, after the deadline but within the days of "
                         "grace; nothing was taken off",)  # fmt: skip
    assert plan.notices == ("deadline 2026-03-01 23:59 UTC+00:00: 3 handed in later",)


CANVAS = "doejane_101_9001_ex01_softmax.py", "roejoe_LATE_102_9002_ex01_softmax.py"
UNKNOWN = "when it was handed in is not known of {}; a column handed_in in the roster or in the"
FREE: dict[str, tuple[tuple[str, ...], str | None, tuple[str, ...], str, str]] = {
    "without a rule": (BLACKBOARD[:2], None, (), "handed in 2026-03-03 10:00, up to 2 days late; "
                       "nothing was taken off", ""),
    # Canvas says who is late, but not how much.
    "Canvas": (CANVAS, RULE, (), "how late it was handed in is not known, so nothing was taken off",
               UNKNOWN.format("1, who lose nothing: roejoe")),
    "no time": (("ada", "ben"), RULE, (), "", UNKNOWN.format("2, who lose nothing: ada, ben")),
}  # fmt: skip


@pytest.mark.parametrize("case", FREE)
def test_where_no_rule_or_no_time_is_known_nothing_is_taken_off(tmp_path: Path, case: str) -> None:
    works, rule, first, second, undecided = FREE[case]
    plan = plan_with(tmp_path, *works, deadline=END, **({"late": rule} if rule else {}))
    verdicts = [*reported(plan).values()]

    assert [verdict.score for verdict in verdicts] == [9, 9]
    assert [verdict.notes for verdict in verdicts] == [first, (second,) if second else ()]
    assert " ".join(plan.undecided).startswith(undecided)
    assert bool(plan.undecided) == bool(undecided)
    count = int(case != "no time")
    assert plan.notices == (f"deadline 2026-03-01 23:59 UTC+00:00: {count} handed in later",)


ROSTER = ("login,handed_in", "ada,2026-03-01 10:00", "ben,2026-03-10 10:00",
          "cem,2026-03-10 10:00")  # fmt: skip
TIMES: dict[str, tuple[tuple[str, ...], dict[str, Any], list[float]]] = {
    "no score falls below nothing": (BLACKBOARD, {"late": "5 points per day"}, [9, 0, 0, 0]),
    "of several times the last counts": (
        ("x_ada_attempt_2026-03-02-10-00-00_ex01_softmax.py",
         "x_ada_attempt_2026-03-01-10-00-00_ex05_causal_masks.py",
         "x_ben_attempt_2026-03-01-10-00-00_ex01_softmax.py"),
        {"late": "1 point per day"}, [8, 9],
    ),
    "the roster and the overrules give the time that counts": (
        ("ada", "ben", "cem"),
        {"roster": ROSTER, "overrules": ("student,handed_in", "cem,2026-03-01 10:00")},
        [9, 4, 9],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TIMES)
def test_the_last_time_that_somebody_gives_counts(tmp_path: Path, case: str) -> None:
    works, more, scores = TIMES[case]
    plan = plan_with(tmp_path, *works, **{"deadline": END, "late": RULE, **more})

    assert [verdict.score for verdict in reported(plan).values()] == scores


def test_the_reason_for_another_time_is_kept(tmp_path: Path) -> None:
    overrules = "student,handed_in,reason", "ada,2026-03-01 10:00,was ill"

    assert reported(plan_with(tmp_path, "ada", overrules=overrules))["ada"].adjustments == (
        Adjustment("overruled", 9, 9, reason="was ill"),
    )


GRADESCOPE = """---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '200'
  :created_at: 2026-03-01 16:00:00.000000000 -08:00
  :results:
    :output: |
      :created_at: 2020-01-01 00:00:00.000000000 Z
{long}  :created_at: 2020-01-01 00:00:00.000000000 Z
"""


def test_gradescope_tells_the_time_and_what_a_student_printed_does_not(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "submission_1")
    text = GRADESCOPE.format(long=f"      {'x' * ((1 << 12) - 6)}")
    (folder / "submission_metadata.yml").write_text(text)

    for path in (folder, folder / "submission_1"):
        (verdict,) = reported(plan_for(path, deadline=END, late="1 point per day")).values()

        assert verdict.adjustments[0].points == -1
        assert "2026-03-02 00:00" in verdict.adjustments[0].cause


def test_a_time_that_is_none_is_told_before_anything_is_graded(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"roster.csv: later is not a time: write it like"):
        plan_with(tmp_path, "ada", roster=("login,handed_in", "ada,later"))
