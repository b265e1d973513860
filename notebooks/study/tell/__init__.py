"""Words, frames and the page."""
