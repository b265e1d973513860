"""What can go wrong, as exceptions that carry one line for the user."""


class MiningError(Exception):
    """Something the user can put right; the message says what, where and what to do."""

    exit_code = 2


class DefinitionError(MiningError):
    """A framework definition breaks the schema; names file, line and key."""


class StoreError(MiningError):
    """The store on disk is in use, damaged, or belongs to another definition."""


class Stopped(MiningError):
    """Mining cannot go on now, but the same command will later; the message says why and when."""

    exit_code = 3
