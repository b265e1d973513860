"""Where threads are found and read: GitHub's REST, GraphQL and search, Stack Overflow."""
