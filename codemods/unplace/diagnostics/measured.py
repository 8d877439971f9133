"""Counts where the assumptions of rewrites held; written by `scripts/measure_assumptions.py`."""

PACKAGES = 0
"""The number of packages that were run."""

PLACES: dict[str, tuple[int, int]] = {}
"""By assumption, the places that runs settled, and those of them where it was violated."""
