"""Where the uncertainty of a score comes from."""
