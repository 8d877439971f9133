"""Serves editors in the terms of the Language Server Protocol."""
