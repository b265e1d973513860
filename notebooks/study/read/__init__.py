"""From a file to labels, every fault with its place."""
