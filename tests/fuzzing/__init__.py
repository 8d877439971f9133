"""What must hold for any file at all, whatever is in it."""
