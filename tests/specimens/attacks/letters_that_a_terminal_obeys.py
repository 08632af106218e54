"""Against "reports are safe to read": escapes, bidirectional marks and markup, printed and raised."""

TEXT = "\x1b[2J\x1b]0;owned\x07\u202egrader\u202c\x00\x08\r<script>alert(1)</script>\ud800=cmd()|' "


def softmax(scores, axis=-1):
    print(TEXT)
    raise RuntimeError(TEXT)
