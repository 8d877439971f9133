"""The abstract domain: values, objects, access paths, and the state that holds at one point of a program.

Joins, aging and views are defined here; no statement is walked here.
"""
