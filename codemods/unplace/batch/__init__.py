"""Migration of many repositories: what happens in each, and how the work is spread and kept."""
