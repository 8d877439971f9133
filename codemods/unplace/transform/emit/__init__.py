"""Text of edits: statements as LibCST trees, new lines in the place of old ones, calls without some argument.

The style of the source stays: quotes, comments, indentation, line ends.
"""
