"""Counts where the assumptions of rewrites held; written by `scripts/measure_assumptions.py`."""

PACKAGES = 12
"""The number of packages that were run."""

PLACES = {
    "caller-looks-away": (23, 7),
    "container-input-unread": (2, 0),
    "flag-optional": (21, 0),
    "function-input-unread": (1, 0),
    "held-alone": (51, 4),
    "input-unread": (47, 1),
    "layer-held-alone": (2, 0),
    "not-kept": (32, 0),
    "not-shared": (5, 0),
    "not-wider": (72, 0),
    "result-held-alone": (145, 0),
    "run-together": (29, 0),
    "tensor": (41, 0),
}
"""By assumption, the places that runs settled, and those of them where it was violated."""
