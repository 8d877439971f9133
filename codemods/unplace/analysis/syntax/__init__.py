"""The syntax of one scope: names, classes, imports, evaluation order, control flow and liveness.

Nothing here knows of values: `x` is a name, not a tensor.
"""
