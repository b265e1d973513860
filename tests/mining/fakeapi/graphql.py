"""Just enough of GraphQL to answer the miner's queries: fields, aliases, arguments,
variables and named fragments. Whether the queries fit GitHub's schema is tested with
graphql-core against the official one."""

import json
import re

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\.\.\.|[A-Za-z_]\w*|-?\d+|[{}()\[\]:!$]')


class Document:
    """A parsed query: the selections of the operation, and its fragments."""

    def __init__(self, text):
        self.tokens, self.at, self.fragments = TOKEN.findall(text), 0, {}
        self.operation = None
        while self.at < len(self.tokens):
            word = self._next()
            if word == "fragment":
                name = self._next()
                self.at += 2  # on Type
                self.fragments[name] = self._selections()
            else:
                while self._peek() != "{":
                    self.at += 1
                self.operation = self._selections()

    def _peek(self):
        return self.tokens[self.at]

    def _next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def _selections(self):
        assert self._next() == "{"
        found = []
        while self._peek() != "}":
            if self._peek() == "...":
                self.at += 1
                found.append(("...", self._next(), {}, None))
                continue
            alias = name = self._next()
            if self._peek() == ":":
                self.at += 1
                name = self._next()
            arguments = self._arguments() if self._peek() == "(" else {}
            inner = self._selections() if self._peek() == "{" else None
            found.append((alias, name, arguments, inner))
        self.at += 1
        return found

    def _arguments(self):
        self.at += 1
        found = {}
        while self._peek() != ")":
            name = self._next()
            self.at += 1
            found[name] = self._value()
        self.at += 1
        return found

    def _value(self):
        token = self._next()
        if token == "$":
            return ("$", self._next())
        if token == "[":
            values = []
            while self._peek() != "]":
                values.append(self._value())
            self.at += 1
            return values
        if token == "{":
            values = {}
            while self._peek() != "}":
                name = self._next()
                self.at += 1
                values[name] = self._value()
            self.at += 1
            return values
        if token[0] in '"-0123456789':
            return json.loads(token)
        return {"true": True, "false": False, "null": None}.get(token, token)


def execute(document, root, variables):
    """Answer a document from nested dicts; a callable value gets the field's arguments."""
    def resolve(selections, value):
        if value is None or selections is None:
            return value
        if isinstance(value, list):
            return [resolve(selections, v) for v in value]
        data = {}
        for alias, name, arguments, inner in selections:
            if alias == "...":
                data.update(resolve(document.fragments[name], value))
                continue
            got = value[name]
            if callable(got):
                plain = {k: variables[v[1]] if isinstance(v, tuple) else v
                         for k, v in arguments.items()}
                got = got(alias, **plain)
            data[alias] = resolve(inner, got)
        return data

    return resolve(document.operation, root)
