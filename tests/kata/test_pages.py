"""The pages that are read on GitHub, as CommonMark: nothing breaks, is lost or leads nowhere."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kata.course.curriculum import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
COMMENT = re.compile(r"<!--.*-->", re.DOTALL)
# What GitHub shows as it is meant; other tags are left out, with the words in them.
TAG = re.compile(r"</?(?:a|br|details|em|img|kbd|p|picture|source|strong|sub|summary|sup)\b[^>]*>")
PIPE = re.compile(r"(?<!\\)\|")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def read(page: Path) -> list[Token]:
    return MARKDOWN.parse(page.read_text(encoding="utf-8"))


def lines(page: Path) -> list[str]:
    return page.read_text(encoding="utf-8").splitlines()


def inline(page: Path) -> Iterator[Token]:
    for token in read(page):
        yield from token.children or ()


def torn(text: str) -> list[str]:
    """What is set as HTML, and so with its Markdown as it is typed, or not at all."""
    typed = text.splitlines()
    blocks = [each for each in MARKDOWN.parse(text) if each.type == "html_block"]
    return [
        each.content
        for each in blocks
        if TAG.sub("", COMMENT.sub("", each.content)).strip() or not stands_apart(each, typed)
    ]


def stands_apart(block: Token, typed: list[str]) -> bool:
    assert block.map
    first, end = block.map
    return not any("".join(typed[max(at, 0) : at + 1]).strip() for at in (first - 1, end))


@pytest.mark.parametrize(
    "text", ["a weight of up to\n<!-- made --> 0.2", "<!-- made -->\ntext", "<!-- made --> *text*"]
)
def test_a_comment_in_a_paragraph_would_tear_it(text: str) -> None:
    assert torn(text) != []
    assert torn("<!-- made -->\n\ntext") == []


@pages
def test_no_html_stands_where_a_paragraph_should_be(page: Path) -> None:
    assert torn(page.read_text(encoding="utf-8")) == []


@pages
def test_no_word_is_taken_for_a_tag(page: Path) -> None:
    """`<slug>` outside backticks is not shown at all."""
    tags = [each.content for each in inline(page) if each.type == "html_inline"]

    assert [each for each in tags if not TAG.fullmatch(each) and not COMMENT.fullmatch(each)] == []


@pages
def test_every_line_with_bars_is_in_a_table(page: Path) -> None:
    inside = {
        line
        for token in read(page)
        if token.type in {"table_open", "fence", "code_block"} and token.map
        for line in range(*token.map)
    }

    typed = enumerate(lines(page))
    assert [each for at, each in typed if each.lstrip().startswith("|") and at not in inside] == []


@pages
def test_every_row_of_a_table_has_as_many_cells_as_its_head(page: Path) -> None:
    """GitHub drops a cell too many: a bar in a cell is written `\\|`, also in code."""
    typed = lines(page)
    for token in read(page):
        if token.type == "table_open" and token.map:
            rows = typed[slice(*token.map)]
            bars = {len(PIPE.findall(row)) for row in rows}
            assert len(bars) == 1, rows


def slugs(page: Path) -> Iterator[str]:
    """What GitHub calls the headings of a page."""
    seen: dict[str, int] = {}
    found = read(page)
    for at, token in enumerate(found):
        if token.type == "heading_open":
            text = "".join(each.content for each in found[at + 1].children or ())
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            seen[slug] = seen.get(slug, -1) + 1
            yield f"{slug}-{seen[slug]}" if seen[slug] else slug


def test_headings_are_called_as_on_github(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# `kata prove`: what tests are worth\n\n## 1. *One*\n\n## 1. One\n")

    assert [*slugs(page)] == ["kata-prove-what-tests-are-worth", "1-one", "1-one-1"]


def addresses(page: Path, kind: str, attribute: str) -> Iterator[str]:
    """Of links or pictures, in Markdown and in HTML."""
    html = "".join(each.content for each in (*read(page), *inline(page)) if "html" in each.type)
    yield from re.findall(rf'\b{attribute}="([^"]*)"', html)
    yield from (str(each.attrs[attribute]) for each in inline(page) if each.type == kind)


def targets(page: Path, kind: str, attribute: str) -> Iterator[tuple[str, str]]:
    """The paths and fragments to which a page leads inside the repository."""
    for address in addresses(page, kind, attribute):
        if not re.match(r"[a-z]+:", address):
            path, _, fragment = address.partition("#")
            yield unquote(path), unquote(fragment)


@pages
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for path, fragment in targets(page, "link_open", "href"):
        led = (page.parent / path).resolve() if path else page
        assert led.exists(), path
        assert led.is_relative_to(ROOT), path
        assert not fragment or fragment in [*slugs(led)], f"{path}#{fragment}"


@pages
def test_pictures_are_there_and_say_what_they_show(page: Path) -> None:
    shown = [page.parent / path for path, _ in targets(page, "image", "src")]
    words = [
        *addresses(page, "", "alt"),
        *(each.content for each in inline(page) if each.type == "image"),
    ]

    assert [each for each in shown if not each.is_file()] == []
    assert len(words) == len([*addresses(page, "image", "src")])
    assert [each for each in words if len(each.split()) < 3] == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("docs/**/*.svg")), ids=lambda path: path.name)
def test_a_picture_needs_nothing_but_itself(path: Path) -> None:
    """GitHub runs no script in it and loads nothing for it."""
    elements = [*ElementTree.fromstring(path.read_text(encoding="utf-8")).iter()]
    named = {each.tag.rpartition("}")[2] for each in elements}
    led = [value for each in elements for key, value in each.attrib.items() if "href" in key]
    styles = "".join(each.text or "" for each in elements if each.tag.endswith("style"))

    assert named & {"script", "image", "foreignObject", "use", "a"} == set()
    assert led == []
    assert not re.search(r"url\(\s*['\"]?(?!#)|@import|@font-face", styles)
