"""The verdict on one submission, exercise by exercise."""
