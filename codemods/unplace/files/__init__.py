"""Files on disk: which ones a run is about, what Git knows of them, and how they are written, whole or not at all.

Nothing here reads Python.
"""
