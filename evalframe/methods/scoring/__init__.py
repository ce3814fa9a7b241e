"""How good each arm is, and what its interval is worth."""
