"""The grader on a learning platform: what to upload, and what runs there for each submission."""
