"""The benchmark: a plan becomes units of work, which are run, stored, and shown."""
