"""What counts as approved, and a manifest that sha256sum itself can check."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import Damaged
from engram.store.layout import Layout
from engram.store.manifest import (
    Manifest,
    forms,
    manifest_of,
    parse,
    parse_legacy,
    read_manifest,
    render,
    state_of,
    with_digest,
    working_manifest_of,
)
from engram.system.files import sha256

A, B = sha256(b"a"), sha256(b"b")
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@given(st.dictionaries(NAMES, st.sampled_from([(A,), (A, B)])))
def test_what_is_rendered_reads_back(digests: dict[str, tuple[str, ...]]) -> None:
    assert parse(render(Manifest(digests))) == Manifest(digests)


def test_a_name_that_is_no_text_survives() -> None:
    name = os.fsdecode(b"rules/\xff.md")
    assert parse(render(Manifest({name: (A,)}))).digests == {name: (A,)}


@pytest.mark.parametrize(
    "name", ["plain.md", "back\\slash.md", "new\nline.md", "ретурн\r.md", "\\n.md"]
)
def test_sha256sum_can_check_it(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"a")
    (tmp_path / "memory.sha256").write_bytes(render(Manifest({name: (A,)})))
    checked = subprocess.run(
        ["sha256sum", "-c", "--strict", "memory.sha256"], cwd=tmp_path, check=False
    )
    assert checked.returncode == 0


@pytest.mark.parametrize("name", ["plain.md", "back\\slash.md", "new\nline.md"])
def test_what_sha256sum_writes_can_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"a")
    told = subprocess.run(
        ["sha256sum", "-b", name], cwd=tmp_path, check=True, stdout=subprocess.PIPE
    )
    assert parse(told.stdout).digests == {name: (A,)}


def test_it_is_sorted_so_that_branches_merge_well() -> None:
    lines = render(Manifest({"b": (B,), "a": (A,)})).decode().splitlines()
    assert lines == [f"{A}  a", f"{B}  b"]


def test_a_union_merge_approves_what_either_side_approved() -> None:
    merged = parse(f"{A}  rules/a.md\n{B}  rules/a.md\n{A}  rules/a.md\n".encode())
    assert merged.digests == {"rules/a.md": (A, B)}
    assert merged.state("rules/a.md", b"a") == "approved"
    assert merged.state("rules/a.md", b"b") == "approved"
    assert merged.state("rules/a.md", b"c") == "changed"
    assert merged.state("rules/b.md", b"a") == "unreviewed"
    assert list(merged.paths) == ["rules/a.md"]


def test_conflict_marks_and_stray_lines_are_passed_over_and_told() -> None:
    text = f"# made by hand\n\n<<<<<<< HEAD\n{A}  a\n=======\n{B.upper()} *b\r\n>>>>>>> x\nstray\n{A}\n"
    read = parse(b"\xef\xbb\xbf" + text.encode())
    assert read.digests == {"a": (A,), "b": (B,)}
    assert [note.split(":")[0][-7:] for note in read.notes] == [
        " line 3", " line 5", " line 7", " line 8", " line 9"
    ]  # fmt: skip


def test_a_new_digest_takes_the_place_of_all_that_were_there() -> None:
    manifest = Manifest({"a": (A, B), "b": (B,)})
    assert with_digest(manifest, "a", B).digests == {"a": (B,), "b": (B,)}
    assert with_digest(manifest, "a", None).digests == {"b": (B,)}
    assert manifest.digests["a"] == (A, B)


TEXTS = ("one\ntwo\n", "one\ntwo", "\n", "")


@pytest.mark.parametrize("text", TEXTS)
def test_line_ends_and_a_byte_order_mark_change_no_state(text: str) -> None:
    crlf = text.replace("\n", "\r\n").encode()
    variants = [text.encode(), crlf, b"\xef\xbb\xbf" + text.encode(), b"\xef\xbb\xbf" + crlf]
    for approved in (text.encode(), crlf):
        manifest = Manifest({"a": (sha256(approved),)})
        for data in [*variants, text.replace("\n", "\r").encode()]:
            assert manifest.state("a", data) == "approved"
    assert Manifest({"a": (sha256(b"other"),)}).state("a", text.encode()) == "changed"


def test_the_first_form_is_the_files_own_digest() -> None:
    assert forms(b"a\r\nb")[0] == sha256(b"a\r\nb")
    assert state_of(Manifest({"a": (A,)}), "a", iter((B, A))) == "approved"


def test_the_earlier_editions_manifest_serves_until_there_is_a_new_one(tmp_path: Path) -> None:
    layout = Layout(str(tmp_path))
    assert manifest_of(layout) == Manifest({})
    (tmp_path / "memory.hashes.json").write_text(json.dumps({"rules/a.md": A.upper()}))
    assert manifest_of(layout).digests == {"rules/a.md": (A,)}
    (tmp_path / "memory.sha256").write_bytes(render(Manifest({"rules/b.md": (B,)})))
    assert manifest_of(layout).digests == {"rules/b.md": (B,)}
    assert read_manifest(str(tmp_path / "none")) == Manifest({})
    assert working_manifest_of(layout) == Manifest({})


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"a": 1}', b"\xff"])
def test_a_damaged_earlier_manifest_is_an_error_and_not_an_empty_one(data: bytes) -> None:
    with pytest.raises(Damaged) as raised:
        parse_legacy(data)
    assert raised.value.code == "manifest.damaged"


def test_an_entry_that_is_no_digest_approves_nothing() -> None:
    assert parse_legacy(b'{"a": "nonsense"}').digests == {}
