"""Estimators: numpy arrays in, numpy arrays out."""
