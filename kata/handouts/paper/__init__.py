"""Sheets, book, cheat sheet and poster."""
