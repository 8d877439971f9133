"""From writes to edits: sites, legality, profitability, one choice for each statement, and the rounds over a text.

`rewriter` is the way in. What a rule is for stands in `unplace.rules`.
"""
