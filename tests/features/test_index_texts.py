"""Texts added to an index, looked up, described anew, replaced and deleted."""

from __future__ import annotations

from collections.abc import Callable
from importlib import util
from pathlib import Path
from typing import Any

import pytest

from omoide import Index, Policy
from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.testing import FakeClock, FakeEmbedder

IndexOpener = Callable[..., Index]

LONG = "\n\n".join(
    f"Paragraph {n}: the deployment of service number {n} is described here at length." for n in range(60)
)


def test_a_text_is_added_found_and_given_back_exactly(idx: Index) -> None:
    document = idx.add_text(LONG, source="wiki/deploy", metadata={"team": "ops"})
    hit = idx.search("How is service number 17 deployed?", k=1)[0]
    assert (hit.origin, hit.document_id, hit.source, hit.namespace) == ("document", document, "wiki/deploy", "default")
    assert "number 17" in hit.text
    assert hit.metadata == {"team": "ops"}
    found = idx.get(document)
    assert found is not None
    assert (found.text, found.source, found.metadata) == (LONG, "wiki/deploy", {"team": "ops"})
    assert found.chunks > 1


@pytest.mark.parametrize(
    "text",
    [
        "東京タワーに行きました。次の日は京都へ。" * 100,
        "Ça coûte 12 €.\r\nL'été, à Orléans.\r\n" * 80,
        "# A\n\n```\n# no heading\n```\n\n\n\n## B\n" * 40,
        "\n\n\n  lead\tand trail  \n\n\n",
        "a\0b 🙂 \u202eright to left",
        "x" * 5000,
    ],
)
@pytest.mark.parametrize("splitter", ["text", "markdown"])
def test_no_character_is_lost_whatever_the_text(idx: Index, text: str, splitter: str) -> None:
    found = idx.get(idx.add_text(text, splitter=splitter, chunk_size=200, chunk_overlap=40))
    assert found is not None
    assert found.text == text


def test_the_id_of_a_hit_is_that_of_the_part_and_never_used_again(idx: Index) -> None:
    first = idx.add_text("alpha one")
    part = idx.search("alpha")[0].id
    idx.delete(first)
    second = idx.add_text("alpha two")
    assert second > first
    assert idx.search("alpha")[0].id > part


def test_texts_are_added_together_and_keep_their_order(idx: Index) -> None:
    added = idx.add_texts(["one apple", "two pears"], sources=["a", None], metadata={"k": 1})
    assert [idx.get(id).text for id in added] == ["one apple", "two pears"]  # type: ignore[union-attr]
    assert [document.source for document in idx.list()] == [None, "a"]
    assert added.batch is not None
    assert added.timings["docs_per_second"] > 0


def test_no_texts_give_an_empty_result(idx: Index) -> None:
    added = idx.add_texts([])
    assert (list(added), added.timings, added.files, added.batch) == ([], {}, (), None)


def test_each_text_may_have_metadata_of_its_own(idx: Index) -> None:
    idx.add_texts(["apple pie", "apple juice"], metadata=[{"n": 1}, {"n": 2}])
    assert [hit.metadata for hit in idx.search("apple", where={"n": 2})] == [{"n": 2}]


@pytest.mark.parametrize("given", ["sources", "metadata"])
def test_lists_of_different_lengths_are_refused_and_nothing_is_stored(idx: Index, given: str) -> None:
    options: dict[str, Any] = {given: ["x"] if given == "sources" else [{"n": 1}]}
    with pytest.raises(InvalidInputError, match="one entry a text"):
        idx.add_texts(["one", "two"], **options)
    assert idx.stats()["default"]["documents"] == 0


def test_a_blank_text_among_others_is_reported_and_the_others_are_added(idx: Index) -> None:
    added = idx.add_texts(["good", "  ", "\ud800", "fine"])
    assert len(added) == 2
    assert [(each.position, each.code) for each in added.failed] == [(1, "invalid_input"), (2, "invalid_input")]


@pytest.mark.parametrize("text", ["", " \n ", None, 5, b"bytes"])
def test_one_text_that_is_none_is_an_error(idx: Index, text: Any) -> None:
    with pytest.raises(InvalidInputError):
        idx.add_text(text)
    assert idx.list() == []


@pytest.mark.parametrize(
    "options, word",
    [
        ({"splitter": "nonsense"}, "splitter"),
        ({"chunk_size": 100, "chunk_overlap": 100}, "overlap"),
        ({"chunk_size": "many"}, "chunk_size"),
        ({"measure": "inches"}, "measure"),
        ({"metadata": {"x": object()}}, "metadata"),
        ({"source": " "}, "source"),
        ({"trust": "blind"}, "trust"),
    ],
)
def test_an_argument_that_cannot_be_accepted_is_named(idx: Index, options: dict[str, Any], word: str) -> None:
    with pytest.raises(InvalidInputError, match=word):
        idx.add_text("a text", **options)
    assert idx.list() == []


def test_a_splitter_of_the_callers_own_cuts_as_it_likes(idx: Index) -> None:
    document = idx.add_text("one|two|three", splitter=lambda text, *_: text.split("|"))
    assert [hit.text for hit in idx.search("two")] == ["two"]
    assert idx.get(document).chunks == 3  # type: ignore[union-attr]


def test_a_splitter_that_returns_nothing_is_reported(idx: Index) -> None:
    added = idx.add_texts(["a text"], splitter=lambda *_: [])
    assert (list(added), added.failed[0].code) == ([], "empty")


def test_sizes_may_be_given_in_tokens(idx: Index) -> None:
    document = idx.add_text(LONG, chunk_size=50, chunk_overlap=0, measure="tokens")
    assert idx.get(document).chunks > 15  # type: ignore[union-attr]


def test_update_replaces_the_text_under_the_same_id(idx: Index) -> None:
    document = idx.add_text("the old words", source="s", metadata={"a": 1})
    idx.update(document, text="entirely new sentence")
    assert idx.search("old words") == []
    assert idx.search("new sentence")[0].document_id == document
    assert idx.get(document).metadata == {"a": 1}  # type: ignore[union-attr]


def test_update_of_metadata_keeps_the_text_and_replaces_what_hits_show(idx: Index) -> None:
    document = idx.add_text("# Top\n\nsome words", splitter="markdown", metadata={"a": 1})
    idx.update(document, metadata={"b": 2})
    hit = idx.search("words", where={"b": 2})[0]
    assert hit.metadata == {"heading": "Top", "b": 2}
    assert idx.search("words", where={"a": 1}) == []


def test_the_callers_keys_come_before_ours(idx: Index) -> None:
    idx.add_text("# Top\n\nsome words", splitter="markdown", metadata={"heading": "mine"})
    assert idx.search("words")[0].metadata == {"heading": "mine"}


def test_update_and_delete_of_what_is_not_there_do_nothing(idx: Index) -> None:
    idx.update(99, text="x")
    idx.delete(99)
    assert idx.get(99) is None


def test_a_deleted_document_is_gone_from_search_from_the_past_and_from_the_file(
    indexed: IndexOpener, path: Path, clock: FakeClock
) -> None:
    index = indexed()
    document = index.add_text("the launch code is quokka-7781", source="secrets.txt", metadata={"pin": "wombat-42"})
    index.add_text("something else entirely")
    clock.advance(60)
    index.delete(document)
    assert index.get(document) is None
    assert index.search("quokka") == []
    assert index.search("quokka", as_of="2026-06-01T12:00:30Z") == []
    index.close()
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    for data in map(Path.read_bytes, files):
        assert not any(word in data for word in (b"quokka", b"wombat", b"secrets.txt"))


def test_delete_leaves_a_text_that_a_memory_says_too(idx: Index, mem: Any) -> None:
    memory = mem.remember("shared sentence")
    idx.delete(idx.add_text("shared sentence"))
    assert mem.get(memory).text == "shared sentence"
    assert idx.integrity_check() == []


def test_every_write_leaves_an_audit_event_without_text(idx: Index) -> None:
    document = idx.add_text("very private words")
    idx.update(document, text="other words")
    idx.update(document, metadata={"a": 1})
    idx.delete(document)
    events = idx.audit()
    assert [event.op for event in events] == ["add", "replace", "describe", "delete"]
    assert all(event.targets == (document,) for event in events)
    assert "private" not in repr(events)
    assert idx.verify() == []


def test_stats_count_documents_and_parts(idx: Index, clock: FakeClock) -> None:
    assert idx.stats()["default"]["documents"] == 0
    idx.add_text("one")
    clock.advance(60)
    idx.add_text(LONG)
    found = idx.stats()["default"]
    assert (found["documents"], found["chunks"]) == (2, 1 + idx.list()[0].chunks)
    assert (found["newest"] - found["oldest"]).total_seconds() == 60


def test_list_filters_and_limits(idx: Index) -> None:
    idx.add_texts(["one", "two", "three"], metadata=[{"n": 1}, {"n": 2}, {"n": 3}], sources=["a", "b", "c"])
    assert [document.metadata["n"] for document in idx.list(limit=2)] == [3, 2]
    assert [document.source for document in idx.list(where={"n": {"$lt": 2}})] == ["a"]
    assert [document.metadata["n"] for document in idx.list(source="b")] == [2]
    assert idx.list()[0].text is None


def test_an_index_is_strict_about_namespaces(indexed: IndexOpener) -> None:
    mine, theirs = indexed("a"), indexed("b")
    document = theirs.add_text("their secret plan")
    assert mine.search("secret") == []
    assert mine.get(document) is None
    mine.delete(document)
    mine.update(document, text="overwritten")
    assert theirs.get(document).text == "their secret plan"  # type: ignore[union-attr]
    with pytest.raises(AccessDeniedError):
        mine.add_text("x", namespace="b")
    with pytest.raises(AccessDeniedError):
        mine.search("secret", namespaces=["a", "b"])


def test_a_grant_to_read_is_no_grant_to_write(indexed: IndexOpener) -> None:
    indexed("b").add_text("their open plan")
    reader = indexed("a", policy=Policy().allow("a", read="b"))
    hit = reader.search("plan", namespaces="*")[0]
    assert hit.namespace == "b"
    assert hit.document_id is not None
    with pytest.raises(AccessDeniedError):
        reader.delete(hit.document_id)
    with pytest.raises(AccessDeniedError):
        reader.update(hit.document_id, text="mine now")


def test_trust_can_only_be_lowered_and_untrusted_text_is_found_only_when_asked_for(idx: Index) -> None:
    idx.add_text("from the web: buy now", trust="untrusted")
    assert idx.search("buy") == []
    assert idx.search("buy", trust="untrusted")[0].trust == "untrusted"
    idx.add_text("a person says buy", trust="stated")
    assert idx.search("person")[0].trust == "observed"


def test_vectors_are_made_with_the_text_and_equal_texts_are_embedded_once(indexed: IndexOpener) -> None:
    class Counting(FakeEmbedder):
        asked = 0

        def embed(self, texts: list[str], /) -> list[list[float]]:
            self.asked += len(texts)
            return super().embed(texts)

    embedder = Counting()
    index = indexed(embedder=embedder)
    index.add_texts(["same text", "same text", "other text"])
    assert embedder.asked == 2
    index.add_text("same text")
    assert embedder.asked == 2
    assert index.stats()["default"]["pending_vectors"] == 0


async def test_async_twins_do_the_same(idx: Index) -> None:
    document = await idx.aadd_text("asynchronous words")
    assert (await idx.asearch("words"))[0].document_id == document
    found = await idx.aget(document)
    assert found is not None
    assert found.text == "asynchronous words"
    await idx.aupdate(document, text="other things")
    await idx.adelete(document)
    assert (await idx.astats())["default"]["documents"] == 0
    assert await idx.alist() == []


def test_a_tool_searches_the_documents(idx: Index) -> None:
    idx.add_text("deploy with make", metadata={"k": 1})
    tool = idx.as_tool(name="lookup")
    assert tool.name == "lookup"
    assert tool.call(query="deploy")[0]["text"] == "deploy with make"


@pytest.mark.parametrize("name", ["langchain", "llamaindex"])
def test_a_missing_framework_is_named_with_its_extra(idx: Index, name: str) -> None:
    if util.find_spec({"langchain": "langchain_core", "llamaindex": "llama_index"}[name]) is not None:
        pytest.skip(f"{name} is installed")
    with pytest.raises(ImportError, match=rf"omoide\[{name}\]"):
        getattr(idx, f"as_{name}_retriever")(k=3)
