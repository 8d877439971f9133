"""Migration of many repositories: the steps in each, on one machine or several, and the folder that lets a run go on.

`targets` finds the repositories, `repository` migrates one, `dispatch` hands them out, `run_state` knows how far the run is.
"""
