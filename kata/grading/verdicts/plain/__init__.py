"""What a file may do and still be plain: its code, its memory, the names that it may use."""
