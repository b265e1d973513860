"""What everything may use: errors, paths, words, files, the key of a thread."""
