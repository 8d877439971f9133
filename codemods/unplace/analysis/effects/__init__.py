"""What a call does: to its arguments, its result, and to what autograd keeps for backward.

Torch's own operators and layers, and summaries of the functions of the run.
"""
