"""Make docs/losses.svg: how many wrong answers train as well as the right one."""

from pathlib import Path

from kata.handouts.site.pictures import picture

PICTURE = Path(__file__).with_name("losses.svg")

if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
