"""All handouts on letter paper, which is shorter: what fits on A4 may not fit there."""

from pathlib import Path

from tests.system.test_handout_pdfs import ALL, PAPERS, assert_single_pages, handouts


def test_all_handouts_fit_on_letter_paper(tmp_path: Path) -> None:
    assert_single_pages(handouts(tmp_path, "--paper", "letter"), ALL, PAPERS["letter"])
