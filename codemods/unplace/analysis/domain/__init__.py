"""The abstract domain: values, objects and what they refer to, and the state that holds at one point of a program.

Joins, aging and views are defined here; no statement is walked here.
"""
