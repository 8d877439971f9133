"""How a run is shown: one module per output format."""
