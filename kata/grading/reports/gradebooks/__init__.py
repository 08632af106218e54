"""A platform's own gradebook, filled in."""
