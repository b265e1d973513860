"""What an answer looks like: the questions the policy asks of it. Pure functions."""

import re

GITHUB, STACKEXCHANGE = "github", "stackexchange"


def graphql_errors(answer):
    """Errors inside a GraphQL answer, whatever its HTTP status."""
    data = answer.data if isinstance(answer.data, dict) else {}
    errors = data.get("errors") if answer.request.bucket == "graphql" else None
    return [e for e in errors or [] if isinstance(e, dict)]


def says(answer, pattern):
    """Whether the server's own words match a pattern."""
    words = f"{answer.message} {answer.text[:2000] if answer.status >= 400 else ''}"
    return re.search(pattern, words, re.IGNORECASE) is not None


def is_throttle_status(answer):
    """A status that may mean *not now*; GraphQL says it with a 200."""
    return answer.status in (403, 429) or (answer.status == 200 and bool(graphql_errors(answer)))


def is_transient(answer):
    """No usable answer, and no reason given: worth another try."""
    if answer.problem == "connection" or answer.status >= 500:
        return not se_error(answer)
    # A Stack Exchange ban may come as HTML of any status; a GitHub 403 or 429 has rows of
    # its own.
    throttle = answer.request.api == GITHUB and answer.status in (403, 429)
    return answer.problem == "unreadable" and not throttle


def is_secondary(answer):
    """A secondary limit, in any of the forms GitHub gives it."""
    if any(e.get("type") == "RATE_LIMITED" for e in graphql_errors(answer)):
        return True
    named = "gh-limited-by" in answer.headers or says(
        answer, r"secondary rate|abuse detection|rate limit exceeded")
    return answer.status == 429 or (is_throttle_status(answer) and named)


def is_partial(answer):
    """A GraphQL answer with a hole in it: nothing of it may be stored."""
    return (bool(graphql_errors(answer)) and not only_missing(answer)) or (
        answer.request.bucket == "graphql" and answer.status == 200
        and holes(answer.data, missing_paths(answer)))


def missing_paths(answer):
    """Paths of the things a GraphQL answer says do not exist."""
    return {tuple(map(str, e.get("path") or ())) for e in graphql_errors(answer)
            if e.get("type") == "NOT_FOUND"}


def only_missing(answer):
    """Every error says that one named thing does not exist: a fact, not a failure."""
    return all(e.get("type") == "NOT_FOUND" for e in graphql_errors(answer))


def holes(data, known=()):
    """A thread asked for is null, or a list of nodes holds a null, unexplained."""
    def walk(value, path):
        if isinstance(value, list):
            return any(v is None or walk(v, path) for v in value)
        if not isinstance(value, dict):
            return False
        return any((v is None and re.fullmatch(r"i\d+", k) and (*path, k) not in known)
                   or walk(v, (*path, k)) for k, v in value.items())

    return walk((data or {}).get("data"), ())


def se_error(answer):
    """Name of the error in a Stack Exchange answer, "" for none; the status says nothing."""
    data = answer.data
    if answer.request.api != "stackexchange" or not isinstance(data, dict):
        return ""
    return data.get("error_name") or ("unnamed" if data.get("error_id") else "")


def promised_seconds(answer):
    """Seconds until there is quota again, which stand in prose only; or None."""
    found = re.search(r"available in (\d+) second", answer.message)
    return float(found.group(1)) if found else None


def names_missing(answer):
    """A GraphQL answer whose only errors name missing threads is not a throttle."""
    return bool(graphql_errors(answer)) and only_missing(answer)
