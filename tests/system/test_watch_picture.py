"""docs/watch.svg is what `kata watch` shows today in a real session, and can be read."""

import re
import sys
from itertools import takewhile

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals", allow_module_level=True)

from kata.handouts import readme_pictures
from kata.handouts.readme_pictures import BARS, STILL, TERMINAL_TOP
from kata.handouts.screencast import GROUND, Frame, Line
from tests.kata.handouts.test_readme_pictures import DRAWN, READABLE, contrast

AT_A_TIME = 5  # words in a second: quick readers manage in one turn, others in the next


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    return readme_pictures.frames()


def text(line: Line) -> str:
    return "".join(cell.letter for cell in line.cells)


def test_the_picture_is_what_the_program_shows_today(
    frames: list[Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m kata.handouts.readme_pictures watch.svg` makes it again."""
    monkeypatch.setattr(readme_pictures, "frames", lambda: frames)

    assert readme_pictures.watch() == DRAWN


def test_the_session_is_told_from_the_stub_to_the_repair(frames: list[Frame]) -> None:
    shown = ["\n".join(map(text, frame.lines)) for frame in frames]

    assert len(frames) == 6
    assert 'raise NotImplementedError("ex05 mask_scores' in shown[0]
    assert "$ kata watch --core" in shown[0]
    assert "● not saved" in shown[1]
    assert "the result of masked_fill is dropped" in shown[2]
    assert ">.78<" in shown[2]
    assert "hint 1 of" not in shown[2]
    assert "hint 1 of" in shown[STILL]
    assert "✓ ex05_causal_masks: 73 of 73 claims hold" in shown[5]
    assert all("raise Not" not in each for each in shown[1:])


def test_there_is_time_to_read_the_verdict_the_hint_and_the_end(frames: list[Frame]) -> None:
    for at in (2, 3, 5):
        before = {text(line) for frame in frames[:at] for line in frame.lines}
        told = [line for line in frames[at].lines if line.y > TERMINAL_TOP]
        new = {line for line in told if text(line) not in before}
        words = re.findall(r"[A-Za-z_]{2,}", "\n".join(map(text, new)))
        shown = takewhile(lambda frame, new=new: new <= {*frame.lines}, frames[at:])
        assert len(words) / sum(frame.seconds for frame in shown) <= AT_A_TIME, words


def test_every_letter_stands_out_from_what_is_behind_it(frames: list[Frame]) -> None:
    for line in [line for frame in frames for line in frame.lines]:
        for cell in line.cells:
            if cell.letter.strip():
                assert contrast(cell.ink, cell.ground or GROUND) >= READABLE, line
                assert cell.ground or contrast(cell.ink, BARS) >= READABLE, line
