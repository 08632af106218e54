"""Wrong answers are made from the solution, and a table that is wrong says so."""

from dataclasses import replace
from pathlib import Path

import pytest

from kata.course.catalogue import CatalogueError, bugs, versions, wrong_answer
from kata.course.curriculum import exercises

EX01 = exercises()["ex01_softmax"]


def test_a_bug_that_fits_nowhere_says_so() -> None:
    bug = replace(bugs(EX01)[0], change=(("no such line", ""),))

    with pytest.raises(CatalogueError, match="no-exp: stands 0 times in the solution"):
        wrong_answer(EX01, bug)


def test_a_bug_with_an_unknown_field_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "ex01_softmax.toml").write_text('[[bug]]\nslug = "a"\ncolour = "red"\n')
    monkeypatch.setattr("kata.course.curriculum.BUGS", tmp_path)

    with pytest.raises(CatalogueError, match=r"ex01_softmax\.toml: a: .*colour"):
        bugs.__wrapped__(EX01)


def test_a_mistake_has_several_forms_and_a_version_mistakes_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = EX01.bugs.read_text(encoding="utf-8")
    form = 'also = [[["np.exp(scores - largest)", "np.exp(scores - 1)"]]]\n'
    first, rest = table.split("symptom", 1)
    version = '[[version]]\nslug = "short"\nchange = [["a", "b"]]\nmistakes = ["no-exp"]\n'
    (tmp_path / "ex01_softmax.toml").write_text(f"{first}{form}symptom{rest}\n{version}")
    monkeypatch.setattr("kata.course.curriculum.BUGS", tmp_path)

    bug = bugs.__wrapped__(EX01)[0]
    short = versions.__wrapped__(EX01)[-1]

    assert [each.change for each in bug.forms] == [
        bug.change,
        (("np.exp(scores - largest)", "np.exp(scores - 1)"),),
    ]
    assert {each.slug for each in bug.forms} == {"no-exp"}
    assert (short.change, [each.slug for each in short.mistakes]) == ((("a", "b"),), ["no-exp"])


def test_a_version_with_an_unknown_mistake_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    version = '[[version]]\nslug = "short"\nchange = []\nmistakes = ["no-such"]\n'
    (tmp_path / "ex01_softmax.toml").write_text(version)
    monkeypatch.setattr("kata.course.curriculum.BUGS", tmp_path)

    with pytest.raises(CatalogueError, match=r"a version has no 'no-such'"):
        versions.__wrapped__(EX01)


def test_a_wrong_answer_differs_from_the_solution_where_it_says() -> None:
    bug = bugs(EX01)[0]
    text = wrong_answer(EX01, bug)

    assert all(replacement in text for _, replacement in bug.change)


@pytest.mark.parametrize("find", ["scores", "no such line"])
def test_what_a_change_replaces_stands_once_in_the_solution(find: str) -> None:
    bug = replace(bugs(EX01)[0], change=((find, "instead"),))

    count = EX01.solution.read_text(encoding="utf-8").count(find)

    assert count != 1
    with pytest.raises(CatalogueError, match=f"stands {count} times in the solution"):
        wrong_answer(EX01, bug)
