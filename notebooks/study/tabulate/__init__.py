"""From labels to counts."""
