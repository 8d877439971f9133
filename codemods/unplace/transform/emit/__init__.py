"""The text of an edit: a statement as a LibCST tree, new lines where an old one stood, arguments taken out.

Style stays: quotes, comments, indentation, line ends.
"""
