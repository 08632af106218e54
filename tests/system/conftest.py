"""Long files come first, so that no process is left alone with one at the end."""

import pytest

LONGEST = (
    *("test_wheel", "test_site_browser", "test_platforms", "test_page_browser", "test_cluster"),
    *("test_new_exercise", "test_handout_pdfs", "test_watch_terminal", "test_grader_class"),
    *("test_bubblewrap", "test_attacks", "test_a_teachers_class", "test_exhibits_browser"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    name = item.path.stem
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)
