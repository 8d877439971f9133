"""Reads the user's choices: configuration files, selections of rules and harm, and suppression comments.

Options of the command line and of the configuration meet here; nothing here analyses code.
"""
