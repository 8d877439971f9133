"""The abstract domain: values, objects, access paths, and the state that holds at one point of a program.

It defines joins, aging and views, but walks no statements.
"""
