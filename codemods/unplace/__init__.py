"""Rewrites in-place PyTorch tensor operations that break autograd."""

__version__ = "0.1.0"
