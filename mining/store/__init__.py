"""What was mined, on disk: raw answers, the tables derived from them, exports."""
