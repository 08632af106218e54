"""Right answers on random inputs: what a contract promises, drawn anew, against the reference."""
