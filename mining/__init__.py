"""Mine issue threads from GitHub and Stack Overflow, for any framework with a definition.

This package is the only code of the project that talks to the network. Everything it
brings is stored as raw answers first; every table is derived from those answers, so it
can be rebuilt later without a request. See ``mining/README.md``.
"""

VERSION = "1.0"
# 2022-11-28 is served until at least March 2028: GitHub keeps a version for 24 months
# after the next one (2026-03-10). What was served is recorded with each answer.
GITHUB_VERSION = "2022-11-28"
STACKEXCHANGE_VERSION = "2.3"
