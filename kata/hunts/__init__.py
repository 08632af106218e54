"""Find the mistake: tasks made from the catalogue of wrong answers."""
