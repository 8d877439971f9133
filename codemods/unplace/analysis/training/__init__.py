"""Training code, executed on abstract objects: what a forward saves of weights, who writes them, who needs them.

Branches aren't joined: a file is executed several times, each time with another way at one of its branches.
"""
