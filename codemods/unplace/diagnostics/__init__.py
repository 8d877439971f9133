"""Findings: the words and data in which the tool reports, one finding per in-place operation.

Every other room may make them or show them; they know of none.
"""
