"""Exhibits that can be touched: choose a wrong line or turn a knob, and its map follows."""

from kata.handouts.site.exhibits.exhibit import exhibit_of, exhibits
from kata.handouts.site.exhibits.pages import embedded, files

__all__ = ["embedded", "exhibit_of", "exhibits", "files"]
