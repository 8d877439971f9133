"""Runs a program before and after a rewrite through torch and compares outputs, side effects and gradients.

Only here and in `diagnosis` is torch imported.
"""
