"""Handles source text: bytes and text, positions, edits, parsed trees, and the check that an edit changed nothing else.

Nothing here knows of tensors, of files on a disk, or of other rooms.
"""
