"""What the text of one scope says by itself: names and their bindings, classes, imports, flow and liveness.

Nothing here knows of values: `x` is a name, not a tensor.
"""
