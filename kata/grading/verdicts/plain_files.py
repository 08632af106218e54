"""Which files may be judged by script, in one worker with others of the same student."""

import ast


def is_plain(tree: ast.Module) -> bool:  # noqa: ARG001  # no rule is known yet
    """Whether no call of what a file defines can depend on another call."""
    return False
