"""What a class has in common, counted once for the terminal and for the report."""
