"""Recipes that remove an in-place operation or make it harmless: each module proposes one and writes its edits.

Return-and-rebind, collect-then-stack, rows by index, pieces put together again, copies of what autograd saves.
"""
