"""The default embedder: multilingual-e5-small from the distribution ``omoide_e5_small``, on onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from omoide.embed.packaged import PackagedEmbedder
from omoide.embed.unigram import Unigram

MAX_LENGTH: Final = 512
PASSAGE: Final = "passage: "
QUESTION: Final = "query: "
PACKAGE: Final = "omoide-e5-small"


class E5Embedder(PackagedEmbedder):
    """Embeds about 100 languages into 384 dimensions.

    Raises EmbedderUnavailableError when the data files or onnxruntime are missing.
    """

    module = "omoide_e5_small"
    package = PACKAGE
    max_length = MAX_LENGTH
    passage = PASSAGE
    question = QUESTION

    @staticmethod
    def read_tokens(folder: Path) -> Unigram:
        """Return the 250 thousand pieces of the vocabulary."""
        return Unigram.read(folder)
