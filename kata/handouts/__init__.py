"""Sheets, instructor's book, cheat sheet, poster and web site, and the figures that they share."""
