"""The benchmark: planned, run, stored and shown."""
