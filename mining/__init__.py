"""Mine issue threads from GitHub and Stack Overflow, for any framework with a definition.

This package is the only code of the project that talks to the network. Everything it
brings is stored as raw answers first; every table is derived from those answers, so it
can be rebuilt later without a request. See ``mining/README.md``.
"""

VERSION = "1.0"
