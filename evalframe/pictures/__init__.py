"""What `plot` draws with: one file a kind of picture."""
