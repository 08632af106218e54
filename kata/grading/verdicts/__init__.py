"""The verdict on one submission, exercise by exercise and proof by proof."""
