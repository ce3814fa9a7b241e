"""How alike in style an arm's texts and an author's are."""
