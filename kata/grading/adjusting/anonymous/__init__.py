"""Codes in the place of names, in everything that is written."""
