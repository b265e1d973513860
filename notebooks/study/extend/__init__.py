"""Extend the study to a new framework: sample, sheets, check, agreement, counts, comparison."""
