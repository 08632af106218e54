"""Whose work is whose: exports, folders, zips and tars."""
