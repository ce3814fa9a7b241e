"""How far a judge that is a model can be trusted, and put right."""
