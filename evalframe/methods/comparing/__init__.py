"""Whether one arm is better than another, or than several others."""
