"""The commands of `python -m kata`, one to a module."""
