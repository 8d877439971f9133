"""Questions asked of a finished run: who sees a write, what torch forbids, what an operation is there for.

They read what the interpreter recorded and change nothing.
"""
