"""Which known mistake gives exactly what was seen."""
