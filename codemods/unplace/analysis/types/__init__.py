"""Kinds and dtypes: what annotations, uses and callers tell of them, and where the kind of a value comes from.

Evidence is graded: it is a proof, or it is a hint that makes a kind likely. `inference` solves the `constraints` of a
scope, a `system` of variables with `relations` between their kinds.
"""
