"""Find secrets: keys of a known shape, values given to a telling name, logins in URLs, chance text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from engram.core.scanning.credential_rules import LAST_LINE, LONGEST_KEY_FILE, SHAPES, Shape
from engram.core.scanning.finding import Span, mask
from engram.core.scanning.placeholders import entropy, mixed, names_secret, pads, stands_in
from engram.core.scanning.views import View

_NAMES_OF_LOGINS = (
    r"password|passwd|passphrase|passcode|passwort|kennwort|пароль|пароля|contrasena|contraseña|"
    r"mot de passe|senha|palavra-passe|密码|口令|密碼|パスワード|(?<![a-z])pwd|(?<=[_a-z])pass(?![a-z])|(?<![a-z_.-])pass(?=\s?=)|(?<=[_-])pw(?![a-z])"
)
_NAMES_OF_KEYS = (
    r"secret|token|api[_ -]?key|access[_ -]?key|private[_ -]?key|encryption[_ -]?key|signing[_ -]?key|"
    r"auth[_-]?key|account[_-]?key|master[_ -]?key|credential|ключ api|api-ключ|токен|секрет|令牌|密钥|トークン|apikey"
)
_SUFFIX = (
    r"(?:[_-]?(?:key|value|base|prod|production|dev|staging|live|main|primary|root|v?\d{1,2})){0,3}"
)
_SEPARATOR = r"(?P<sep>[\"'`\]*]{0,3}\s{0,3}(?::=|=>|={1,2}|:|：|＝)|[\"'`]?\s{1,3}(?:is|ist|lautet|est|es|é|это|—)(?=\s)|[是はが]{1})\*{0,2}\s{0,3}"
_VALUE = (
    r"(?:[brfu]{0,2}\"(?P<double>[^\"\n]{4,300})\"|[brfu]{0,2}'(?P<single>[^'\n]{4,300})'|`(?P<tick>[^`\n]{4,300})`"
    r"|(?P<bare>[^\s\"'`|<>,;(){}\[\]\u3001-\u9fff\uac00-\ud7af]{4,300})(?P<call>[(\[{]?))"
)
_ASSIGNMENT = re.compile(
    f"(?:(?P<password>{_NAMES_OF_LOGINS})|(?P<key>{_NAMES_OF_KEYS})){_SUFFIX}{_SEPARATOR}{_VALUE}",
    re.IGNORECASE,
)
_ASSIGNMENT_KEYS = re.compile(
    r"pass|pwd|pw|kennwort|парол|contrase|senha|密|口令|パスワ|secret|token|key|credential|ключ|токен|секрет|令牌|トークン",
    re.IGNORECASE,
)

_URL_LOGIN = re.compile(
    r"(?<![\w.+-])[a-z][a-z0-9+.-]{1,30}://[^\s:@/\"'<>]{0,80}:(?P<value>[^\s@/\"'<>]{3,200})@[\w.\[$-]",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\bbearer\s{1,3}(?P<value>[\w.~+/=-]{16,3000})", re.IGNORECASE)
_BASIC = re.compile(
    r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?basic\s{1,3}(?P<value>[\w+/=-]{8,400})",
    re.IGNORECASE,
)
_CURL_LOGIN = re.compile(
    r"\bcurl\b[^\n|;]{0,200}?\s(?:-u|--user)[ =]?[\"']?[\w.@-]{0,60}:(?P<value>[^\s\"'@:]{4,100})",
    re.IGNORECASE,
)
_MYSQL_LOGIN = re.compile(
    r"\b(?:mysql|mysqldump|mariadb|sshpass)\b[^\n|;]{0,120}?\s-p[\"']?(?P<value>[^\s\"'-][^\s\"']{5,100})"
)
_NETRC = re.compile(
    r"\blogin\s{1,4}\S{1,80}\s{1,4}password\s{1,4}(?P<value>\S{4,200})", re.IGNORECASE
)
_NPMRC = re.compile(
    r"_auth(?:token|)?\s{0,2}=\s{0,2}[\"']?(?P<value>[\w+/=-]{16,300})", re.IGNORECASE
)
_DOCKER_AUTH = re.compile(
    r"[\"']auth[\"']\s{0,3}:\s{0,3}[\"'](?P<value>[A-Za-z0-9+/]{12,300}={0,2})[\"']"
)
_PGPASS = re.compile(
    r"(?m)^[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?P<value>\S{4,100})$"
)
_SHORT_NAMED = re.compile(
    r"(?:datadog|dd_|cohere|algolia|wandb|twilio|okta|asana|mailjet|fastly|azure|devops|cloudflare|heroku|snyk|"
    r"segment|amplitude|bugsnag|rollbar|aws_secret|secret[ _]?access)[^\n:=]{0,30}[:=]\s{0,3}[\"'`]?"
    r"(?P<value>[A-Za-z0-9+/_-]{20,64}={0,2})(?![\w/+-])",
    re.IGNORECASE,
)

_LOGINS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("secret.connection_string", "a password in a connection string", _URL_LOGIN),
    ("secret.bearer_token", "a bearer token", _BEARER),
    ("secret.basic_auth", "a login in an Authorization header", _BASIC),
    ("secret.basic_auth", "a login for curl", _CURL_LOGIN),
    ("secret.password", "a database password on a command line", _MYSQL_LOGIN),
    ("secret.netrc", "a password in a .netrc line", _NETRC),
    ("secret.registry_auth", "a registry token", _NPMRC),
    ("secret.registry_auth", "a registry login", _DOCKER_AUTH),
    ("secret.pgpass", "a password in a .pgpass line", _PGPASS),
    ("secret.service_key", "a service's key", _SHORT_NAMED),
)

_CHANCE = re.compile(r"(?<![\w+/=.@:%-])[A-Za-z0-9+/_-]{32,128}={0,2}(?![\w+/=.@%-])")
# What a run of chance letters often is, by how it begins: pictures, fonts, archives, certificates,
# public keys, digests.
_PUBLIC_START = (
    "iVBOR",
    "R0lGOD",
    "/9j/",
    "UklGR",
    "AGFzbQ",
    "H4sI",
    "JVBERi",
    "d09G",
    "UEsDB",
    "MII",
    "AAAA",
    "LS0t",
)
_PUBLIC_BEFORE = re.compile(
    r"(?:sha\d{1,3}[-:= ]{1,2}|md5[-:= ]{1,2}|integrity\W{1,4}|digest\W{1,4}|checksum\W{1,4}|hash\W{1,4}|h1:|base64,|nonce\W{1,3}|/|[?&=#])$",
    re.IGNORECASE,
)
_DIGEST = re.compile(r"(?:sha\d{1,3}|md5|h1|blake\w{1,3})[-_]", re.IGNORECASE)
_CHANCE_BITS = 4.3  # a bit above English text and identifiers of this length, below random Base64


def secret_spans(view: View, *, shapes_only: bool = False) -> list[Span]:
    """Secrets in `view`, at their places in the original; the surest kinds come first."""
    spans = list(_shaped(view))
    if not shapes_only:
        spans += [*_logins(view), *_assigned(view), *_by_chance(view)]
    return spans


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _shaped(view: View) -> Iterator[Span]:
    for shape in SHAPES:
        if any(key in view.text for key in shape.keys):
            for match in _compiled(shape.pattern).finditer(view.text):
                start, end = match.span()
                if shape.kind in LAST_LINE:
                    end = _end_of_key_file(view.text, end, LAST_LINE[shape.kind])
                elif pads(match.group()[4:] or match.group()):
                    continue
                yield _span_of(view, shape, start, end)


def _span_of(view: View, shape: Shape, start: int, end: int) -> Span:
    shown = mask(end - start, view.text[start : start + 4] if shape.public else "")
    return Span(
        *view.place(start, end), f"secret.{shape.kind}", f"looks like {shape.name}: {shown}"
    )


def _end_of_key_file(text: str, head_end: int, mark: str) -> int:
    """Where a key file ends: with its last line if that is near, else with its last key-like line."""
    last = text.find(mark, head_end, head_end + LONGEST_KEY_FILE)
    if last >= 0:
        line_end = text.find("\n", last)
        stop = len(text) if line_end < 0 else line_end
        return min(stop, last + 120)
    body = _KEY_LINES.match(text, head_end)
    return body.end() if body else head_end


_KEY_LINES = re.compile(r"(?:(?:\\[rn]|[\s>]){1,12}[A-Za-z0-9+/=]{16,90}(?![\w+/=])){1,120}")


def _logins(view: View) -> Iterator[Span]:
    for kind, name, pattern in _LOGINS:
        for match in pattern.finditer(view.text):
            value = match["value"]
            if not stands_in(value) and _is_login(kind, value):
                yield _value_span(view, match.span("value"), kind, name)


def _is_login(kind: str, value: str) -> bool:
    if kind in {"secret.bearer_token", "secret.service_key", "secret.registry_auth"}:
        return mixed(value) and entropy(value) > 3 and not pads(value)
    return True


def _value_span(view: View, place: tuple[int, int], kind: str, name: str) -> Span:
    start, end = place
    return Span(*view.place(start, end), kind, f"looks like {name}: {mask(end - start)}")


def _assigned(view: View) -> Iterator[Span]:
    if not _ASSIGNMENT_KEYS.search(view.text):
        return
    for match in _ASSIGNMENT.finditer(view.text):
        group = next(name for name in ("double", "single", "tick", "bare") if match[name])
        start, end = match.span(group)
        value = match[group].rstrip(".:!?*_") if group == "bare" else match[group]
        end = start + len(value)
        kind = "password" if match["password"] else "assigned"
        if _harmless(view.text, match):
            continue
        if not match["call"] and _is_assigned(kind, match["sep"].strip("\"'`]* "), value, group):
            name = "a password" if kind == "password" else "a secret given to a name"
            yield _value_span(view, (start, end), f"secret.{kind}", name)


def _harmless(text: str, match: re.Match[str]) -> bool:
    """Whether it is the token of a page, a repeated call or a public badge."""
    if not match.group().lower().startswith("token"):
        return False
    before = text[max(0, match.start() - 80) : match.start()].lower()
    return _OTHER_TOKENS.search(before) is not None


_OTHER_TOKENS = re.compile(
    r"(?:next|page|client|sync|cursor|continuation|cancel\w{0,7}|idempotency|design|sequence|request)[ _-]?$|badge[^\s]{0,60}[?&]$"
)


def _is_assigned(kind: str, separator: str, value: str, group: str) -> bool:
    """Whether a value after a telling name and a separator is a secret, not a word about one."""
    if len(value) < 6 or " " in value:
        return kind == "password" and group != "bare" and _is_passphrase(value)
    if stands_in(value) or names_secret(value):
        return False
    if separator not in {":=", "=>", "=", "==", ":", "：", "＝"}:
        return len(value) >= 8 and sum(not letter.isalpha() for letter in value) >= 2
    if mixed(value):
        return True
    tight = separator == "=" or group != "bare"
    return kind == "password" and tight and value.isalpha() and value.islower() and len(value) >= 8


def _is_passphrase(value: str) -> bool:
    words = value.split(" ")
    return len(words) >= 4 and all(
        word.isalpha() and word.islower() and len(word) > 2 for word in words
    )


def _by_chance(view: View) -> Iterator[Span]:
    for match in _CHANCE.finditer(view.text):
        value = match.group()
        if _in_block(view.text, *match.span()):
            continue
        if _by_chance_only(value) and not _PUBLIC_BEFORE.search(
            view.text, max(0, match.start() - 12), match.start()
        ):
            yield _value_span(
                view, match.span(), "secret.random", "a key (letters and digits by chance)"
            )


def _in_block(text: str, start: int, end: int) -> bool:
    """Whether a run is part of a picture, or of a block of such lines, as certificates are."""
    before, after = text[max(0, start - 66) : start], text[end : end + 66]
    embedded = text.rfind("base64,", max(0, start - _LONGEST_PICTURE), start)
    if embedded >= 0 and not any(letter.isspace() for letter in text[embedded:start]):
        return True
    return bool(_LINE_BEFORE.search(before) or _LINE_AFTER.match(after))


_LONGEST_PICTURE = 4_000
_LINE_BEFORE = re.compile(r"[A-Za-z0-9+/]{60,64}\r?\n\Z")
_LINE_AFTER = re.compile(r"\r?\n[A-Za-z0-9+/]{60,64}")


def _by_chance_only(value: str) -> bool:
    if value.startswith(_PUBLIC_START) or _DIGEST.match(value) or "//" in value or len(value) > 100:
        return False
    kinds = (str.isdigit, str.isupper, str.islower)
    if not all(any(kind(letter) for letter in value) for kind in kinds):
        return False
    if re.fullmatch(r"[0-9a-f]{8,}", re.split(r"[_-]", value)[-1]):
        return False
    longest_word = max(len(word) for word in re.split(r"[^A-Za-z]", value))
    return (
        entropy(value) > _CHANCE_BITS and longest_word < 16 and _switches(value) > len(value) // 3
    )


def _switches(value: str) -> int:
    """How often neighbours differ in class (capital, small, digit); names in code seldom switch."""
    classes = [1 if c.isupper() else 2 if c.islower() else 3 if c.isdigit() else 0 for c in value]
    return sum(a != b for a, b in pairwise(classes))
