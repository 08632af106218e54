"""What a file is whose name or encoding is not the one that was asked for."""
