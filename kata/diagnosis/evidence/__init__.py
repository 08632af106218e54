"""What a failing claim says by itself, without any known mistake."""
