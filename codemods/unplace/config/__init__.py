"""The user's wishes: configuration files, selections of rules and harm, comments that hold findings back.

Options of the command line and of the configuration meet here; nothing here analyses code.
"""
