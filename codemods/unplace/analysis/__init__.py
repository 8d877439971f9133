"""Facts about a file: what is a tensor, who shares its memory, who reads it later, what autograd saved.

Nothing here knows a rule or edits text; the rules ask, `unplace.rules` answers.
"""
