"""Hands the tests of this folder what writes logs as Inspect AI does."""

import log_files
import pytest


@pytest.fixture(scope="session")
def logs():
    """Return the module of writers."""
    return log_files
