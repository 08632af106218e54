"""The addresses of the site and of its source, and the heads of pages, for search engines."""

from dataclasses import dataclass
from textwrap import shorten
from urllib.parse import quote

from kata.handouts.paper.typesetting import capital

LONGEST = 158  # characters of a description that search engines show


@dataclass(frozen=True)
class Address:
    """Two absolute addresses, both optional.

    Attributes:
        site: where the site begins, such as https://example.org/attention.
        repository: the web page of the source.
    """

    site: str = ""
    repository: str = ""

    def of(self, path: str) -> str:
        """The address of a file of the site; "" if the site has none yet."""
        return f"{self.site.rstrip('/')}/{quote(path)}" if self.site else ""


NOWHERE = Address()


@dataclass(frozen=True)
class Head:
    """The head of one page.

    Attributes:
        path: the place of the page in the site.
        title: the words that somebody would search for.
        description: one or two sentences.
        url: its address; "" if the site has none yet.
        preview: the address of its picture; "" if the site has none yet.
    """

    path: str
    title: str
    description: str
    url: str = ""
    preview: str = ""


def head(address: Address, path: str, preview: str, title: str, *sentences: str) -> Head:
    """The head of the page at this path; the description has as many words as fit."""
    plain = " ".join(" ".join(sentences).replace("`", "").split())
    return Head(
        path,
        f"{capital(title).replace('`', '')} · attention in PyTorch, tested",
        shorten(plain, LONGEST, placeholder=" …"),
        address.of(path),
        address.of(preview),
    )
