"""How sure any statistic is."""
