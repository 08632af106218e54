"""Whose work it is, where the instructor says it and not the names."""
