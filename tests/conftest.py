"""Settings of the whole suite."""

import os

import pytest
from hypothesis import settings

# Scripts that made reference values and that time things are run by hand, never by pytest.
collect_ignore_glob = ["reference/*", "benchmarks/*"]

# The usual run draws the same examples each time, so that what passes here passes elsewhere;
# HYPOTHESIS_PROFILE=thorough looks for new ones.
settings.register_profile(
    "default", deadline=None, max_examples=25, derandomize=True, print_blob=True
)
settings.register_profile(
    "thorough", deadline=None, max_examples=200, derandomize=False, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def agg():
    """Draw without a screen, and leave no figure open."""
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    yield
    plt.close("all")
