"""Whose work is whose: exports of learning platforms, folders, zips and tars, as data."""
