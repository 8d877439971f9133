"""Kinds and dtypes: what annotations, uses and callers say, and where a value has its kind from.

Evidence is graded: a proof, or a likely guess.
"""
