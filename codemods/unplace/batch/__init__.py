"""Migration of many repositories: the steps in each one, how they are spread over processes or machines, and the state
folder that lets an interrupted run go on.
"""
