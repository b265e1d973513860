"""Helper modules of the reproduction package: read, tabulate, measure, draw."""
