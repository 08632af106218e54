"""Shapes in the letters of the contract: `(1, 3)` is `(T, Dv)` where this call has such a T and Dv.

The contract's own words are parsed, and nothing is said unless every letter of the shape has one
size in this call, and these sizes are what was expected.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kata.course.contract import Item, Sections, sections_of
from kata.course.curriculum import exercises
from kata.judging.case import Call, Case, current

Sizes = dict[str, Any]  # of each letter; of `...` a tuple
SHAPE = re.compile(r"\(((?:\.\.\.|\w+)(?:, \w+)*),?\)")
AT_THE_START = re.compile(rf"(?:\w+ )?{SHAPE.pattern}")  # `bool (T, S)`
LETTER = re.compile(r"([A-Z]\w?)\b")
FACTORED = re.compile(r"\b([A-Z]\w?)\s=\s([A-Z]\w?)·([A-Z]\w?)\b")  # E = H·D
DIVIDED = re.compile(r"\b([A-Z]\w?)\s=\s([A-Z]\w?)\s/\s([A-Z]\w?)\b")  # D = E / H
MODULE = re.compile(r"((\w+)\([^()]*\))(?:\.eval\(\))?")  # no part of one
REST = "..."


def in_letters(got: Any, expected: Sequence[int]) -> str:
    """` = (T, Dv)`, if the contract says that of what came back; else nothing."""
    case = current()
    pair = _call_of(case, got)
    if not pair or case.slug not in exercises():
        return ""
    call, place = pair
    contract = sections_of(exercises()[case.slug])
    promised = _promised(contract.get(_name(call), {}), place)
    text = promised.text if promised else ""
    sizes = _sizes(case, call, contract, text)
    for shape in SHAPE.finditer(text):
        if sizes and _filled_in(shape[1], sizes) == tuple(expected):
            nothing_before = sizes.get(REST) == ()
            shown = shape[0].replace(f"{REST}, ", "") if nothing_before else shape[0]
            return f" = {shown}"
    return ""


def _call_of(case: Case, got: Any) -> tuple[Call, int | None] | None:
    """The call that returned it, and its place in what was returned."""
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


def _promised(contract: Sections, place: int | None) -> Item | None:
    """What the contract says of the result, or of one of several."""
    returned = contract.get("Returns", ())
    if place is None:
        return returned[0] if len(returned) == 1 else None
    named = [(item, name) for item in returned for name in item.names]
    if named:
        return named[place][0] if place < len(named) else None
    return returned[0] if len(returned) == 1 else None


def _sizes(case: Case, call: Call, contract: Mapping[str, Sections], promised: str) -> Sizes | None:
    """The size of every letter in this call; nothing, if one would have two."""
    sizes: Sizes = {}
    texts = [promised]
    for section, name, value in _given(case, call, contract):
        for item in contract.get(section, {}).get("Args", ()):
            texts.append(item.text)
            if name in item.names and not _agree(sizes, _of(name, item.text, value)):
                return None
    return _derived(sizes, " ".join(texts))


def _given(
    case: Case, call: Call, contract: Mapping[str, Sections]
) -> Iterator[tuple[str, str, Any]]:
    """Every argument of the call, and of the constructor of its module."""
    if module := MODULE.fullmatch(call.label):
        made = (event for event in case.events if event.label == module[2])
        for each in (each for each in made if repr(each.outcome) == module[1]):
            pairs = zip(each.names, each.before, strict=False)
            yield from ((module[2], *pair) for pair in pairs)
    name = _name(call)
    if name in contract:
        pairs = zip(call.names, call.before, strict=False)
        yield from ((name, *pair) for pair in pairs)


def _of(name: str, text: str, value: Any) -> Sizes:
    """What one argument says: a number is a letter, an array has a shape."""
    if isinstance(value, int) and not isinstance(value, bool):
        letter = LETTER.match(text)
        return {name: value, **({letter[1]: value} if letter else {})}
    shape = AT_THE_START.match(text)
    return _matched(shape[1], tuple(value.shape)) if shape and hasattr(value, "shape") else {}


def _matched(written: str, shape: tuple[int, ...]) -> Sizes:
    """`..., T, D` and (2, 5, 4): the last two are T and D, and what is before is the rest."""
    letters = written.split(", ")
    rest = {}
    if letters[0] == REST:
        letters = letters[1:]
        rest = {REST: shape[: len(shape) - len(letters)]}
        shape = shape[len(shape) - len(letters) :]
    if len(letters) != len(shape):
        return {}
    return rest | dict(_each(*pair) for pair in zip(letters, shape, strict=True))


def _each(written: str, size: int) -> tuple[str, int]:
    """E and its size, of `E` or of `3E`."""
    times, letter = _parts(written)
    return letter, size // times


def _agree(sizes: Sizes, more: Sizes) -> bool:
    """Take over more sizes, unless one is known to be different."""
    known = all(sizes.get(letter, size) == size for letter, size in more.items())
    sizes |= more
    return known


def _derived(sizes: Sizes, text: str) -> Sizes:
    """With the letters that follow from others."""
    for whole, one, other in FACTORED.findall(text):
        if one in sizes and other in sizes:
            sizes.setdefault(whole, sizes[one] * sizes[other])
    for part, whole, other in DIVIDED.findall(text):
        if sizes.get(other) and whole in sizes:
            sizes.setdefault(part, sizes[whole] // sizes[other])
    return sizes


def _filled_in(written: str, sizes: Sizes) -> tuple[int, ...] | None:
    """The shape with sizes for letters; nothing, if one is not known."""
    filled: list[int] = []
    for word in written.split(", "):
        times, letter = _parts(word)
        if letter and letter not in sizes:
            return None
        if letter == REST:
            filled += sizes[letter]
        else:
            filled.append(times * (sizes[letter] if letter else 1))
    return tuple(filled)


def _parts(written: str) -> tuple[int, str]:
    """3 and E of `3E`."""
    letter = written.lstrip("0123456789")
    return int(written.removesuffix(letter) or 1), letter
