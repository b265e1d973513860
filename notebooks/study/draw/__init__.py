"""Figures: one function each, from tables to a picture."""
