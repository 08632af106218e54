"""Names of code in texts, on every page."""

import pytest

from kata.markup import html, pieces


def test_what_is_between_backticks_is_code() -> None:
    assert pieces("use `a b` or `c`") == [
        ("text", "use "), ("code", "a b"), ("text", " or "), ("code", "c"),
    ]  # fmt: skip
    assert pieces("`a`") == [("code", "a")]
    assert pieces("") == []


@pytest.mark.parametrize("text", ["it`s", "a `b` and ` more", "``", "a ` ` b", "```a```"])
def test_a_text_whose_backticks_are_no_pairs_is_only_text(text: str) -> None:
    assert pieces(text) == [("text", text)]


def test_nothing_in_a_text_is_markup_of_a_page() -> None:
    assert html("<b> & `<i>` it") == "&lt;b&gt; &amp; <code>&lt;i&gt;</code> it"
    assert html("<b> `") == "&lt;b&gt; `"
