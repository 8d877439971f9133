"""Migration of many repositories: the steps in each, on one machine or several, and the folder that lets a run go on.

`targets` finds the repositories, `dispatch` hands them out, `repository` migrates one, `run_state` has the progress.
"""
