"""What a class is graded with is kept beside the grades, and taken up by the next run."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from kata.errors import UserError
from kata.grading.options import KINDS, SETTINGS, keep_settings, take_up

NOTHING: dict[str, Any] = {name: None if kind is Path else kind() for name, kind in KINDS.items()}
EVERYTHING: dict[str, Any] = {
    **{name: Path("tables") / f"{name}.csv" for name, kind in KINDS.items() if kind is Path},
    "deadline": "2026-03-01 23:59",
    "late": '10% "per day"',
    "track": "core",
    "only": ["ex05", "ex07"],
    "proofs": 2.0,
    "seed": 7,
    "resubmissions": True,
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grades").mkdir()


def run(**given: Any) -> Namespace:
    around = {"grades": Path("grades"), "submissions": Path("class"), "explain": "",
              "anonymous": None}  # fmt: skip
    return Namespace(**{**around, **NOTHING, **given})


def taken_up(before: Namespace, after: Namespace) -> list[str]:
    """What is said when one run has followed the other."""
    keep_settings(before)
    return [*take_up(after)]


def test_all_that_was_given_is_taken_up() -> None:
    Path("tables").mkdir()
    Path("tables/gradebook.csv").touch()
    later = run()

    (line,) = taken_up(run(**EVERYTHING), later)

    assert vars(later) == {**vars(run(**EVERYTHING)), "platform": ""}
    assert line.startswith("as in the last run: --only ex05 --only ex07 --track core --deadline ")
    assert '--deadline "2026-03-01 23:59"' in line
    assert " --proofs 2.0 --seed 7 --resubmissions; grades/settings.toml keeps it" in line


AGAIN: dict[str, tuple[dict[str, Any], dict[str, Any], list[str], dict[str, Any]]] = {
    "an option that is given again counts and is told": (
        {"deadline": "2026-03-01", "late": "10% per day"},
        {"deadline": "2026-03-08"},
        ['as in the last run: --late "10% per day"; grades/settings.toml keeps it',
         "deadline was 2026-03-01 in the last run, and is 2026-03-08 from now on"],
        {"deadline": "2026-03-08", "late": "10% per day"},
    ),
    "who chooses exercises chooses them all": (
        {"track": "core", "deadline": "2026-03-01"},
        {"only": ["ex05"]},
        ["as in the last run: --deadline 2026-03-01; grades/settings.toml keeps it"],
        {"only": ["ex05"], "track": ""},
    ),
    "the same file by another path is no change": (
        {"roster": Path("roster.csv")}, {"roster": Path("grades/../roster.csv")}, [], {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", AGAIN)
def test_what_is_given_again(case: str) -> None:
    before, given, lines, expected = AGAIN[case]
    later = run(**given)

    assert taken_up(run(**before), later) == lines
    assert expected.items() <= vars(later).items()


def test_names_that_another_platform_has_given_are_told() -> None:
    assert keep_settings(run(), "Canvas") == ""
    later = run()
    assert [*take_up(later)] == []

    assert keep_settings(later, "Canvas") == ""
    assert keep_settings(later, "Moodle") == (
        "platform was Canvas in the last run, and is Moodle from now on"
    )
    assert keep_settings(later) == "platform was Canvas in the last run, and is none from now on"


@pytest.mark.parametrize("way", [{"explain": "ada"}, {"anonymous": Path("key.csv")}])
def test_a_gradebook_is_filled_in_again_unless_that_is_impossible(way: dict[str, Any]) -> None:
    Path("export.csv").touch()
    before = run(gradebook=Path("export.csv"), column="Week 3")
    later, single = run(), run(**way)

    assert taken_up(before, later)
    assert taken_up(before, single) == []
    assert (later.gradebook, later.column) == (Path("export.csv"), "Week 3")
    assert (single.gradebook, single.column) == (None, "")
    Path("export.csv").unlink()
    assert taken_up(before, run()) == [
        "export.csv is gone, so gradebook.csv may have marks of an earlier run"
    ]


def test_files_are_found_where_the_folder_has_moved_but_not_among_what_is_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There, anybody may have handed in settings."""
    Path("class/grades").mkdir(parents=True)
    inside = Path("class/grades")
    later = run(grades=inside)
    assert taken_up(run(grades=inside, rubric=Path("rubric.toml")), later) == []
    assert later.rubric is None

    keep_settings(run(rubric=Path("rubric.toml")))
    (tmp_path / "moved").mkdir()
    (tmp_path / "grades").rename(tmp_path / "moved" / "grades")
    monkeypatch.chdir(tmp_path / "moved" / "grades")
    later = run(grades=tmp_path / "moved" / "grades")
    assert [*take_up(later)]
    assert later.rubric == tmp_path / "moved" / "rubric.toml"


def test_what_is_deleted_is_forgotten_and_nothing_leaves_no_file() -> None:
    path = Path("grades", SETTINGS)
    keep_settings(run(deadline="2026-03-01", late="10% per day"))
    lines = [line for line in path.read_text().splitlines() if not line.startswith("late")]
    path.write_text("\n".join(lines), encoding="utf-8")
    later = run()

    assert [*take_up(later)]
    assert (later.deadline, later.late) == ("2026-03-01", "")

    keep_settings(run())
    assert not path.exists()


@pytest.mark.parametrize(("content", "reason"), [
    ("deadline = ", "cannot be read"),
    ("dedline = 'x'", "there is no setting dedline"),
    ("deadline = 3", "deadline = 3 is no such setting"),
    ("proofs = true", "proofs = True is no such setting"),
    ("proofs = -1", "proofs = -1 is no such setting"),
    ("proofs = nan", "proofs = nan is no such setting"),
    ("seed = 0", "seed = 0 is no such setting"),
    ("only = 'ex05'", "only = 'ex05' is no such setting"),
    ("only = [5]", "only = [5] is no such setting"),
    ("resubmissions = 'yes'", "resubmissions = 'yes' is no such setting"),
])  # fmt: skip
def test_what_is_no_setting_gets_a_line(content: str, reason: str) -> None:
    Path("grades", SETTINGS).write_text(content, encoding="utf-8")

    with pytest.raises(UserError, match=r"grades/settings\.toml") as error:
        [*take_up(run())]

    assert reason in str(error.value)
    assert "\n" not in str(error.value)
