"""Files on a disk: which ones a run is about, what Git says of them, and writing them whole or not at all.

Nothing here reads Python.
"""
