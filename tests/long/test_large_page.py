"""The class report on ten thousand students in a real browser."""

from dataclasses import replace
from itertools import cycle

import pytest
from playwright.sync_api import Page

from kata.class_verdict import ClassVerdict
from kata.course.curriculum import exercises
from tests.helpers.browser import visit
from tests.helpers.odd_class import names as odd_names
from tests.helpers.odd_class import odd_class
from tests.system.test_page_browser import ROWS, names, written

pytest_plugins = ["tests.helpers.browser"]

MOST_ELEMENTS = 3_200 * len(exercises())


def repeated(count: int) -> ClassVerdict:
    """The work of the odd class, handed in by so many: to make as much anew takes long."""
    found = odd_class()
    known = [*found.submissions()]

    def submissions():
        for name, each in zip(odd_names(count), cycle(known), strict=False):
            yield replace(each, student=name)

    return replace(found, submissions=submissions)


def test_of_ten_thousand_only_those_on_the_first_page_are_laid_out(
    page: Page, tmp_path_factory: pytest.TempPathFactory
) -> None:
    visit(page, written(tmp_path_factory, repeated(10_000)))

    assert len(names(page)) == ROWS
    assert page.evaluate("document.querySelectorAll('*').length") < MOST_ELEMENTS
