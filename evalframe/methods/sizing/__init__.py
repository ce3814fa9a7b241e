"""How many items it takes, and what so many can find."""
