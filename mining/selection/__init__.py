"""What is wanted: definitions, keywords, the judge of candidates, samples."""
