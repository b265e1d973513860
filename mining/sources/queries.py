"""The GraphQL queries and the Stack Exchange filter: the texts we send, and nothing else."""

import json

# Fifty threads a request cost one point; wider selections of a hundred are known to fail.
LARGEST = 50
PARTS = """
fragment thread on Issue {
  id fullDatabaseId number url title body createdAt updatedAt closedAt lastEditedAt
  includesCreatedEdit state stateReason(enableDuplicate: true) locked activeLockReason
  author { __typename login } authorAssociation
  labels(first: 50) { totalCount nodes { name } }
  comments(first: 100) { ...talk }
}
fragment talk on IssueCommentConnection {
  totalCount pageInfo { hasNextPage endCursor }
  nodes { id fullDatabaseId url body createdAt lastEditedAt author { __typename login }
    isMinimized minimizedReason }
}
"""
TALK = PARTS[PARTS.index("fragment talk"):]
HEAD = ("query($owner: String!, $name: String!) {\n"
        "  rateLimit { cost remaining resetAt }\n"
        "  repository(owner: $owner, name: $name) {\n    databaseId nameWithOwner isArchived\n")


def by_numbers(numbers):
    """Threads of known numbers with up to 100 comments each, one alias a thread.

    >>> "i7: issue(number: 7) { ...thread }" in by_numbers([7])
    True
    """
    lines = "".join(f"    i{n}: issue(number: {n}) {{ ...thread }}\n" for n in numbers)
    return f"{HEAD}{lines}  }}\n}}{PARTS}"


def listing(size, cursor, state, labels):
    """The next ``size`` threads of a repository by creation time: no cap, no pull requests."""
    arguments = [f"first: {size}", "orderBy: {field: CREATED_AT, direction: ASC}"]
    if cursor:
        arguments.append(f"after: {json.dumps(cursor)}")
    if state in ("open", "closed"):
        arguments.append(f"states: [{state.upper()}]")
    if labels:
        arguments.append(f"labels: {json.dumps(list(labels), ensure_ascii=False)}")
    return (f"{HEAD}    issues({', '.join(arguments)}) {{\n"
            "      totalCount pageInfo { hasNextPage endCursor }\n"
            f"      nodes {{ ...thread }}\n    }}\n  }}\n}}{PARTS}")


def more_comments(wanted):
    """Further comments: ``wanted`` is a list of (thread number, cursor or None)."""
    lines = "".join(
        f"    i{number}: issue(number: {number}) {{ number comments(first: 100"
        f"{f', after: {json.dumps(cursor)}' if cursor else ''}) {{ ...talk }} }}\n"
        for number, cursor in wanted)
    return f"{HEAD}{lines}  }}\n}}\n{TALK}"


# Everything kept of a question: answers and comments come in the same request.
FILTER_FIELDS = (
    ".items", ".has_more", ".backoff", ".error_id", ".error_name", ".error_message",
    ".quota_max", ".quota_remaining",
    *(f"question.{f}" for f in (
        "question_id", "title", "body", "body_markdown", "tags", "owner", "score",
        "view_count", "answer_count", "comment_count", "accepted_answer_id", "creation_date",
        "last_activity_date", "last_edit_date", "closed_date", "closed_reason", "link",
        "content_license", "answers", "comments")),
    *(f"answer.{f}" for f in (
        "answer_id", "question_id", "body", "body_markdown", "is_accepted", "score", "owner",
        "creation_date", "last_edit_date", "content_license", "comment_count", "comments")),
    *(f"comment.{f}" for f in (
        "comment_id", "post_id", "body_markdown", "owner", "score", "creation_date",
        "content_license")),
    *(f"shallow_user.{f}" for f in ("user_id", "user_type", "display_name", "link")),
)
