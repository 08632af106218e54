"""The class report on ten thousand students in a real browser."""

import pytest
from playwright.sync_api import Page

from tests.helpers.browser import visit
from tests.system.test_page_browser import MOST_ELEMENTS, ROWS, names, repeated, written

pytest_plugins = ["tests.helpers.browser"]


def test_of_ten_thousand_only_those_on_the_first_page_are_laid_out(
    page: Page, tmp_path_factory: pytest.TempPathFactory
) -> None:
    visit(page, written(tmp_path_factory, repeated(10_000)))

    assert len(names(page)) == ROWS
    assert page.evaluate("document.querySelectorAll('*').length") < MOST_ELEMENTS
