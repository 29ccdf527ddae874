"""Values for tests, built from what the test is about; the rest is filled in."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from engram.core.memory import FOLDERS, Entry, Hit, Memory

BODY = "# {title}\n\n## Content\n\n- {title}.\n"


def a_memory(id: str = "use-pnpm", **fields: Any) -> Memory:
    """A durable memory that is complete enough to be written to a file."""
    title = fields.get("title", id.replace("-", " ").capitalize())
    given: dict[str, Any] = {
        "type": "rule",
        "title": title,
        "body": BODY.format(title=title),
        "created": "2026-11-01",
        "updated": "2026-11-01",
        "valid_from": "2026-11-01",
        "last_confirmed": "2026-11-01",
    }
    return Memory(id=id, **{**given, **fields})


def an_entry(id: str = "use-pnpm", **fields: Any) -> Entry:
    """An index row; type, title, summary, path and digest follow from the id where not given."""
    type = fields.get("type", "rule")
    title = fields.get("title", id.replace("-", " ").capitalize())
    scope = fields.get("scope", "workspace")
    given: dict[str, Any] = {
        "type": type,
        "scope": scope,
        "title": title,
        "summary": f"What {title} is about.",
        "path": f"{FOLDERS[type]}/{id}.md",
        "digest": sha256(f"{scope}:{id}".encode()).hexdigest(),
        "updated": "2026-11-01",
    }
    return Entry(id=id, **{**given, **fields})


def a_hit(
    entry: Entry | str = "use-pnpm",
    matched: Iterable[str] = ("pnpm",),
    *,
    score: float = 1.0,
    in_title: Iterable[str] = (),
    in_labels: Iterable[str] = (),
    rare: Iterable[str] = (),
) -> Hit:
    """A hit on an entry (or on a fresh one of that id) by the terms it matched."""
    return Hit(
        entry if isinstance(entry, Entry) else an_entry(entry),
        score,
        frozenset(matched),
        frozenset(in_title),
        frozenset(in_labels),
        frozenset(rare),
    )
