"""One student's work, packed in the ways in which people hand it in."""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random

from kata.course.curriculum import exercises

Work = Mapping[str, str]  # the text of each exercise
Files = dict[str, bytes]
SIBLING = re.compile(r"^from \.(ex\w+) import ", re.MULTILINE)
OWN_LINE = re.compile(r"^from \.(ex\w+) import .*\n", re.MULTILINE)
PLOTS = "import matplotlib.pyplot as plt\n%matplotlib inline\n", "\n# In[3]:\nplt.show()\n"
OWN_NAMES = {"ex01": "stable", "ex04": "attend", "ex05": "masks", "ex07": "heads"}


def files(texts: Work) -> Files:
    return {f"{slug}.py": text.encode() for slug, text in texts.items()}


def with_imports(line: str) -> Callable[[Work], Files]:
    """A file for each exercise, which imports others by such a line."""
    return lambda texts: files({slug: SIBLING.sub(line, text) for slug, text in texts.items()})


def with_plots(texts: Work) -> Files:
    """As notebooks that were exported to files."""
    return files({slug: f"{PLOTS[0]}{text}{PLOTS[1]}" for slug, text in texts.items()})


def one_file(texts: Work) -> Files:
    return {"homework.py": "\n\n".join(alone(texts)).encode()}


def notebook(texts: Work) -> Files:
    return {"homework.ipynb": in_cells(alone(texts))}


def own_names(texts: Work) -> Files:
    """`masks.py`, and `from masks import causal_mask`."""
    named = {slug: OWN_NAMES.get(short(slug), f"my_{short(slug)}_") for slug in texts}

    def line(found: re.Match[str]) -> str:
        return f"from {named.get(found[1], found[1])} import "

    return {f"{named[slug]}.py": SIBLING.sub(line, text).encode() for slug, text in texts.items()}


def with_a_helper(texts: Work) -> Files:
    """Every function stands in a module of its own, which the exercise's file imports."""
    found: Files = {"lib/__init__.py": b""}
    for slug, text in texts.items():
        names = re.findall(r"^(?:def|class) (\w+)", text, re.MULTILINE)
        found[f"lib/of_{short(slug)}_.py"] = text.encode()
        found[f"{slug}.py"] = f"from lib.of_{short(slug)}_ import {', '.join(names)}\n".encode()
    return found


def swapped(texts: Work) -> Files:
    """Each in a file that is named after another exercise."""
    slugs = [*texts]
    return {f"{other}.py": SIBLING.sub(r"from exercises.\1 import ", texts[slug]).encode()
            for slug, other in zip(slugs, [*slugs[1:], slugs[0]], strict=True)}  # fmt: skip


def versions(texts: Work) -> Files:
    """A zip with other work, and a later one."""
    older = {f"{slug}.py": text.replace("return", "return 2 *", 1).encode()
             for slug, text in texts.items()}  # fmt: skip
    return {"hw_v1.zip": zipped(older), "hw_v2.zip": zipped(files(texts))}


PACKINGS: dict[str, Callable[[Work], Files]] = {
    "files": files,
    "files that import from exercises": with_imports(r"from exercises.\1 import "),
    "files that import by name": with_imports(r"from \1 import "),
    "files with plots": with_plots,
    "files with own names": own_names,
    "files with helpers": with_a_helper,
    "swapped files": swapped,
    "one file": one_file,
    "a notebook": notebook,
    "two versions": versions,
}


def drawn(texts: Work, rng: Random) -> Files:
    """Packed at random: in groups, with any names, imports, encodings, folders and archives."""
    groups = _groups([*texts], rng)
    names = [_name(group, number, rng) for number, group in enumerate(groups)]
    homes = {slug: name for name, group in zip(names, groups, strict=True) for slug in group}
    found: Files = {}
    for group in groups:
        name = homes[group[0]]
        parts = [_linked(texts[slug], {*group}, homes, rng) for slug in group]
        if name.endswith(".ipynb"):
            found[name] = in_cells(parts)
        else:
            head, end = PLOTS if rng.random() < 0.3 else ("", "")
            text = "\n\n".join([head, *parts, end]).replace("\n", rng.choice(["\n", "\r\n"]))
            found[name] = text.encode(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"]))
    found = _with_constants(found, rng)
    folder = rng.choice(["", "homework/", "Week 3/answers/"])
    found = {f"{folder}{name}": content for name, content in found.items()}
    return rng.choice([_as_is, _as_zip, _twice])(found)


def _with_constants(found: Files, rng: Random) -> Files:
    """With a helper, of which files take a constant that they and it give different values."""
    if rng.random() < 0.5:
        return found
    ways = ["from utils import half as _h", "from utils import *\n_h = half", "import utils as _h"]
    text = "\nLARGEST = 3\nsoftmax_of = LARGEST\ndef half(x):\n    return x / 2 * LARGEST\n"
    made = {name: content + f"\n{rng.choice(ways)}\nLARGEST = 4\n".encode()
            for name, content in found.items()
            if name.endswith(".py") and content.startswith(b"\"\"\"")}  # fmt: skip
    return found | made | {"utils.py": text.encode()}


def _groups(slugs: list[str], rng: Random) -> list[list[str]]:
    order = rng.sample(slugs, len(slugs))
    cuts = sorted(rng.sample(range(1, len(slugs)), rng.randrange(len(slugs))))
    pairs = zip([0, *cuts], [*cuts, len(slugs)], strict=True)
    return [sorted(order[first:last]) for first, last in pairs]


def _name(group: list[str], number: int, rng: Random) -> str:
    suffix = rng.choice([".py", ".py", ".ipynb"])
    own = f"part_{'abcdefghij'[number]}{suffix}"
    if len(group) > 1:
        return own
    return rng.choice([own, f"{group[0]}{suffix}", f"{short(group[0])}{suffix}"])


def _linked(text: str, here: set[str], homes: Mapping[str, str], rng: Random) -> str:
    """With imports of what is in other files, in one of the ways in which they can be written."""
    text = OWN_LINE.sub(lambda found: "" if found[1] in here else found[0], text)

    def line(found: re.Match[str]) -> str:
        stem, _, suffix = homes.get(found[1], "").partition(".")
        ways = [f".{found[1]}", f"exercises.{found[1]}", found[1], short(found[1])]
        return f"from {rng.choice([*ways, stem] if suffix == 'py' else ways)} import "

    return SIBLING.sub(line, text)


def _as_is(packed: Files) -> Files:
    return packed


def _as_zip(packed: Files) -> Files:
    return {"homework.zip": zipped(packed)}


def _twice(packed: Files) -> Files:
    return {"hw_v2.zip": zipped(packed), "old/hw_v2.zip": zipped({"ex01.py": b"def softmax(x): 0"})}


def alone(texts: Work) -> list[str]:
    """Without imports of one another, as they stand in one file."""
    return [OWN_LINE.sub("", text) for text in texts.values()]


def in_cells(texts: Iterable[str]) -> bytes:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
              "source": text} for text in texts]  # fmt: skip
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    return json.dumps(book).encode()


def zipped(packed: Files) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in packed.items():
            archive.writestr(name, text)
    return content.getvalue()


def write(folder: Path, packed: Files) -> None:
    for name, content in packed.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def short(slug: str) -> str:
    return exercises()[slug].short
