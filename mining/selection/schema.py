"""Check a parsed TOML table against a schema, and say which line is wrong."""

import re

from mining.errors import DefinitionError

CHOICES = {"state": ("closed", "open", "all"), "judge": ("search", "text"),
           "way": ("auto", "search", "list")}


class Checker:
    """Checks tables and finds the line a key stands on."""

    def __init__(self, path, text):
        self.path, self.lines = path, text.splitlines()

    def fail(self, key, message, where=None):
        line = self.line(key, where)
        label = f"[[{where[0]}]] {key}" if where else key
        raise DefinitionError(f"{self.path}, line {line}: {label}: {message}")

    def line(self, key, where=None):
        """Line of ``key`` in the ``where``-th table; of the table's head where it lacks."""
        seen, start = -1, 1
        inside = where is None
        for number, line in enumerate(self.lines, 1):
            head = re.match(r"\s*\[\[?\s*([\w.]+)", line)
            if head:
                seen += bool(where) and head.group(1) == where[0]
                inside = bool(where) and head.group(1) == where[0] and seen == where[1]
                start = number if inside else start
            elif inside and re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", line):
                return number
        return start

    def table(self, table, schema, required, where=None):
        if not isinstance(table, dict):
            self.fail(where[0], "must be a table", where)
        for key, value in table.items():
            if key not in schema:
                self.fail(key, f"unknown key; known: {', '.join(schema)}", where)
            # bool is an int in Python, but not in a definition.
            if not isinstance(value, schema[key]) or (
                    isinstance(value, bool) and schema[key] is int):
                self.fail(key, f"must be {_kind(schema[key])}", where)
            if key in CHOICES and value not in CHOICES[key]:
                self.fail(key, f"must be one of {', '.join(CHOICES[key])}", where)
        for key in required:
            if key not in table:
                self.fail(key, "is missing", where)

    def strings(self, table, key, where=None):
        if not all(isinstance(v, str) and v for v in table.get(key, [])):
            self.fail(key, "must be a list of texts", where)


def _kind(kind):
    return {str: "a text in quotes", int: "a whole number", bool: "true or false",
            list: "a list"}[kind]
