"""Whether a value stands for a secret rather than being one."""

from __future__ import annotations

import re
from collections import Counter
from math import log2

_WORDS = frozenset(
    "true false yes no on off none null nil undefined void empty unset default auto required optional "
    "string str text bytes bool boolean int integer number float object array list dict any unknown "
    "secretstr password passwd pwd pass passphrase passwort secret token key apikey api_key credentials "
    "user username login admin root postgres mysql mariadb mongo redis rabbitmq guest minio elastic "
    "test testing tests example sample demo dummy fake mock foo bar baz foobar todo tbd fixme changeme "
    "placeholder redacted removed hidden masked secure inherit disabled enabled missing "
    "prompt stdin keychain keyring vault env environment localhost development production staging "
    "plaintext hashed encrypted bearer basic oauth jwt bcrypt scrypt argon2".split()
)
_STARTS = re.compile(
    r"[<${%*\[!&@]|\\?[\"']|your|my[-_ ]|the[-_ ]|some[-_ ]|insert|replace|change[-_]?(?:me|this|it)|example|"
    r"\d{1,3}(?:st|nd|rd|th)[-_]|(?:ctrl|alt|shift|cmd|meta|super)\+|dummy|fake|sample|placeholder|redacted|todo|test[-_]|secret[-_]|token[-_]|process\.|os\.|env[.(\[]|import\.|"
    r"https?:|file:|vault:|op://|arn:|ssm:|secretref|enc\[|ref\+|/|\./|~/|\.\./",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\$\{|\{\{|\}\}|<[\w -]{2,40}>|\.\.\.|…|\*{3}|x{4}|\w\([^()]*\)|getenv|environ|process\.env|secrets\.|::|->|your[-_]|_here\b|-here\b",
    re.IGNORECASE,
)
_ALGORITHM = re.compile(
    r"(?:base|sha|md|utf|aes|rsa|hs|rs|es|ps|ed|oauth|argon|pbkdf|x|tls|ssl|http|v|ipv|p|s|ecdsa|cl|gpt|o)[-_]?\d{1,5}"
    r"(?:[-_/]?(?:\w{1,6}))?",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"[A-Za-z_]\w{0,60}(?:\[\w{0,20}\])?(?:\.[A-Za-z_]\w{0,60}){1,8}")
_COMPOUND = re.compile(r"[A-Za-z]{1,30}\d{0,2}(?:[-_.][A-Za-z]{1,30}\d{0,2}|[-_.]\d{1,2}){1,12}")
_NUMBER = re.compile(
    r"v?\d[\d.,:_x/-]{0,30}(?:ms|s|m|h|d|k|kb|mb|gb|px|%|min|days?|hours?)?", re.IGNORECASE
)
# Words with slashes between them (`LDAP/AD`, `per-user/k8s`), a standard or a ticket (`RFC6750`,
# `OPS-42`), an attribute (`SameSite=Lax`). Capitals count: chance letters mix them in a word.
_WORD = r"(?:(?:[A-Z]?[a-z]{1,20}|[A-Z]{1,20})(?:[A-Z][a-z]{1,20}){0,3}\d{0,2}|[A-Za-z]\d{1,2}[A-Za-z]|\d{1,2})"
_WORDS_AND_SLASHES = re.compile(rf"{_WORD}(?:[-_./]{_WORD}){{1,6}}")
_NUMBERED = re.compile(
    r"(?:[A-Z]{2,10}-|RFC|ISO|PEP)\d{1,6}(?:-\d{1,4}[A-Z]?)?(?:/[A-Z]{2,10}-\d{1,6})?"
)
_ATTRIBUTE = re.compile(r"[A-Za-z]{2,20}=[A-Za-z]{2,20}")
_REPEATS = re.compile(r"(.)\1{6}|abcdefghij")
_NAMES_SECRET = re.compile(r"pass|secret|token|credential|api_?key", re.IGNORECASE)


def stands_in(value: str) -> bool:
    """Whether `value` is a placeholder, a reference, a type, a number or a name in code."""
    small = value.lower().strip("_-.:;,")
    return (
        small in _WORDS
        or len(set(small)) < 4
        or _STARTS.match(value) is not None
        or _HOLDS.search(value) is not None
        or _looks_like_code(small)
        or _is_reference(value.strip("_-.:;,"))
    )


def pads(body: str) -> bool:
    """Whether a key of the right shape is filled up by hand (`ghp_xxxxxxxx`, `sk-your-key-here`)."""
    small = body.lower()
    filler = max(Counter(small).values()) / len(small)
    return (
        filler > 0.6
        or _REPEATS.search(small) is not None
        or "xxxx" in small
        or "your" in small
        or "placeholder" in small
    )


def mixed(value: str) -> bool:
    """Whether a value holds a letter together with a digit or another sign, as passwords do."""
    letters = any(letter.isalpha() for letter in value)
    return letters and not value.replace("-", "").replace("_", "").isalpha()


def entropy(value: str) -> float:
    """Bits for each character, after Shannon."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in Counter(value).values())


def names_secret(value: str) -> bool:
    """Whether a value reads like a name in code for a secret (`userPassword`)."""
    return _NAMES_SECRET.search(value) is not None


def _looks_like_code(value: str) -> bool:
    return any(p.fullmatch(value) for p in (_ALGORITHM, _DOTTED, _COMPOUND, _NUMBER))


def _is_reference(value: str) -> bool:
    return any(p.fullmatch(value) for p in (_WORDS_AND_SLASHES, _NUMBERED, _ATTRIBUTE))
