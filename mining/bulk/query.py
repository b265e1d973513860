"""A definition as plain SQL that DuckDB, Spark and BigQuery read alike.

Only what every engine decides alike is asked: equality and order of integers and of ISO texts,
and LIKE with nothing but % around a tag. No regular expression, no lower(), no time zone:
keywords, labels and states are judged afterwards by :mod:`mining.selection.judge`.
"""

from mining.bulk.posts import SALT_FROM


def questions(definition, since="", until=""):
    """Questions that bear a tag of the definition.

    Parameters
    ----------
    definition : mining.selection.definition.Definition
    since, until : str
        First time, and the first one after the window, as ISO texts; "" for open.

    Examples
    --------
    >>> from mining.selection.definition import load
    >>> print(questions(load("horovod"), "2019-01-01T00:00:00"))
    SELECT q.* FROM questions q
    WHERE q.kind = 1
      AND q.id < 1000000000
      AND (q.tags LIKE '%|horovod|%')
      AND q.created_at >= '2019-01-01T00:00:00'
    """
    return "SELECT q.* FROM questions q\n" + _tagged(definition, since, until)


def answers(definition, since="", until=""):
    """The answers to those questions, each with the accepted one's id."""
    return ("SELECT a.*, q.accepted_answer_id AS accepted FROM answers a\n"
            "JOIN questions q ON a.parent_id = q.id\n" + _tagged(definition, since, until)
            + f"\n  AND a.id < {SALT_FROM}")


def events(definition, since="", until=""):
    """Events of issues of the definition's repositories, under former names too."""
    return "SELECT e.* FROM events e\n" + _repositories(definition, since, until)


def names(definition):
    """When each name of those repositories was last seen."""
    return ("SELECT e.repository_id, e.repository, max(e.at) AS at FROM events e\n"
            + _repositories(definition) + "\nGROUP BY e.repository_id, e.repository")


def _tagged(definition, since, until):
    tags = " OR ".join(f"q.tags LIKE '%|{s.tag}|%'" for s in definition.stackoverflow)
    return _where("q.kind = 1", f"q.id < {SALT_FROM}", f"({tags})",
                  *_window("q.created_at", since, until))


def _repositories(definition, since="", until=""):
    keys = ", ".join(f"'{s.repository.lower()}'" for s in definition.github)
    same = f"SELECT r.repository_id FROM events r WHERE r.repository_key IN ({keys})"
    return _where(f"(e.repository_key IN ({keys}) OR e.repository_id IN ({same}))",
                  *_window("e.created_at", since, until))


def _window(column, since, until):
    return ([f"{column} >= '{since}'"] if since else []) + (
        [f"{column} < '{until}'"] if until else [])


def _where(*parts):
    return "WHERE " + "\n  AND ".join(parts)
