"""all-MiniLM-L6-v2 from the distribution ``omoide_minilm``: English, smaller and faster than the default model."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from omoide.embed.packaged import PackagedEmbedder
from omoide.embed.wordpiece import WordPiece

MAX_LENGTH: Final = 256
PACKAGE: Final = "omoide-minilm"


class MiniLMEmbedder(PackagedEmbedder):
    """Embeds English into 384 dimensions; questions and texts alike.

    Raises EmbedderUnavailableError when the data files or onnxruntime are missing.
    """

    module = "omoide_minilm"
    package = PACKAGE
    max_length = MAX_LENGTH
    spare = 36
    overlap = 24

    @staticmethod
    def read_tokens(folder: Path) -> WordPiece:
        """Return the 30 thousand pieces of the vocabulary."""
        return WordPiece.read(folder)
