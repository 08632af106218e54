"""Commands for workshops: a live room, for its leader and for those who join it."""
