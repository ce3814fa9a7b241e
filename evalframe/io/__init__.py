"""Files to frames and frames to files: one module a format."""
