"""Effects: what a call does to its arguments and its result, and what autograd saves for backward.

This covers torch's operators and layers, models of other libraries, and summaries of the analysed functions.
"""
