"""The cheat sheet: shapes, mask conventions side by side, and the mistakes seen most often."""

import tomllib
from typing import Any

from kata.course.curriculum import exercises
from kata.handouts.examples import TEXTS, ExampleError, Names, namespace, shown
from kata.handouts.marked import capital, marked
from kata.handouts.mistakes import Common, most_common
from kata.handouts.paper.typesetting import Data, pdf

COUNT = 20  # mistakes on the second page
# The solutions whose names the code of the sheet may use.
SOURCES = ("ex05_causal_masks", "ex07_heads", "ex09_multi_head_attention", "ex10_fused_qkv",
           "ex12_layer_norm", "ex13_feed_forward", "ex17_builtin_attention")  # fmt: skip


def cheatsheet(paper: str) -> bytes:
    """The PDF, two pages."""
    return pdf("cheatsheet.typ", data(), paper)


def data() -> Data:
    """The contents of both pages."""
    table = tomllib.loads((TEXTS / "cheatsheet.toml").read_text(encoding="utf-8"))
    return {
        "shapes": _shapes(table["shapes"]),
        "masks": _masks(table["masks"]),
        "mistakes": [_mistake(each) for each in most_common(COUNT, exercises().values())],
    }


def _shapes(table: dict[str, Any]) -> Data:
    """The letters, and each tensor with its shape in letters and in numbers."""
    names = _run(table["setup"])
    parts = ("steps", "parameters", "masks")
    letters = [[letter, marked(text), str(names.get(letter, names["E"] // names["H"]))]
               for letter, text in table["letters"]]  # fmt: skip
    return {"letters": letters,
            **{part: [_shape(row, names) for row in table[part]] for part in parts}}  # fmt: skip


def _shape(row: list[str], names: Names) -> list[Any]:
    text, letters, code = row
    return [marked(text), letters, shown(tuple(eval(code, names).shape))]


def _masks(table: dict[str, Any]) -> list[Data]:
    """A causal mask of size 3 in each convention; an error if they do not mean the same."""
    names = _run(table["setup"])
    return [_convention(each, names) for each in table["convention"]]


def _convention(each: dict[str, str], names: Names) -> Data:
    import torch

    mask = eval(each["made"], names)
    nothing = eval(each["made"], {**names, "allowed": names["allowed"] & False})
    expected = eval("masked_attention(x, x, x, allowed)[0]", names)
    if not torch.allclose(_used(each, names, mask), expected, atol=1e-6):
        raise ExampleError(each["name"])
    return {
        "name": each["name"],
        "dtype": str(mask.dtype).removeprefix("torch."),
        "may": _entry(mask[0, 0]),
        "hidden": _entry(mask[0, 1]),
        "causal": [[_entry(value) for value in row] for row in mask],
        "made": each["made"],
        "used": each["shown"],
        "empty": shown(_used(each, names, nothing)[0, 0]),
    }


def _used(each: dict[str, str], names: Names, mask: Any) -> Any:
    return eval(each["used"], {**names, "mask": mask}).detach()


def _entry(value: Any) -> str:
    return shown(value.item()).replace("-inf", "−∞")


def _run(setup: str) -> Names:
    """The names defined by this code, and those of the solutions."""
    names = namespace(*(exercises()[slug] for slug in SOURCES))
    exec(setup, names)
    return names


def _mistake(common: Common) -> Data:
    bug = common.bug
    return {
        "symptom": marked(bug.symptom),
        "cause": marked(capital(bug.title)),
        "why": marked(bug.why),
        "short": common.exercise.short,
        "seen": len(common.seen_in),
    }
