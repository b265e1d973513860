"""The commands that tie everything together."""
