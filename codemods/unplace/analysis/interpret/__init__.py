"""The abstract interpreter: it walks statements and expressions in the order of execution and records writes.

One `Run` is one walk over one scope.
"""
