"""The addresses of the site and of its source, which only its publisher can say."""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True)
class Address:
    """Two absolute addresses; without them, pages say less.

    Attributes:
        site: where the site begins, such as https://example.org/attention.
        repository: the web page of the source.
    """

    site: str = ""
    repository: str = ""

    def of(self, path: str) -> str:
        """The address of a file of the site; "" if nobody knows where it will be."""
        return f"{self.site.rstrip('/')}/{quote(path)}" if self.site else ""
