"""One conversation of so many messages written as every format that is read; no format is told by its file's name."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

Make = Callable[[Path, int], Path]
WORDS = ("deploy", "マイグレーション", "réplique", "откат")


def words(number: int) -> str:
    return f"message {number} about {WORDS[number % 4]} {number * 37 % 101}"


def role(number: int) -> str:
    return "assistant" if number % 2 else "user"


def stamp(number: int) -> str:
    return f"2026-05-01T{9 + number // 60:02}:{number % 60:02}:00.000Z"


def claude_record(number: int, role: str, content: object, session: str = "s-1") -> dict[str, Any]:
    """Return a record as Claude Code writes it."""
    return {
        "type": role, "uuid": f"u-{number}", "sessionId": session, "parentUuid": None, "cwd": "/nowhere/app",
        "timestamp": f"2026-05-01T09:00:{number:02}.000Z", "version": "2.0.0", "isSidechain": False,
        "userType": "external", "message": {"role": role, "content": content},
    }  # fmt: skip


def claude_line(number: int, text: str, session: str = "s-1") -> str:
    """Return what a person said as a line of Claude Code's."""
    return json.dumps(claude_record(number, "user", text, session), ensure_ascii=False) + "\n"


def lines(path: Path, values: list[dict[str, Any]]) -> Path:
    file = path.with_suffix(".jsonl")
    file.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values), encoding="utf-8")
    return file


def document(path: Path, value: object) -> Path:
    file = path.with_suffix(".json")
    file.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")
    return file


def claude(number: int) -> dict[str, Any]:
    said: Any = words(number) if role(number) == "user" else [{"type": "text", "text": words(number)}]
    return {
        "type": role(number), "uuid": f"u-{number}", "sessionId": "s-1", "timestamp": stamp(number),
        "version": "2.0.0", "message": {"role": role(number), "content": said},
    }  # fmt: skip


def claude_code(path: Path, count: int) -> Path:
    return lines(path, [claude(number) for number in range(count)])


def messages(path: Path, count: int) -> Path:
    return lines(path, [{"role": role(number), "content": words(number)} for number in range(count)])


def messages_named(path: Path, count: int) -> Path:
    said = [{"role": role(n), "content": words(n), "session_id": "m-1", "id": f"m{n}"} for n in range(count)]
    return lines(path, said)


def codex(path: Path, count: int) -> Path:
    def item(number: int) -> dict[str, Any]:
        block = {"type": "output_text" if number % 2 else "input_text", "text": words(number)}
        payload = {"type": "message", "role": role(number), "content": [block]}
        return {"timestamp": stamp(number), "type": "response_item", "payload": payload}

    meta = {"timestamp": stamp(0), "type": "session_meta", "payload": {"id": "c-1", "cwd": "/nowhere"}}
    return lines(path, [meta, *map(item, range(count))])


def cursor(path: Path, count: int) -> Path:
    return lines(path, [
        {"role": role(number), "message": {"content": [{"type": "text", "text": words(number)}]}}
        for number in range(count)
    ])  # fmt: skip


def copilot(path: Path, count: int, session: str | None = "p-1") -> Path:
    start = {"type": "session.start", "id": "e", "timestamp": stamp(0), "data": {"sessionId": session}}
    return lines(path, [start, *(
        {"type": f"{role(n)}.message", "id": f"e{n}", "timestamp": stamp(n), "data": {"content": words(n)}}
        for n in range(count)
    )])  # fmt: skip


def gemini_message(number: int) -> dict[str, Any]:
    kind = "gemini" if number % 2 else "user"
    return {"id": str(number), "timestamp": stamp(number), "type": kind, "content": words(number)}


def gemini_lines(path: Path, count: int) -> Path:
    head = {"sessionId": "g-1", "projectHash": "abc", "startTime": stamp(0)}
    return lines(path, [head, *map(gemini_message, range(count))])


def gemini(path: Path, count: int) -> Path:
    messages = [gemini_message(number) for number in range(count)]
    return document(path, {"sessionId": "g-2", "projectHash": "abc", "messages": messages})


def gemini_nameless(path: Path, count: int) -> Path:
    messages = [gemini_message(number) for number in range(count)]
    return document(path, {"projectHash": "abc", "messages": messages})


def request(number: int) -> dict[str, Any]:
    answer = [{"value": words(2 * number + 1)}]
    return {
        "requestId": f"r{number}", "responseId": f"a{number}", "message": {"text": words(2 * number)},
        "response": answer,
    }  # fmt: skip


def vscode(path: Path, count: int) -> Path:
    requests = [request(number) for number in range(count // 2)]
    return document(path, {"version": 3, "responderUsername": "x", "sessionId": "v-1", "requests": requests})


def vscode_log(path: Path, count: int) -> Path:
    def pair(number: int) -> list[dict[str, Any]]:
        asked = {name: value for name, value in request(number).items() if name != "response"}
        return [
            {"kind": 2, "k": ["requests"], "v": [asked]},
            {"kind": 2, "k": ["requests", number, "response"], "v": request(number)["response"]},
        ]

    head = {"kind": 0, "v": {"version": 3, "sessionId": "v-2", "creationDate": 1780315200000, "requests": []}}
    return lines(path, [head, *(line for number in range(count // 2) for line in pair(number))])


def web(path: Path, count: int) -> Path:
    return document(path, {"loglines": [claude(number) for number in range(count)]})


def claude_chat(count: int) -> list[dict[str, Any]]:
    messages = [
        {"uuid": f"m{n}", "sender": "assistant" if n % 2 else "human", "text": words(n), "created_at": stamp(n)}
        for n in range(count)
    ]
    return [{"uuid": "x-1", "name": "Chat", "created_at": stamp(0), "chat_messages": messages}]


def claude_export(path: Path, count: int) -> Path:
    return document(path, claude_chat(count))


def zipped_export(path: Path, count: int) -> Path:
    file = path.with_suffix(".zip")
    with ZipFile(file, "w") as archive:
        archive.writestr("conversations.json", json.dumps(claude_chat(count)))
    return file


def chatgpt(path: Path, count: int) -> Path:
    def node(number: int) -> dict[str, Any]:
        said = {"content_type": "text", "parts": [words(number)]}
        message = {"id": f"n{number}", "author": {"role": role(number)}, "create_time": 1780315200.5, "content": said}
        children = [f"n{number + 1}"] if number + 1 < count else []
        parent = f"n{number - 1}" if number else None
        return {"id": f"n{number}", "parent": parent, "children": children, "message": message}

    mapping = {f"n{number}": node(number) for number in range(count)}
    return document(path, [{
        "title": "Chat", "create_time": 1780315200.0, "conversation_id": "t-1", "current_node": f"n{count - 1}",
        "mapping": mapping,
    }])  # fmt: skip


def opencode_files(path: Path, count: int) -> Path:
    storage = path.parent / f"{path.name}-storage"
    file = storage / "session" / "p" / "ses_1.json"
    for number in range(count):
        message = storage / "message" / "ses_1" / f"msg_{number:04}.json"
        part = storage / "part" / f"msg_{number:04}" / "prt_1.json"
        for each in (file, message, part):
            each.parent.mkdir(parents=True, exist_ok=True)
        message.write_text(json.dumps({"id": f"msg_{number:04}", "role": role(number)}))
        part.write_text(json.dumps({"type": "text", "text": words(number)}, ensure_ascii=False), encoding="utf-8")
    file.write_text(json.dumps({"id": "ses_1", "directory": "/nowhere", "projectID": "p"}))
    return file


def opencode(path: Path, count: int) -> Path:
    file = path.with_suffix(".db")
    with closing(sqlite3.connect(file)) as db:
        db.executescript(
            "CREATE TABLE session(id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,"
            " time_created INTEGER);"
            "CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);"
            "CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);"
            "INSERT INTO session VALUES('ses_2', NULL, '/nowhere', 'T', '1.2', 1780315200000);"
        )
        for number in range(count):
            said = json.dumps({"role": role(number)}), json.dumps({"type": "text", "text": words(number)})
            db.execute("INSERT INTO message VALUES(?, 'ses_2', ?, ?)", (f"msg_{number:04}", number, said[0]))
            db.execute("INSERT INTO part VALUES(?, ?, 'ses_2', ?)", (f"prt_{number}", f"msg_{number:04}", said[1]))
        db.commit()
    return file


def hermes(path: Path, count: int) -> Path:
    file = path.with_suffix(".db")
    with closing(sqlite3.connect(file)) as db:
        db.executescript(
            "CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, title TEXT, cwd TEXT,"
            " started_at REAL);"
            "CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT,"
            " tool_calls TEXT, tool_name TEXT, timestamp REAL);"
            "INSERT INTO sessions VALUES('h1', 'cli', NULL, NULL, '/nowhere', 1780315200.0);"
        )
        rows = [(role(number), words(number), 1780315200.0 + number) for number in range(count)]
        db.executemany("INSERT INTO messages(session_id, role, content, timestamp) VALUES('h1', ?, ?, ?)", rows)
        db.commit()
    return file


def specstory(path: Path, count: int, named: bool = True) -> Path:
    head = "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# Chat\n\n"
    head += "<!-- Claude Code Session s-9 (2026-05-01 09:00:00Z) -->\n\n" if named else ""
    parts = [
        f"_**{'Agent' if number % 2 else 'User'} ({stamp(number)[:10]} {stamp(number)[11:19]}Z)**_\n\n{words(number)}\n"
        for number in range(count)
    ]
    return marked(path, head + "\n---\n\n".join(parts))


def specstory_nameless(path: Path, count: int) -> Path:
    return specstory(path, count, named=False)


def marked(path: Path, text: str) -> Path:
    file = path.with_suffix(".md")
    file.write_text(text, encoding="utf-8")
    return file


def text(path: Path, count: int) -> Path:
    file = path.with_suffix(".txt")
    said = [f"{'Assistant' if number % 2 else 'User'}: {words(number)}" for number in range(count)]
    file.write_text("\n\n".join(said) + "\n", encoding="utf-8")
    return file


def markdown(path: Path, count: int) -> Path:
    return marked(path, "\n".join(
        f"## {'Assistant' if number % 2 else 'User'}\n\n{words(number)}\n" for number in range(count)
    ))  # fmt: skip


def japanese(path: Path, count: int) -> Path:
    file = path.with_suffix(".log")
    said = [f"{'アシスタント' if number % 2 else 'ユーザー'}：{words(number)}\n" for number in range(count)]
    file.write_text("".join(said), encoding="utf-8")
    return file


def copilot_nameless(path: Path, count: int) -> Path:
    return copilot(path, count, None)


FORMATS: dict[str, Make] = {
    "messages-jsonl": messages_named, "messages-jsonl (nameless)": messages, "claude-code-jsonl": claude_code,
    "codex-rollout": codex, "cursor-jsonl": cursor, "copilot-cli-events": copilot,
    "copilot-cli-events (nameless)": copilot_nameless, "gemini-jsonl": gemini_lines, "gemini-json": gemini,
    "gemini-json (nameless)": gemini_nameless, "vscode-chat-json": vscode, "vscode-chat-log": vscode_log,
    "claude-code-web": web, "claude-export": claude_export, "claude-export (zip)": zipped_export,
    "chatgpt-export": chatgpt, "opencode-files": opencode_files, "opencode-database": opencode,
    "hermes-database": hermes, "specstory-markdown": specstory, "specstory-markdown (nameless)": specstory_nameless,
    "text": text, "text (markdown)": markdown, "text (japanese)": japanese,
}  # fmt: skip
BY_FILE = (
    "messages-jsonl (nameless)", "cursor-jsonl", "copilot-cli-events (nameless)", "gemini-json (nameless)",
    "claude-code-web", "specstory-markdown (nameless)", "text", "text (markdown)", "text (japanese)",
)  # fmt: skip
"""Formats in which nothing but the file names a session."""
