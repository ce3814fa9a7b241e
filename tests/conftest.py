"""Settings of the whole suite."""

from hypothesis import settings

# The scripts beside reference values made them with other software; pytest never runs them.
collect_ignore_glob = ["reference/*"]

settings.register_profile("default", deadline=None, max_examples=100, print_blob=True)
settings.load_profile("default")
