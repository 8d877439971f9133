"""Runs over files: one or many, in processes, within limits, with results remembered from earlier runs.

A file's bytes go in; findings, new bytes or a problem come out.
"""
