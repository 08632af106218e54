"""The page on which works that are alike stand side by side."""

from pathlib import Path

import pytest

from kata.grading.reports.class_page import FILE_ALIKE, rows, write_alike
from kata.grading.similarity.alike import TwoWorks

HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>')
SLUG = "ex09_multi_head_attention"


def test_lines_that_differ_in_names_and_spaces_alone_stand_beside_each_other() -> None:
    left = "scores = q @ k\nextra = 1\nreturn scores  # done\n"
    right = "s = query@key\nreturn s\n"

    table = [(row.left, row.right, row.same) for row in rows(left, right)]

    assert table == [("scores = q @ k", "s = query@key", True), ("extra = 1", "", False),
                     ("return scores  # done", "return s", True)]  # fmt: skip


def test_a_keyword_is_no_name_and_a_number_counts() -> None:
    assert [row.same for row in rows("if x:\n", "while x:\n")] == [False]
    assert [row.same for row in rows("y = 2\n", "y = 3\n")] == [False]


def test_an_empty_line_is_not_marked() -> None:
    assert [row.same for row in rows("\n", "\n")] == [False]


def test_of_the_same_text_every_line_of_code_does_the_same(tmp_path: Path) -> None:
    text = b"# mine\nimport os\n\n\ndef f(x):\n    # twice\n    return x * 2\n"

    write_alike([TwoWorks(30, 1.0, SLUG, "ann", "ben")], lambda _: {SLUG: text}, tmp_path)

    page = (tmp_path / FILE_ALIKE).read_text(encoding="utf-8")
    assert "100 % the same steps; 3 of 3 lines of code do the same" in page


def test_a_page_has_both_works_and_says_how_often(tmp_path: Path) -> None:
    texts = {"ann": b"x = 1\n", "ben": b"y = 1\n"}
    pairs = [TwoWorks(30, 0.98, SLUG, "ann", "ben"),
             TwoWorks(20, 0.9, "ex14_encoder_layer", "ann", "ben")]  # fmt: skip

    write_alike(pairs, lambda name: dict.fromkeys((SLUG, "ex14_encoder_layer"), texts[name]),
                tmp_path)  # fmt: skip

    page = (tmp_path / FILE_ALIKE).read_text(encoding="utf-8")
    assert "98 % the same steps; alike in 2 exercises" in page
    assert page.count("<code>x = 1</code></td><td><code>y = 1</code>") == 2
    assert "1 of 1 lines of code do the same" in page


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_and_no_code_becomes_markup(tmp_path: Path, name: str) -> None:
    code = b"x = '<script>alert(1)</script>'\n"

    write_alike([TwoWorks(30, 1.0, SLUG, name, name)], lambda _: {SLUG: code}, tmp_path)

    page = (tmp_path / FILE_ALIKE).read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<img" not in page


def test_work_that_has_changed_since_leaves_its_side_empty(tmp_path: Path) -> None:
    write_alike([TwoWorks(30, 1.0, SLUG, "ann", "ben")], lambda _: {}, tmp_path)

    assert "0 of 0 lines" in (tmp_path / FILE_ALIKE).read_text(encoding="utf-8")
