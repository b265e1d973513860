"""From counts to numbers with intervals."""
