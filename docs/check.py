"""Check the pages: every relative link leads to a file, every `#anchor` to a heading of it.

usage: python docs/check.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!!)\[[^\]\[]*\]\(<?([^)\s>]+)>?\)")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
SOMEWHERE_ELSE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def main() -> int:
    pages = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    faults = [fault for page in pages for fault in faults_of(page)]
    for fault in faults:
        print(fault, file=sys.stderr)
    links = sum(len(links_of(page)) for page in pages)
    print(f"{len(pages)} pages, {links} links, {len(faults)} broken")
    return 1 if faults else 0


def faults_of(page: Path) -> list[str]:
    """What is wrong with the links of one page, one line each, as `file:line: what`."""
    name = page.relative_to(ROOT)
    return [
        f"{name}:{line}: {fault}"
        for line, target in links_of(page)
        if (fault := _fault(page, target))
    ]


def links_of(page: Path) -> list[tuple[int, str]]:
    """Line number and target of every link of a page that leads into this repository."""
    text = _prose(page)
    return [
        (text.count("\n", 0, found.start()) + 1, found[1])
        for found in LINK.finditer(text)
        if not SOMEWHERE_ELSE.match(found[1])
    ]


def _fault(page: Path, target: str) -> str:
    path, _, anchor = unquote(target).partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return f"no such file: {target}"
    if anchor and file.suffix == ".md" and anchor not in _anchors(file):
        return f"no such heading: {target}"
    return ""


def _anchors(page: Path) -> set[str]:
    return {_slug(heading) for heading in HEADING.findall(_prose(page))}


def _slug(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
    return kept.replace(" ", "-")


def _prose(page: Path) -> str:
    """The page without its fenced blocks, every line in its place."""
    text = page.read_text(encoding="utf-8")
    return FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)


if __name__ == "__main__":
    sys.exit(main())
