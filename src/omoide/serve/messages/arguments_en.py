"""What options are for that switch off what their argument switches on, in English, by the words of the table."""

from __future__ import annotations

from typing import Final

ARGUMENTS: Final[dict[str, str]] = {
    "Search by words too.": "Leave the search by words out.",
    "Search by meaning too.": "Leave the search by meaning out.",
    "Take documents whose files are gone out of the search.": "Leave documents whose files are gone in the search.",
}
