"""Migration of many repositories, spread over processes or machines.

It has the steps in each repository, and the state folder with which an interrupted run goes on.
"""
