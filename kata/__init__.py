"""The machinery of the attention kata.

PYTEST_DONT_REWRITE: pytest would warn wherever this was imported before it, as in a notebook.
"""
