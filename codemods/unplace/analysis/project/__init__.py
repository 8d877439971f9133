"""The modules of a run: what one file says of another, who calls a function, what an imported name means.

`Program` is one module with the runs over its functions; `Project` knows the files.
"""
