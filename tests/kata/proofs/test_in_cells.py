"""`prove` on given cells: which tests it takes, what it binds, and what it shows."""

from functools import partial
from pathlib import Path

import pytest

from kata.course.cells import Cell
from kata.errors import UserError
from kata.learner.proofs import judged as judged_proof
from kata.notebook import proofs as in_cells
from kata.notebook.helps import hint
from kata.notebook.kernel import WorkInCells
from kata.notebook.proofs import proved
from tests.helpers.later import torch
from tests.helpers.proofs import HEAD, NAIVE, OVERSPECIFIED, SLUG, judged

# A learner's own answer, which is wrong, with a helper and a constant next to it.
MINE = """\
import torch
SIZE = 3
def causal_mask(size):
    return torch.ones(size, size).bool()
"""
TESTS = """\
def expected(size):
    return torch.ones(size, size).tril().bool()

def test_causal():
    assert torch.equal(causal_mask(SIZE), expected(SIZE))
"""
PADDING = """\
def test_padding():
    assert padding_mask(torch.tensor([1, 3]), 3).int().tolist() == [[[1, 0, 0]], [[1, 1, 1]]]
"""
BODY = NAIVE[len(HEAD) :]


def work(folder: Path, *texts: str) -> WorkInCells:
    return WorkInCells([Cell(at, text) for at, text in enumerate(texts, start=1)], folder)


def function(name: str) -> object:
    """As the kernel would give it: only its name matters."""
    made = type(lambda: None)((lambda: None).__code__, {})
    made.__name__ = name
    return made


@pytest.fixture
def traps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge tries wrong answers of level 1 alone, a twentieth of all."""
    monkeypatch.setattr(in_cells, "judged", partial(judged_proof, level=1))


def test_tests_are_judged_on_implementations_and_not_on_the_cells(tmp_path: Path) -> None:
    found = proved(work(tmp_path, MINE, TESTS), function("test_causal")).verdict

    assert found.slug == SLUG
    assert [each.name for each in found.tests] == ["test_causal"]
    assert found.refuses == ()
    assert "causal-all-true" in found.caught(3)


@pytest.mark.usefixtures("traps")
def test_cells_are_judged_like_a_file(tmp_path: Path) -> None:
    found = proved(work(tmp_path, MINE, *BODY.split("\n\n\n")), "ex05").verdict

    in_a_file = {each.name: each.catches for each in judged(NAIVE).tests}
    assert {each.name: each.catches for each in found.tests} == in_a_file


@pytest.mark.usefixtures("traps")
def test_all_tests_about_an_exercise(tmp_path: Path) -> None:
    other = "def test_other():\n    assert softmax(1) == 1\n"
    found = proved(work(tmp_path, MINE, TESTS, PADDING, other), "ex05").verdict

    assert [each.name for each in found.tests] == ["test_causal", "test_padding"]


@pytest.mark.usefixtures("traps")
def test_several_functions(tmp_path: Path) -> None:
    cells = work(tmp_path, MINE, TESTS, PADDING)

    found = proved(cells, function("test_padding"), "test_causal").verdict

    assert {each.name for each in found.tests} == {"test_causal", "test_padding"}


def test_lines_are_those_of_cells(tmp_path: Path) -> None:
    cells = work(tmp_path, MINE, "# a note\n" + OVERSPECIFIED[len(HEAD) :].lstrip())

    shown = proved(cells, "test_a_hidden_score_is_minus_infinity")

    assert not shown
    sentence = "refuses 5 of 13 right answers, in cell [2], line 4:"
    assert sentence in " ".join(repr(shown).split())
    assert sentence in shown._repr_html_()
    assert "masked[0, 1] is tensor(" in shown._repr_html_()


@pytest.mark.usefixtures("traps")
def test_a_page_has_the_tables_and_no_markup_of_strangers(tmp_path: Path) -> None:
    text = "def test_one():\n    assert causal_mask(2) is None, '<b>bold</b>'\n"

    page = proved(work(tmp_path, MINE, text), "test_one")._repr_html_()

    assert "&lt;b&gt;bold" in page
    assert "<b>" not in page
    table = proved(work(tmp_path, MINE, TESTS), "test_causal")._repr_html_()
    assert "<th" in table
    assert "what gets past all of them" in table
    assert "kata hint" not in table  # which is about files


@pytest.mark.usefixtures("traps")
def test_the_kernel_stays_as_it_was(tmp_path: Path) -> None:
    torch.set_num_threads(2)
    state = torch.get_rng_state()
    try:
        proved(work(tmp_path, MINE, TESTS), "ex05")

        assert torch.get_num_threads() == 2
        assert torch.equal(torch.get_rng_state(), state)
    finally:
        torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ((), "`prove` takes test functions"),
        (("ex06",), "no test in this notebook is about ex06_causal_attention"),
        (("test_none", "test_causal"), "no cell defines a test `test_none`"),
        (("test_broken",), "cell [4], line 1 raises an error before any test runs"),
        (("test_nothing",), "test_nothing: no exercise asks for anything that is called here"),
        (("ex99",), "no exercise is called ex99"),
    ],
)
def test_what_cannot_be_judged_is_a_sentence(
    tmp_path: Path, what: tuple[str, ...], told: str
) -> None:
    broken = "LIMIT = 1 / 0\ndef test_broken():\n    assert causal_mask(LIMIT) is None\n"
    nothing = "def test_nothing():\n    assert True\n"

    with pytest.raises(UserError) as error:
        proved(work(tmp_path, MINE, TESTS, nothing, broken), *what)

    assert told in str(error.value)


@pytest.mark.usefixtures("traps")
def test_hints_after_proving_are_about_the_proof(tmp_path: Path) -> None:
    home = tmp_path / "exercises"
    shown = proved(work(home, MINE, TESTS), "ex05")
    assert "`hint()` says why" in repr(shown)

    first, again = repr(hint()), repr(hint())

    assert "1 of 3" in first
    assert "It stays unseen as long as" in " ".join(first.split())
    assert again.startswith(first)
    assert "2 of 3" in again
    proved(work(home, MINE, BODY, OVERSPECIFIED[len(HEAD) :]), "ex05")
    assert repr(hint()) == "a test refuses a right answer: mend it first; `prove` says which"
