"""From writes to edits: sites, legality, normal form, one choice for each statement, and the rounds over a text.

`rewriter` is the entry point; what each rule does is documented in `unplace.rules`.
"""
