"""Queries on a finished run: the observers of a write, the writes that torch forbids, the purpose of an operation.

They read the facts that the interpreter recorded and change nothing.
"""
