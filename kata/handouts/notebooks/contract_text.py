"""A contract as Markdown: the signature as a heading, the sections as lists."""

import re
from collections.abc import Iterable, Iterator

from kata.course.docstrings import Item
from kata.handouts.contracts import Contract
from kata.markup import CODE, pieces

SPECIAL = re.compile(r"([*<>\[\]|])")


def contract_text(contracts: Iterable[Contract]) -> str:
    """The contract of a function, or those of a class and its methods."""
    return "\n\n".join(part for contract in contracts for part in _parts(contract))


def escaped(text: str) -> str:
    """The text with code as it is, and nothing else that Markdown would take for markup."""
    return "".join(
        f"`{part}`" if kind == CODE else SPECIAL.sub(r"\\\1", part) for kind, part in pieces(text)
    )


def _parts(contract: Contract) -> Iterator[str]:
    method = "." in contract.name
    yield f"{'####' if method else '###'} `{contract.signature}`"
    yield escaped(contract.summary)
    yield from map(escaped, contract.prose)
    for name, items in contract.sections.items():
        yield f"**{name}**"
        yield "\n".join(_entry(item) for item in items)


def _entry(item: Item) -> str:
    names = ", ".join(f"`{name}`" for name in item.names)
    text = escaped(item.text)
    return f"- {names}: {text}" if names else f"- {text}"
