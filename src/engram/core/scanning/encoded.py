"""What a text says in Base64, hexadecimal or percent signs."""

from __future__ import annotations

import re
from binascii import a2b_base64, unhexlify
from collections.abc import Iterator

from engram.core.scanning.views import View
from engram.record import Record

_BASE64 = re.compile(r"(?<![\w+/-])[A-Za-z0-9+/_-]{20,}(?:={1,2})?(?![\w+/=-])")
_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:\\x|0x|)(?:[0-9A-Fa-f]{2}[ :]?(?:\\x|0x)?){16,}(?![0-9A-Za-z])"
)
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2}|[\w.~+-]){12,}")
_URL_SAFE = str.maketrans("-_", "+/")
_HEAD = 32  # enough to tell text from a picture, and to skip long pictures at once
_MOST = 20_000


class Encoded(Record):
    """A stretch of the original and the text that it encodes."""

    start: int
    end: int
    text: str
    encoding: str


def encoded(view: View) -> Iterator[Encoded]:
    """Each stretch of `view` that decodes to readable text."""
    for pattern, encoding, decode in (
        (_BASE64, "Base64", _from_base64),
        (_HEX, "hexadecimal", _from_hex),
        (_PERCENT, "percent signs", _from_percent),
    ):
        for match in pattern.finditer(view.text):
            text = decode(match.group())
            if text:
                yield Encoded(*view.place(*match.span()), text, encoding)


def _from_base64(token: str) -> str:
    digits = token.rstrip("=").translate(_URL_SAFE)
    return _base64(digits[:_HEAD]) and _base64(digits[:_MOST])


def _base64(digits: str) -> str:
    digits = digits[: len(digits) - 1] if len(digits) % 4 == 1 else digits
    return _readable(a2b_base64(digits + "=" * (-len(digits) % 4)))


def _from_hex(token: str) -> str:
    return _readable(unhexlify(re.sub(r"\\x|0x|[ :]", "", token)[:_MOST]))


def _from_percent(token: str) -> str:
    if token.count("%") < 4:
        return ""
    spelled = re.sub(r"%([0-9A-Fa-f]{2})", lambda code: chr(int(code[1], 16)), token[:_MOST])
    try:
        return _readable(spelled.replace("+", " ").encode("latin-1"))
    except UnicodeEncodeError:
        return ""


def _readable(octets: bytes) -> str:
    """`octets` as text, or "" where they are not text."""
    text = octets.decode("utf-8", "ignore")
    shown = sum(letter.isprintable() or letter in "\t\r\n" for letter in text)
    lost = len(octets) - len(text.encode())
    return text if text and lost <= 3 and shown == len(text) else ""
