"""The commands of `python -m kata`, a module each."""
