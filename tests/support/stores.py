"""A real store in a scratch folder, with its index, to write into and ask."""

from __future__ import annotations

import os
import time
from pathlib import Path

from engram.core import words
from engram.core.memory import Hit
from engram.store.index import Index, open_index
from engram.store.layout import Layout
from engram.store.manifest import Manifest, render
from engram.system.files import sha256

SETTLED_SECONDS = 10.0  # by so much the index's clock is ahead of the files just written

TEXT = """---
schema_version: 3
id: {id}
type: {type}
scope: workspace
tags: [{tags}]
created: 2026-01-01
updated: 2026-01-02
authority: {authority}
revision: 1
valid_from: 2026-01-01
last_confirmed: 2026-01-01
{extra}---

# {title}

## Content

- {content}
"""
TYPES = {"rules": "rule", "skills": "skill", "knowledge": "knowledge"}


def a_text(path: str, title: str, content: str, *, tags: str = "", extra: str = "") -> str:
    """The text of a memory file for a place in the store."""
    folder = next((part for part in path.split("/") if part in TYPES), "knowledge")
    return TEXT.format(
        id=Path(path).stem,
        type=TYPES[folder],
        authority="reference" if folder == "knowledge" else "instruction",
        title=title,
        content=content,
        tags=tags,
        extra=extra,
    )


class Store:
    """One project's store and the cache folder that its index is in."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.layout = Layout.of_project(str(self.project))
        self.root = Path(self.layout.root)
        self.root.mkdir(parents=True, exist_ok=True)
        self.cache = str(folder / "cache")

    @property
    def index_file(self) -> Path:
        return Path(self.layout.cache(self.cache), "index.sqlite")

    def place(self, path: str) -> Path:
        return self.root / path

    def put(
        self, path: str, title: str, content: str = "", *, tags: str = "", extra: str = ""
    ) -> Path:
        """Write a memory as an editor would, with no approval."""
        place = self.place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = a_text(path, title, content or title, tags=tags, extra=extra)
        place.write_text(text, encoding="utf-8", newline="")
        return place

    def approve(self, *paths: str) -> None:
        """Take the files as they are into a new manifest."""
        digests = {path: (sha256(self.place(path).read_bytes()),) for path in paths}
        Path(self.layout.manifest).write_bytes(render(Manifest(digests)))

    def open(self, ahead: float = SETTLED_SECONDS) -> Index:
        """The index, opened by a clock that is `ahead` of the real one."""
        return open_index(self.layout, self.cache, time.time() + ahead)

    def ask(
        self, question: str, *, complete: bool = True, ahead: float = SETTLED_SECONDS
    ) -> list[str]:
        """The ids that answer a question, best first, asked as a new process would."""
        with self.open(ahead) as index:
            terms = words.query_terms(question)
            index.refresh(complete=complete, terms=terms)
            return ids(index.find(terms, 10))


def ids(hits: list[Hit]) -> list[str]:
    """The ids of hits, in their order."""
    return [hit.entry.id for hit in hits]


def put_back(place: Path, state: os.stat_result) -> None:
    """Give a file the modification time that it had."""
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
