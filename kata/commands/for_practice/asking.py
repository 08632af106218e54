"""A question in a terminal, or in a pipe, that can be left at any time."""

import sys
from collections.abc import Sequence

LEAVE = {"q", "quit", "exit"}


def ask(prompt: str, answers: Sequence[str]) -> str:
    """Ask until one of these answers is typed; "" if the reader leaves."""
    while True:
        print(prompt, end="", flush=True)
        typed = sys.stdin.readline()
        if not sys.stdin.isatty():
            print()  # what is typed into a terminal ends its line there
        answer = typed.strip().lower()
        if not typed or answer in LEAVE:
            return ""
        if answer in answers:
            return answer
        print(no_answer(answers))


def no_answer(answers: Sequence[str]) -> str:
    """The sentence for what is none of these answers."""
    return f"an answer is one of {', '.join(answers)}"
