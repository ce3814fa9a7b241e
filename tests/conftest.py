"""Settings of the whole suite."""

import os

from hypothesis import settings

# Scripts that made reference values and that time things are run by hand, never by pytest.
collect_ignore_glob = ["reference/*", "benchmarks/*"]

settings.register_profile("default", deadline=None, max_examples=40, print_blob=True)
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
