"""What maintainers run: gates and mutants."""
