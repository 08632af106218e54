"""Shapes in the letters of the contract: `(1, 3)` is `(T, Dv)` where this call has such a T and Dv.

The words of the contract are parsed. A shape stays without letters unless all of its letters have
exactly one size in this call, and these sizes are the expected ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kata.course.contract import Item, Sections, sections_of
from kata.course.curriculum import exercises
from kata.judging.case import Call, Case, current

Sizes = dict[str, Any]  # by letter; that of `...` is a tuple
SHAPE = re.compile(r"\(((?:\.\.\.|\w+)(?:, \w+)*),?\)")
AT_THE_START = re.compile(rf"(?:\w+ )?{SHAPE.pattern}")  # `bool (T, S)`
LETTER = re.compile(r"([A-Z]\w?)\b")
FACTORED = re.compile(r"\b([A-Z]\w?)\s=\s([A-Z]\w?)·([A-Z]\w?)\b")  # E = H·D
DIVIDED = re.compile(r"\b([A-Z]\w?)\s=\s([A-Z]\w?)\s/\s([A-Z]\w?)\b")  # D = E / H
MODULE = re.compile(r"((\w+)\([^()]*\))(?:\.eval\(\))?")  # a whole module, not a part
REST = "..."


def in_letters(got: Any, expected: Sequence[int]) -> str:
    """Return ` = (T, Dv)`, if the contract says that of this result; else nothing."""
    case = current()
    pair = _call_of(case, got)
    if not pair or case.slug not in exercises():
        return ""
    call, place = pair
    contract = sections_of(exercises()[case.slug])
    item = _promised(contract.get(_name(call), {}), place)
    text = item.text if item else ""
    sizes = _sizes(case, call, contract, text)
    for shape in SHAPE.finditer(text):
        if sizes and _filled_in(shape[1], sizes) == tuple(expected):
            letters = shape[0].replace(f"{REST}, ", "") if sizes.get(REST) == () else shape[0]
            return f" = {letters}"
    return ""


def _call_of(case: Case, got: Any) -> tuple[Call, int | None] | None:
    """Return the call that returned a value, and the place of the value among several."""
    for call in reversed(case.events):
        if call.outcome is got:
            return call, None
        if isinstance(call.outcome, tuple):
            places = [at for at, value in enumerate(call.outcome) if value is got]
            if places:
                return call, places[0]
    return None


def _name(call: Call) -> str:
    module = MODULE.fullmatch(call.label)
    return f"{module[2]}.forward" if module else call.label


def _promised(sections: Sections, place: int | None) -> Item | None:
    """Return the entry of the contract about the result, or about one of several."""
    returned = sections.get("Returns", ())
    names = [(item, name) for item in returned for name in item.names]
    if place is not None and names:
        return names[place][0] if place < len(names) else None
    return returned[0] if len(returned) == 1 else None


def _sizes(case: Case, call: Call, contract: Mapping[str, Sections], promised: str) -> Sizes | None:
    """Return the size of every letter in this call; None if a letter would have two."""
    sizes: Sizes = {}
    texts = [promised]
    for section, name, value in _arguments(case, call, contract):
        for item in contract.get(section, {}).get("Args", ()):
            texts.append(item.text)
            if name in item.names and not _agree(sizes, _sizes_in(name, item.text, value)):
                return None
    return _derived(sizes, " ".join(texts))


def _arguments(
    case: Case, call: Call, contract: Mapping[str, Sections]
) -> Iterator[tuple[str, str, Any]]:
    """Yield every argument of the call, and of the constructor of its module."""
    if module := MODULE.fullmatch(call.label):
        constructors = (event for event in case.events if event.label == module[2])
        for event in (event for event in constructors if repr(event.outcome) == module[1]):
            for name, value in zip(event.names, event.before, strict=False):
                yield module[2], name, value
    section = _name(call)
    if section in contract:
        for name, value in zip(call.names, call.before, strict=False):
            yield section, name, value


def _sizes_in(name: str, text: str, value: Any) -> Sizes:
    """Return the sizes that one argument tells: a number is a letter, an array has a shape."""
    if isinstance(value, int) and not isinstance(value, bool):
        letter = LETTER.match(text)
        return {name: value, **({letter[1]: value} if letter else {})}
    shape = AT_THE_START.match(text)
    return _matched(shape[1], tuple(value.shape)) if shape and hasattr(value, "shape") else {}


def _matched(written: str, shape: tuple[int, ...]) -> Sizes:
    """Match `..., T, D` and (2, 5, 4): the last two are T and D, and those before are the rest."""
    letters = written.split(", ")
    sizes: Sizes = {}
    if letters[0] == REST:
        letters = letters[1:]
        sizes[REST] = shape[: len(shape) - len(letters)]
        shape = shape[len(shape) - len(letters) :]
    if len(letters) != len(shape):
        return {}
    for word, size in zip(letters, shape, strict=True):
        times, letter = _parts(word)
        sizes[letter] = size // times
    return sizes


def _agree(sizes: Sizes, more: Sizes) -> bool:
    """Take over more sizes; return False if one of them contradicts an earlier one."""
    agree = all(sizes.get(letter, size) == size for letter, size in more.items())
    sizes |= more
    return agree


def _derived(sizes: Sizes, text: str) -> Sizes:
    """Add the letters that follow from others."""
    for whole, first, second in FACTORED.findall(text):
        if first in sizes and second in sizes:
            sizes.setdefault(whole, sizes[first] * sizes[second])
    for part, whole, count in DIVIDED.findall(text):
        if sizes.get(count) and whole in sizes:
            sizes.setdefault(part, sizes[whole] // sizes[count])
    return sizes


def _filled_in(written: str, sizes: Sizes) -> tuple[int, ...] | None:
    """Return the shape with sizes for letters; None if a letter has no size."""
    shape: list[int] = []
    for word in written.split(", "):
        times, letter = _parts(word)
        if letter and letter not in sizes:
            return None
        if letter == REST:
            shape += sizes[letter]
        else:
            shape.append(times * (sizes[letter] if letter else 1))
    return tuple(shape)


def _parts(word: str) -> tuple[int, str]:
    """Split `3E` into 3 and E."""
    letter = word.lstrip("0123456789")
    return int(word.removesuffix(letter) or 1), letter
