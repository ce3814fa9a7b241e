"""In what order many arms stand, and which of them differ."""
