"""Feedback as a zip that a learning platform takes back."""
