"""Which file counts for each exercise in one folder or archive, and notes for the instructor."""
