"""What `rewrite --functional` writes: expressions that make a new tensor, in the place of stores into clones.

A store through a chain of views becomes nested `*_scatter` calls, one for each view, around the new value of the part.
"""
