"""What others have written, without anything that an editor, a browser or a terminal would obey."""


def plain(text: str) -> str:
    """The same text; what cannot be seen is a blank, and lines stay lines."""
    lines = text.replace("\r\n", "\n").expandtabs(4)
    return "".join(each if each.isprintable() or each == "\n" else " " for each in lines)
