"""`--scale`: what a score is called, in percent of all points: `percent`, or `A 90, B 80, F 0`."""

import re

from kata.errors import UserError
from kata.points import Scale
from kata.text import shown
from kata.words import say

PERCENT = "percent"
STEP = re.compile(r"(?P<name>[^\s:=](?:.*?[^\s:=])?)[\s:=]+(?P<from>\d+(?:[.,]\d+)?)\s*%?")


def scale(text: str) -> Scale:
    """The scale that was written; a UserError says why it is none."""
    if text.strip().casefold() == PERCENT:
        return Scale()
    parts = text.split(";" if ";" in text else ",")
    found = [STEP.fullmatch(each.strip()) for each in parts]
    steps = [(float(each["from"].replace(",", ".")), each["name"]) for each in found if each]
    bounds = {bound for bound, _ in steps}
    if len(bounds) < len(parts) or min(bounds) > 0:
        raise UserError(say("adjusting.no-scale", text=shown(text)))
    return Scale(tuple(sorted(steps, reverse=True)))
