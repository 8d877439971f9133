KNOWN={}
NOT_RUN=frozenset()
