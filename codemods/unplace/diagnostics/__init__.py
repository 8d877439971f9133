"""Defines findings and reasons: the results of a run, one finding per in-place operation, as data.

`catalogue` and `refusals` hold every sentence; a reason becomes English only where it is shown. Any other room may
make or show findings; this room depends on none of them.
"""
