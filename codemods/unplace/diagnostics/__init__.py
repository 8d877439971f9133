"""Defines findings and reasons: the results of a run, one finding per in-place operation, as data.

`catalogue` has every sentence; English is made of it where something is shown. Every other room may make findings or
show them; they know of none.
"""
