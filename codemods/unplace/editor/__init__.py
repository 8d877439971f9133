"""What editors ask for, in the words of the Language Server Protocol."""
