"""Counts where the assumptions of rewrites held; written by `scripts/measure_assumptions.py`."""

PLACES = {
    "caller-looks-away": (32, 13),
    "container-input-unread": (2, 0),
    "flag-optional": (21, 0),
    "function-input-unread": (1, 0),
    "held-alone": (110, 7),
    "input-unread": (47, 1),
    "layer-held-alone": (2, 0),
    "no-list": (101, 0),
    "not-kept": (30, 0),
    "not-shared": (7, 0),
    "not-stored": (2, 0),
    "not-wider": (145, 0),
    "result-held-alone": (161, 0),
    "run-together": (30, 0),
    "tensor": (72, 4),
}
"""By assumption, the places that runs settled, and those of them where it was violated."""
