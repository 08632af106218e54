"""Hunts in a notebook: questions that wait for an answer, and cells to be mended."""
