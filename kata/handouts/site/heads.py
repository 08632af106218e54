"""The description of a page for search engines, and for those who are sent its address."""

from dataclasses import dataclass
from textwrap import shorten

from kata.handouts.marked import capital
from kata.handouts.site.address import Address

LONGEST = 158  # characters of a description that search engines show


@dataclass(frozen=True)
class Head:
    """The head of one page.

    Attributes:
        path: of the page in the site.
        title: with what somebody would search for.
        description: one or two sentences.
        url: its address; "" if the site has none yet.
        preview: the address of its picture; "" likewise.
    """

    path: str
    title: str
    description: str
    url: str = ""
    preview: str = ""


def head(address: Address, path: str, preview: str, title: str, *sentences: str) -> Head:
    """The head of the page at this path; the description has as many of the words as fit."""
    plain = " ".join(" ".join(sentences).replace("`", "").split())
    return Head(
        path,
        f"{capital(title).replace('`', '')} · attention in PyTorch, tested",
        shorten(plain, LONGEST, placeholder=" …"),
        address.of(path),
        address.of(preview),
    )
