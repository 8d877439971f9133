"""The modules of a project: what one file tells about another, the callers of functions, the targets of imports.

`Program` is the analysis of one module, with the runs over its functions; `Project` knows all files of the run.
"""
