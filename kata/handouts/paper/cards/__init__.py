"""The cards of the poster: for each mistake its line, what it does to numbers, and one sentence."""
