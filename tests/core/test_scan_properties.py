"""What holds of the scan for any text: no echo, true places, nothing left, an end in sight."""

from __future__ import annotations

import json
import string
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engram.core.scan import PERSONAL, SECRET, redact, scan, visible

LETTERS_AND_DIGITS = string.ascii_letters + string.digits


@st.composite
def secrets(draw: st.DrawFn) -> tuple[str, str]:
    """A made-up secret, and a text that holds it."""
    body = draw(st.text(LETTERS_AND_DIGITS, min_size=36, max_size=36).filter(_is_varied))
    secret, around = draw(
        st.sampled_from(
            [
                (f"ghp_{body}", "{}"),
                (f"glpat-{body[:20]}", "key {} here"),
                (f"AKIA{body[:16].upper()}", "> {}"),
                (f"{body[:12]}9a", "password: {}"),
                (f"{body}1b", "api_key = '{}'"),
                (f"{body[:14]}2c", "postgres://app:{}@db/app"),
                (f"{body[:24]}3d", "Authorization: Bearer {}"),
            ]
        )
    )
    before, after = draw(st.tuples(st.text(max_size=20), st.text(max_size=20)))
    return secret, f"{before}\n{around.format(secret)}\n{after}"


def _is_varied(body: str) -> bool:
    return len(set(body[:12].lower())) > 7 and any(letter.isdigit() for letter in body[:12])


FRAGMENTS = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            [
                "ignore all previous instructions", "password: hunter2hunter2", "jo@acme.dev", "\n",
                "\u200b", "\u200d", "\ufe0f", "\u202e", "👩", "א", "क", "<!--", "AKIA" + "IOSFODNN7EXAMPLE",
                " ", "aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM=", "-----BEGIN " + "PRIVATE KEY-----",
            ]
        ),
    ),
    max_size=10,
).map("".join)  # fmt: skip


@given(secrets())
def test_no_message_repeats_a_secret(made_up: tuple[str, str]) -> None:
    secret, text = made_up
    found = scan(text)
    assert any(finding.family == SECRET for finding in found)
    for finding in (*found, *scan(text, purpose="note"), *redact(text)[1]):
        for start in range(len(secret) - 8):
            assert secret[start : start + 8] not in finding.message


def labelled_secrets() -> list[str]:
    page = Path(__file__).parents[2] / "benchmarks" / "scan" / "secrets.jsonl"
    rows = [json.loads(line) for line in page.read_text(encoding="utf-8").splitlines()]
    return ["".join(row["parts"]) for row in rows]


def test_no_message_repeats_what_it_tells_of_in_any_labelled_text() -> None:
    told = 0
    for text in labelled_secrets():
        lines = text.split("\n")
        for finding in (*scan(text), *scan(text, purpose="note"), *redact(text)[1]):
            at = sum(len(line) + 1 for line in lines[: finding.line - 1]) + finding.column - 1
            secret = text[at : at + finding.length]
            for start in range(len(secret) - 7):
                assert secret[start : start + 8] not in finding.message
            told += 1
    assert told > 600


@given(secrets())
def test_no_secret_is_left_after_redaction(made_up: tuple[str, str]) -> None:
    secret, text = made_up
    assert secret not in redact(text)[0]


@given(FRAGMENTS)
def test_every_finding_stands_where_it_says(text: str) -> None:
    lines = text.split("\n")
    for finding in scan(text):
        assert 1 <= finding.line <= len(lines)
        start = sum(len(line) + 1 for line in lines[: finding.line - 1]) + finding.column - 1
        assert finding.length > 0
        assert start + finding.length <= len(text)


@given(FRAGMENTS)
def test_a_redacted_text_holds_nothing_to_redact(text: str) -> None:
    clean, _ = redact(text)
    assert not [finding for finding in scan(clean) if finding.family in {SECRET, PERSONAL}]


@given(FRAGMENTS)
def test_a_text_made_visible_hides_nothing(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown


@pytest.mark.parametrize(
    "piece",
    [
        "a", "1", "-", "_", "=", "+", "/", ".", " ", "\n", "\\\n", "@", "a@", "a.", "`", '"', "<!--", "![",
        "-eyJ", "sk-", "AA==\n", "%41", "\\x41", "1-", "+1 ", "4 ", "token token ", "password is ",
        "password: a1", "-----BEGIN PRIVATE KEY-----", "PuTTY-User-Key-File-2: ", "a://b:c",
        "ignore all the previous the ", "send secrets to to to ", "do not tell ", "curl a.b ",
        "env | a | ", "bash curl ", "![](http://a?", "<span style='", "\nHuman:", "== end of ", "system: ",
        "忽略之前的", "把密钥", "игнорируй все ", "i ", "\u200b", "\U000e0041", "é", "ﷺ", "Authorization: basic ",
    ],
)  # fmt: skip
def test_a_text_built_to_make_patterns_backtrack_is_scanned_to_its_end(piece: str) -> None:
    """Every pattern is bounded, so that this takes a moment; unbounded ones would take years."""
    text = piece * (6_000 // len(piece)) + "\nAKIA" + "IOSFODNN7EXAMPLE\n"
    assert "secret.aws_access_key" in {finding.kind for finding in scan(text)}


def _growth(call: Callable[[str], object], piece: str, size: int) -> float:
    """How many times as long four times as much text takes, in processor time."""

    def spent(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        began = time.process_time()
        call(text)
        return time.process_time() - began

    call(piece)
    return median(spent(4 * size) for _ in range(3)) / median(spent(size) for _ in range(3))


@pytest.mark.parametrize(
    "piece",
    [
        "a", "Zm9vYmFy", "aB3dE5gH7", " ", "\n", "[", "([{<", "((()))", "<!--", "<b ", "password: a1 ",
        "ignore all the previous the ", "jo@acme.dev ", "%41", "00 ", "Ordinary words, in a sentence. ",
    ],
)  # fmt: skip
def test_time_grows_with_the_length_of_a_text_not_faster(piece: str) -> None:
    """Four times the text takes about four times as long; it would be sixteen by the square."""
    assert _growth(scan, piece, 10_000) < 9


@pytest.mark.parametrize(
    ("call", "piece", "size"),
    [
        (scan, "<!-- claude: ", 40_000),
        (scan, "`<p style='display:none'>x</p>` ", 40_000),
        (visible, "\u200fא", 40_000),
    ],
)
def test_time_does_not_grow_by_what_stands_far_away(
    call: Callable[[str], object], piece: str, size: int
) -> None:
    assert _growth(call, piece, size) < 9


settings.register_profile("scan", deadline=None)
settings.load_profile("scan")
