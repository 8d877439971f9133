"""Training loops whose optimizer steps before a backward that goes through the old weights: repaired, and proved."""
