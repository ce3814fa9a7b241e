"""How strong arms are that were held against each other in games."""
