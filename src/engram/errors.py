"""Every failure on purpose, by what the caller should do next.

    EngramError
      InvalidRequest   2   the request cannot be carried out as it stands: mend it
      NotFound         3   what it names does not exist: look for another
      NotApproved      4   a person has not said yes
      Conflict         5   the world moved on since it was looked at: look again
      Unsafe           6   the content must not be stored or shown
      Damaged          7   a file is not what it should be: repair it
      Unavailable      8   the machine will not let us now: try again or elsewhere

The number is the command line's exit status. Anything else that is raised is a bug (70).
"""

from __future__ import annotations

BUG_EXIT_STATUS = 70


class EngramError(Exception):
    """A failure on purpose: a stable `code`, a message for the reader, a hint how to go on."""

    exit_status = BUG_EXIT_STATUS

    def __init__(self, code: str, message: str, *, hint: str = "", **details: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details


class InvalidRequest(EngramError):  # noqa: N818 - a family reads as what happened
    exit_status = 2


class NotFound(EngramError):  # noqa: N818
    exit_status = 3


class NotApproved(EngramError):  # noqa: N818
    exit_status = 4


class Conflict(EngramError):  # noqa: N818
    exit_status = 5


class Unsafe(EngramError):  # noqa: N818
    exit_status = 6


class Damaged(EngramError):  # noqa: N818
    exit_status = 7


class Unavailable(EngramError):  # noqa: N818
    exit_status = 8
