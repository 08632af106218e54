"""Verdicts as text and pictures."""
