"""rmbr.integrations.langchain: omoide's retriever; documents carry rmbr's names of their fields as well."""

from __future__ import annotations

from typing import Any

from omoide.integrations.langchain import OmoideRetriever

__all__ = ["as_retriever"]


class Retriever(OmoideRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: Any, **kwargs: Any) -> list[Any]:
        found = super()._get_relevant_documents(query, run_manager=run_manager, **kwargs)
        for document in found:
            marks = document.metadata
            marks |= {"rmbr_id": marks["omoide_id"], "rmbr_score": marks["omoide_score"]}
        return found


def as_retriever(index: Any, *, k: int = 5, **search_kwargs: Any) -> Any:
    return Retriever(index=index, k=k, search_kwargs=search_kwargs)
