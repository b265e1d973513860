"""What each claim says, and what is found."""
