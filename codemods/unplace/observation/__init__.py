"""The facts that a run of a program shows about its in-place operations.

`launching` runs the program; in its processes, `child` has the project's modules imported instrumented (`importing`,
`instrument`), and the `recorder` counts; `facts` and their `keys` are what remains, for the analysis of the same files.
"""
