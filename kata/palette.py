"""The colours of the handouts, the site and all maps, for Python, Typst and the stylesheet.

Colour-blind readers can tell them apart, and none of them is ever the only cue.
"""

from dataclasses import dataclass

INK = "#1d2433"
MUTED = "#667085"
HAIR = "#d5dae3"
PAPER = "#f6f7fa"
WHITE = "#ffffff"


@dataclass(frozen=True)
class Hue:
    """One colour: dark for lines and letters, light for the area behind them."""

    dark: str
    light: str


BLUE = Hue("#1f5fa8", "#dce9f8")
ORANGE = Hue("#b4610a", "#fde8cf")
GREEN = Hue("#1b7f6b", "#d5efe8")
VIOLET = Hue("#6b4fa0", "#e7e0f4")
HUES = (BLUE, ORANGE, GREEN, VIOLET)

# Heat maps: the colours of numbers, of differences, and of four places. The first are for white
# paper; the second, half-way between light and dark, for a page of either kind.
MAP = ("#1f5896", "#c45410", BLUE.dark, "#d9822b", GREEN.dark, "#7b5fb0")
MAP_ANYWHERE = ("#3f86d8", "#d9681f", "#3f86d8", "#d9822b", "#2a9d84", "#9377cf")
# Maps and curves in a notebook, in which the letters may be black or white.
CURVES = ("#4a90d9", "#d9822b", "#2f9e83", "#8f73c9")

# The site where the reader's system is light; small letters are darker than on paper.
LIGHT = {
    "ink": INK, "muted": "#5b6475", "hair": HAIR, "paper": "#fff", "shade": PAPER,
    "blue": BLUE.dark, "blue_paper": BLUE.light, "orange": "#a3560a", "orange_paper": ORANGE.light,
    "green": "#17705e", "green_paper": GREEN.light, "third": MAP[4], "fourth": MAP[5],
}  # fmt: skip
# The same where it is dark.
DARK = {
    "ink": "#e6e9f0", "muted": "#a3acbd", "hair": "#343c4d", "paper": "#12161f", "shade": "#1a202c",
    "blue": "#86b6ee", "blue_paper": "#1c3350", "orange": "#f0ab62", "orange_paper": "#45290c",
    "green": "#79cdb9", "green_paper": "#123d34",
    "cell": "#6a9bd8", "gap": "#c98a45", "third": "#3fae95", "fourth": "#a48add",
}  # fmt: skip

# Curves: the colour of an axis, and two that are bright enough for a dark ground.
AXIS = "#98a1b2"
BRIGHT_BLUE, BRIGHT_ORANGE = "#7db4f5", "#f0a04b"
