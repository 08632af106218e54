"""Slides for the leader: each exercise's figure, a question, a mistake and its answer."""
