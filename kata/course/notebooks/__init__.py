"""What a notebook holds of an exercise, as the text of a file; nothing of it is run."""
