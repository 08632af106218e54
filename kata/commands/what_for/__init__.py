"""Commands that show what the pieces are for."""
