"""The operator sweep: torch's own samples, written as program texts, rewritten, and run before and after."""
