"""The folder that observed programs have on their path, for its `sitecustomize`.

Python imports that module at the start of every process.
"""
