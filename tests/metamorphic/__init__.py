"""Transformations of whole programs that change no value and no gradient, and the comparison that shows it.

`transformations.TRANSFORMATIONS` has one each for what real code lacks or scatters: annotations, names, where a
function or a layer lives. `sources.Sources` is a program of one or two files, which can be run and rewritten.
"""
