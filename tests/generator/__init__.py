"""Random imperative tensor programs as source text, an oracle that judges their rewriting, and a shrinker.

`programs.generate(seed)` writes a program, `oracle.judge(text)` rewrites it and compares both through torch,
`shrink.shrink(text, wrong)` makes a wrong one small. `scripts/hunt.py` and `tests/test_property.py` put them together.
"""
