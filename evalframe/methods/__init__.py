"""The methods of `df.evals`: frame in, result frame out."""
