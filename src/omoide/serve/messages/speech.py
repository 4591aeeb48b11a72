"""What omoide says to people, in their language: English, French or Japanese."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from omoide.serve.messages.patterns import Sentences

LANGUAGES: Final = ("en", "fr", "ja")
VARIABLES: Final = ("OMOIDE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def language_of(asked: str | None = None) -> str:
    """Return the language asked for, else that of the environment, else English."""
    for name in (asked, *(os.environ.get(variable) for variable in VARIABLES)):
        if name:
            code = name.strip().lower()[:2]
            return code if code in LANGUAGES else "en"
    return _of_system()


def _of_system() -> str:
    import locale

    name = locale.getlocale()[0] or ""
    names = {"french": "fr", "japanese": "ja"}
    code = names.get(name.partition("_")[0].lower(), name[:2].lower())
    return code if code in LANGUAGES else "en"


def messages_in(language: str) -> Mapping[str, str]:
    """Return all messages of a language by key."""
    table: Mapping[str, str] = import_module(f"omoide.serve.messages.{language}").MESSAGES
    return table


class Speech:
    """Messages of one language; a key that it lacks is said in English."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._messages = messages_in(language)

    def __call__(self, key: str, /, **values: object) -> str:
        """Return a message with its places filled."""
        return self.template(key).format(**values)

    def template(self, key: str) -> str:
        """Return a message with its places still open."""
        return self._messages.get(key) or messages_in("en")[key]

    def knows(self, key: str) -> bool:
        """Say whether there is such a message."""
        return key in self._messages

    def argument(self, words: str) -> str:
        """Return what an argument is for, given the words of the table."""
        table: Mapping[str, str] = import_module(f"omoide.serve.messages.arguments_{self.language}").ARGUMENTS
        return table.get(words, words)

    def word(self, english: str) -> str:
        """Return a state, a cause or the name of a field in this language; as it is where there is no word for it."""
        return english if self.language == "en" else self._words.get(english, english)

    @cached_property
    def _words(self) -> Mapping[str, str]:
        table: Mapping[str, str] = import_module(f"omoide.serve.messages.words_{self.language}").WORDS
        return table

    def sentence(self, english: str) -> str:
        """Return what a lower part said, an error or a remark, in this language; as it is where no pattern fits."""
        return english if self.language == "en" else self._sentences(english)

    @cached_property
    def _sentences(self) -> Sentences:
        from omoide.serve.messages.patterns import Sentences

        table: Mapping[str, str] = import_module(f"omoide.serve.messages.sentences_{self.language}").SENTENCES
        return Sentences(table)

    def count(self, key: str, number: int, **values: object) -> str:
        """Return the message ``key.one`` or ``key.many`` for a number of things."""
        one = number in (0, 1) if self.language == "fr" else number == 1
        return self(f"{key}.one" if one else f"{key}.many", n=number, **values)
