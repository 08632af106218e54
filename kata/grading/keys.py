"""What the verdict on each exercise depends on: as long as its key is the same, it is kept.

A key is a hash of the file, of the student's own files that it may import and whether they are
chosen, of their suites, of the engine, and of whether the packages that it imports are installed.
Points and reports change no key.
"""

import re
import sys
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from unicodedata import normalize

from kata.course.curriculum import earlier, exercises
from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.fingerprint import ground, way
from kata.grading.options import Options
from kata.proved import PROOF

IMPORTS = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w., \t]+)", re.MULTILINE)
NAMES = re.compile(r"[^\W\d]\w*")
ENCODING = re.compile(rb"coding[:=][ \t]*(?!utf-8\b)[-\w.]", re.IGNORECASE)
HEAD = 400  # bytes in which the encoding of a file may be named


class Keys:
    """Keys for everything that these options choose.

    `ground` is the same for all exercises; `ways` are what each of them adds.
    """

    def __init__(self, options: Options) -> None:
        self._slugs = options.slugs
        self._last: tuple[HandedIn | None, dict[str, str]] = (None, {})
        self.ground = ground(options)
        self._before = {slug: {*earlier(each)} for slug, each in exercises().items()}
        self.ways = {slug: way(exercise, self.ground) for slug, exercise in exercises().items()}

    def of(self, handed: HandedIn) -> dict[str, str]:
        """By exercise, and by `proof ` and the exercise; nothing if nothing can be judged."""
        if self._last[0] is not handed:  # the same is asked several times in a row
            self._last = handed, {} if handed.problem else self._all(handed)
        return self._last[1]

    def _all(self, handed: HandedIn) -> dict[str, str]:
        found = {slug: self._key(handed, slug) for slug in self._slugs}
        proven = (slug for slug in self._slugs if slug in handed.proofs)
        return found | {PROOF + slug: self._of_proof(handed, slug) for slug in proven}

    def _key(self, handed: HandedIn, slug: str) -> str:
        total = sha256(f"{slug} {self.ways[slug]}".encode())
        for each in (slug, *sorted(self._stood_on(handed, slug))):
            content = handed.files.get(each, b"")
            total.update(f"\0{each} {self.ways[each]} {each in self._slugs}".encode())
            total.update(f" {each in handed.files} {len(content)}\0".encode() + content)
            total.update(repr(_packages(content)).encode("utf-8", "backslashreplace"))
            total.update(repr(handed.notebooks.get(each)).encode("utf-8", "backslashreplace"))
        return total.hexdigest()[:24]

    def _of_proof(self, handed: HandedIn, slug: str) -> str:
        content = handed.proofs[slug]
        return sha256(f"proof {self.ways[slug]}\0".encode() + content).hexdigest()[:24]

    def _stood_on(self, handed: HandedIn, slug: str) -> set[str]:
        """The student's own exercises that it may import, and those that these may."""
        found: set[str] = set()
        waiting = [slug]
        while waiting:
            content = handed.files.get(waiting.pop(), b"")
            new = (self._before[slug] & _named(content) & handed.files.keys()) - found
            found |= new
            waiting += new
        return found


@lru_cache(maxsize=4096)
def _named(content: bytes) -> frozenset[str]:
    """The exercises that it names: it can import no other."""
    text = _text(content)
    return frozenset(slug for slug in exercises() if not text or slug in text)


def _text(content: bytes) -> str:
    """As Python reads names in it; "" if the file has an encoding of its own."""
    if ENCODING.search(content[:HEAD]):
        return ""
    text = content.decode("utf-8", "replace")
    return text if text.isascii() else normalize("NFKC", text)


@lru_cache(maxsize=4096)
def _packages(content: bytes) -> tuple[tuple[str, bool], ...]:
    """What it imports beyond Python itself, and whether that is installed."""
    words = {name for found in IMPORTS.findall(_text(content)) for name in NAMES.findall(found)}
    return tuple((name, _is_installed(name)) for name in sorted(words - sys.stdlib_module_names))


@cache
def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # of a module that is being run
        return True
