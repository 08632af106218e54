"""The site: one room and a few wrong answers of another, as files."""

import html
import json
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.handouts.excerpts import excerpts, given_away
from kata.handouts.mistakes import made_in
from kata.handouts.paper.typesetting import capital
from kata.handouts.site.address import Address
from kata.handouts.site.exhibits.exhibit import exhibits
from kata.handouts.site.museum import Room, index, stem, words
from kata.handouts.site.museum import museum_room as room
from kata.handouts.site.pages import Site, _of_room, write
from kata.handouts.site.pictures import HEIGHT, png
from kata.handouts.site.pictures import WIDTH_OF_PREVIEW as WIDTH
from kata.practice.loss import losses
from kata.verdict import Picture

SOFTMAX, MASKS = exercises()["ex01_softmax"], exercises()["ex05_causal_masks"]
TWINS = "scores-fill-dropped", "scores-fill-dropped-and-inverted"
MASK_PAGE = f"bugs/{MASKS.slug}/{TWINS[0]}.html"
VOID = {"meta", "link", "input", "img", "br", "hr"}
ENTRANCES = {"index.html", "wild.html", "search.html"}
SOMEWHERE = Address("https://example.org/kata", "https://example.org/source")


class Tree(HTMLParser):
    """A page: its tags as (name, attributes), its texts, and elements that are not closed right."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.trouble: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.trouble += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.trouble.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def all(self, attribute: str) -> list[str]:
        """The values of an attribute, wherever it stands."""
        return [value for _, each in self.tags if (value := each.get(attribute)) is not None]

    @property
    def text(self) -> str:
        """All that is read, on one line."""
        return " ".join("".join(self.texts).split())


def some(exercise: Exercise, *slugs: str) -> Room:
    return room(exercise, [bug for bug in bugs(exercise) if bug.slug in slugs])


@pytest.fixture(scope="module")
def rooms() -> tuple[Room, ...]:
    first = [bug.slug for bug in bugs(SOFTMAX)[:3]]
    return some(SOFTMAX, *first), some(MASKS, *TWINS)


@pytest.fixture(scope="module")
def site(rooms: tuple[Room, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert sorted(write(folder, rooms)) == [p for p in sorted(folder.rglob("*")) if p.is_file()]
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Tree]:
    return trees(site)


def trees(site: Path) -> dict[str, Tree]:
    """Each page by its name."""
    found = sorted(site.rglob("*.html"))
    return {str(p.relative_to(site)): Tree(p.read_text(encoding="utf-8")) for p in found}


def test_there_is_a_page_for_each_exercise_and_each_wrong_answer(
    rooms: tuple[Room, ...], pages: dict[str, Tree]
) -> None:
    asked = {f"exercises/{each.exercise.slug}.html" for each in rooms}
    wrong = {f"bugs/{each.exercise.slug}/{slug}.html" for each in rooms for slug in each.bugs}

    assert len(wrong) == 5
    touched = {f"exhibits/{name}.html" for name in ("index", *exhibits())}
    assert set(pages) == ENTRANCES | asked | wrong | touched


def test_the_same_rooms_give_the_same_bytes(
    rooms: tuple[Room, ...], site: Path, tmp_path: Path
) -> None:
    again = [some(each.exercise, *each.bugs) for each in rooms]

    for path in write(tmp_path, again):
        assert path.read_bytes() == (site / path.relative_to(tmp_path)).read_bytes()


def test_every_page_is_well_formed(pages: dict[str, Tree]) -> None:
    assert {name: tree.trouble for name, tree in pages.items() if tree.trouble} == {}


def test_no_name_stands_twice_on_a_page(pages: dict[str, Tree]) -> None:
    for tree in pages.values():
        names = tree.all("id")
        assert len(names) == len(set(names))


def links(site: Path, name: str, tree: Tree) -> Iterator[tuple[Path, str]]:
    """Files and places that a page leads to, within the site."""
    for each in [*tree.all("href"), *tree.all("src")]:
        address = urlsplit(each)
        if not address.scheme:
            path = (site / name).parent / address.path if address.path else site / name
            yield path.resolve(), address.fragment


def test_every_link_leads_somewhere(site: Path, pages: dict[str, Tree]) -> None:
    for name, tree in pages.items():
        for path, place in links(site, name, tree):
            assert path.is_file(), (name, path)
            assert path.is_relative_to(site.resolve())
            if place:
                assert place in pages[str(path.relative_to(site.resolve()))].all("id")


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[str, Tree]) -> None:
    for tree in pages.values():
        for tag, values in tree.tags:
            address = values.get("href") or values.get("src") or ""
            if urlsplit(address).scheme in {"http", "https"}:
                assert (tag, values["rel"]) == ("a", "noreferrer")
    styles = (site / "style.css").read_text(encoding="utf-8")
    assert "url(" not in styles
    assert "@import" not in styles


def test_a_public_thread_can_be_visited(pages: dict[str, Tree]) -> None:
    assert "https://github.com/lucidrains/flamingo-pytorch/issues/10" in pages[MASK_PAGE].all(
        "href"
    )


def test_the_index_draws_and_says_how_many_train_as_well(pages: dict[str, Tree]) -> None:
    known = losses()

    assert len(known) == 3
    assert "figures/losses.svg" in pages["index.html"].all("src")
    told = " ".join(pages["index.html"].all("alt"))
    for each in known.values():
        assert f"of {each.trained} wrong answers trained, {len(each.there)} end at" in told


def test_a_mistake_of_the_notebooks_leads_to_its_place_among_them(pages: dict[str, Tree]) -> None:
    assert "../../wild.html#own-1" in pages[MASK_PAGE].all("href")
    assert "The mask that is made and dropped" in pages["wild.html"].text
    assert "document 00" not in "".join(tree.text for tree in pages.values())


def test_what_happened_to_somebody_is_listed_with_its_threads(
    rooms: tuple[Room, ...], pages: dict[str, Tree]
) -> None:
    told = pages["wild.html"].all("href")
    for each in rooms:
        for bug in each.bugs.values():
            threads = [mark for mark in bug.seen_in if re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", mark)]
            assert (f"bugs/{each.exercise.slug}/{bug.slug}.html" in told) >= bool(threads)
            for mark in threads:
                name, number = mark.split("#")
                assert f"https://github.com/{name}/issues/{number}" in told


def test_twins_lead_to_each_other(pages: dict[str, Tree]) -> None:
    assert f"{TWINS[1]}.html" in pages[MASK_PAGE].all("href")


def test_no_line_of_a_solution_is_shown_but_where_it_is_folded(
    rooms: tuple[Room, ...], pages: dict[str, Tree]
) -> None:
    lines = given_away(SOFTMAX) | given_away(MASKS)
    folded = {f"bugs/{each.exercise.slug}/{bug.slug}.html" for each in rooms
              for bug in each.bugs.values()
              if any(part.spoils for part in excerpts(each.exercise, bug))}  # fmt: skip

    assert len(lines) > 10
    for name, tree in pages.items():
        assert name in folded or [line for line in lines if line in tree.text] == []


def test_the_wrong_line_is_shown_as_its_author_wrote_it(pages: dict[str, Tree]) -> None:
    dropped = next(bug for bug in bugs(MASKS) if bug.slug == TWINS[0])
    (part,) = excerpts(MASKS, dropped)

    assert part.place == "mask_scores"
    assert part.code == "scores.masked_fill(~mask, torch.finfo(scores.dtype).min)\nreturn scores"
    assert all(line in pages[MASK_PAGE].text for line in part.code.splitlines())
    assert "in mask_scores" in pages[MASK_PAGE].text


def test_a_line_of_the_solution_among_wrong_ones_is_folded() -> None:
    spoils = next(bug for bug in bugs(MASKS) if any(e.spoils for e in excerpts(MASKS, bug)))
    page = page_of(some(MASKS, spoils.slug), spoils.slug)

    before, _, after = page.partition('<details class="line">')
    assert html.escape(excerpts(MASKS, spoils)[0].code) not in before
    assert html.escape(excerpts(MASKS, spoils)[0].code, quote=False) in html.unescape(after)


def test_a_missing_line_is_said_to_be_missing() -> None:
    missing = next(
        bug for bug in bugs(MASKS) if any(not part.code for part in excerpts(MASKS, bug))
    )
    assert "a line is missing" in Tree(page_of(some(MASKS, missing.slug), missing.slug)).text


def page_of(shown: Room, slug: str) -> str:
    """The page of a wrong answer in a site of one room."""
    made = _of_room(Site((shown,), Address()), 0)
    return next(str(text) for name, text in made if name.endswith(f"/{slug}.html"))


# -- what a page says of itself


@pytest.fixture(scope="module")
def public(rooms: tuple[Room, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with an address."""
    folder = tmp_path_factory.mktemp("public")
    write(folder, rooms, SOMEWHERE)
    return folder


def test_every_page_says_what_it_is(public: Path) -> None:
    for name, tree in trees(public).items():
        meta = {each.get("name") or each.get("property"): each.get("content")
                for tag, each in tree.tags if tag == "meta"}  # fmt: skip
        links = {each.get("rel"): each.get("href") for tag, each in tree.tags if tag == "link"}
        title = tree.text[: tree.text.index("tested") + 6]

        assert "ttention" in title and "PyTorch" in title  # noqa: PT018  # one thing
        assert "`" not in title
        assert 40 <= len(meta["description"] or "") <= 160
        assert meta["og:title"] == title
        assert links["canonical"] == meta["og:url"] == f"https://example.org/kata/{name}"
        picture = (meta["og:image"] or "").removeprefix("https://example.org/kata/")
        assert (public / picture).read_bytes()[:4] == b"\x89PNG"
        assert SOMEWHERE.repository in tree.all("href")


def test_search_engines_are_told_of_every_page(public: Path) -> None:
    told = re.findall(r"<loc>(.*?)</loc>", (public / "sitemap.xml").read_text(encoding="utf-8"))
    there = [f"{SOMEWHERE.site}/{path.relative_to(public)}" for path in public.rglob("*.html")]

    assert sorted(told) == sorted(there)
    assert "https://example.org/kata/sitemap.xml" in (public / "robots.txt").read_text()


def test_without_an_address_nothing_is_said_that_needs_one(site: Path) -> None:
    assert not [*site.rglob("*.png"), *site.glob("*.xml"), *site.glob("*.txt")]
    assert "og:image" not in (site / "index.html").read_text(encoding="utf-8")


def test_a_preview_is_a_picture_of_the_maps() -> None:
    picture = Picture([[1.0, 0.0]], [[0.0, 1.0]], [[True, True]], worst=[0, 0])
    found = png(picture)
    width, height = struct.unpack(">II", found[16:24])
    start = found.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", found[start - 8 : start - 4])
    rows = np.frombuffer(zlib.decompress(found[start : start + length]), np.uint8)
    page = rows.reshape(HEIGHT, WIDTH + 1)[:, 1:].cumsum(axis=0, dtype=np.uint8)

    assert (width, height) == (WIDTH, HEIGHT) == (1200, 630)
    middle = page[HEIGHT // 2]
    runs = [int(middle[at]) for at in np.flatnonzero(np.diff(middle, prepend=255))]
    assert runs == [0, 18, 0, 1, 0, 2, 1, 2, 0, 2, 18, 2, 0]  # full, empty; edge, empty, edge; …


# -- search


def test_words_are_found_by_their_stems_and_parts() -> None:
    assert list(words("nn.ModuleList masked the NaN −inf")) == [
        "nn.modulelist", "nn", "modulelist", "mask", "nan", "-inf",
    ]  # fmt: skip
    assert stem("dropped") == stem("drop")
    assert stem("values") == stem("value")
    assert [stem(each) for each in ("loss", "is", "bias")] == ["los", "is", "bia"]


def test_the_index_knows_every_wrong_answer(rooms: tuple[Room, ...]) -> None:
    told = index(rooms).removeprefix("const INDEX = ").removesuffix(";\n")
    found = json.loads(told.replace("<\\/", "</"))

    slugs = [slug for _, slug, *_ in found["entries"]]
    assert slugs == [slug for each in rooms for slug in each.bugs]
    assert "masked_fill" in found["words"]


def test_a_title_cannot_end_the_script_of_the_index(rooms: tuple[Room, ...]) -> None:
    catch = rooms[1].catch[TWINS[0]]
    bad = replace(catch.bugs[0], title="</script><b>")

    assert "</script" not in index([Room(MASKS, (replace(catch, bugs=(bad,)),), {})])


def test_a_trap_is_placed_where_it_does_harm_and_not_at_an_import() -> None:
    exercise = exercises()["ex21_kv_cache"]
    (bug,) = (each for each in bugs(exercise) if each.slug == "turned-by-halves")

    assert made_in(exercise, bug) == "CachedAttention"


def test_a_wrong_answer_is_told_with_what_its_author_reads(
    rooms: tuple[Room, ...], pages: dict[str, Tree]
) -> None:
    bug, message = rooms[1].bugs[TWINS[0]], rooms[1].messages[TWINS[0]]
    told = pages[MASK_PAGE].text

    title = capital(bug.title).replace("`", "")
    for text in (title, bug.symptom, bug.why, bug.invisible_when, *bug.hints):
        assert text in told
    assert message.claim in told
    assert " ".join(message.inputs.replace("`", "").split()) in told
    assert re.fullmatch(r"35 of 35 values .* expected 0, got 0\.\d+", message.evidence)
    assert message.evidence in told


def test_the_message_of_a_wrong_answer_is_that_of_its_claim(rooms: tuple[Room, ...]) -> None:
    for each in rooms:
        for slug, message in each.messages.items():
            assert message.claim == each.catch[slug].sentence


def test_a_wrong_answer_that_remembers_is_told_too() -> None:
    bug = next(bug for bug in bugs(MASKS) if bug.remembers)

    assert room(MASKS, [bug]).messages[bug.slug].evidence


def test_what_is_not_known_is_left_out(rooms: tuple[Room, ...]) -> None:
    untold = Room(rooms[1].exercise, rooms[1].catches, {})
    told = Tree(page_of(untold, TWINS[0])).text

    assert untold.bugs[TWINS[0]].symptom in told
    assert "values of weights differ" not in told


def test_an_exercise_is_told_with_its_contract_and_its_claims(pages: dict[str, Tree]) -> None:
    told = pages[f"exercises/{MASKS.slug}.html"].text

    for text in ("mask_scores(scores, mask)", "bool, broadcasts to (..., T, S); True = may attend",
                 ">>> causal_mask(3).int().tolist()", "no position may attend to a later one",
                 "s > t is later"):  # fmt: skip
        assert text in told


def test_hostile_texts_stay_texts(rooms: tuple[Room, ...]) -> None:
    catch = rooms[1].catch[TWINS[0]]
    bad = replace(catch.bugs[0], symptom="<script>alert(1)</script> and `<b>`", seen_in=("<i>",))
    page = page_of(Room(MASKS, (replace(catch, bugs=(bad,)),), {}), bad.slug)

    assert "<script" not in page
    assert html.escape("<script>alert(1)</script>") in page
    assert "<code>&lt;b&gt;</code>" in page
