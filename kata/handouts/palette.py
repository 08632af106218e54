"""The colours of the handouts: safe for colour-blind readers, and never the only cue."""

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
