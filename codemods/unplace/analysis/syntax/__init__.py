"""What the text of one scope says by itself: names, classes, imports, order of evaluation, control flow, liveness.

Nothing here knows of values: `x` is a name, not a tensor.
"""
