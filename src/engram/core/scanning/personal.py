"""Find personal data: mail addresses, phone, card, account and national numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from engram.core.scanning.checksums import (
    aadhaar,
    bsn,
    card,
    cpf,
    dni,
    iban,
    nir,
    pesel,
    resident_id,
    snils,
)
from engram.core.scanning.finding import WARN, Span, mask
from engram.core.scanning.views import View
from engram.record import Record


class Number(Record):
    """One kind of personal datum: what it looks like, and what else must hold."""

    kind: str
    name: str
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = bool  # of the digits and capital letters


_S = r"[ .-]?"
_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,5}[A-Za-z\u00a1-\uffff]{2,24}(?![\w@-])"
)
_NO_PERSON = re.compile(
    r"(?:git|hg|noreply|no-reply|donotreply|postmaster|mailer-daemon)@|.*@(?:[\w-]+\.)*noreply\.",
    re.IGNORECASE,
)
_FILE = re.compile(
    r".*@\dx\.(?:png|jpe?g|webp|gif|svg)|.*\.(?:py|js|ts|go|rs|service|target|timer|socket)",
    re.IGNORECASE,
)
_PHONE_WORD = (
    r"(?:phone|mobile|cell|tel|call|whatsapp|fax|sms|тел|телефон|моб|telefon|handy|telefono|teléfono|móvil|"
    r"téléphone|telefone|celular|电话|手机|電話|携帯)"
)
_INTERNATIONAL = re.compile(
    r"(?<![\w+.])\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)|\d{1,5})(?:[ .-]?\d{1,5}){1,6}(?![\w])"
)
_AMERICAN = re.compile(
    r"(?<![\w.-])(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-.])[2-9]\d\d[-. ]\d{4}(?![\w.-])"
)
_NAMED_PHONE = re.compile(
    _PHONE_WORD
    + r"\.?(?: ?(?:number|no\.?|nr\.?|номер))?(?:\s?(?:is|:|：|=|на|at|-))?\s{0,3}(?P<value>\(?\d[\d ()./-]{6,18}\d)(?![\w])",
    re.IGNORECASE,
)

NUMBERS: tuple[Number, ...] = (
    Number("personal.iban", "a bank account (IBAN)", re.compile(r"\b[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"), iban),
    Number("personal.card", "a payment card", re.compile(r"(?<![\w.-])[2-6](?:[ -]?\d){12,18}(?![\w]|[.-]\d)"), card),
    Number("personal.national_id", "a US social security number", re.compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])")),
    Number("personal.national_id", "a UK national insurance number", re.compile(r"\b(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]\b")),
    Number("personal.national_id", "a Spanish identity number", re.compile(r"\b(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]\b"), dni),
    Number("personal.national_id", "a French social security number", re.compile(r"(?<![\w])[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?![\w])"), nir),
    Number("personal.national_id", "an Italian tax code", re.compile(r"\b[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]\b")),
    Number("personal.national_id", "a Brazilian CPF", re.compile(r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d\d(?![\w-])"), cpf),
    Number("personal.national_id", "a Russian SNILS", re.compile(r"(?<![\w-])\d{3}-\d{3}-\d{3}[ -]\d\d(?![\w-])"), snils),
    Number("personal.national_id", "a Chinese resident number", re.compile(r"(?<![\w])[1-8]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dXx](?![\w])"), resident_id),
    Number("personal.national_id", "an Indian Aadhaar number", re.compile(r"(?<![\w])[2-9]\d{3} \d{4} \d{4}(?! ?\d)"), aadhaar),
    Number("personal.national_id", "a Polish PESEL", re.compile(r"(?i:pesel)\D{0,12}\d{11}(?!\d)"), pesel),
    Number("personal.national_id", "a Dutch BSN", re.compile(r"(?i:\bbsn\b|burgerservicenummer)\D{0,12}\d{9}(?!\d)"), bsn),
    Number("personal.national_id", "a German tax number", re.compile(r"(?i:steuer-?id\w*|identifikationsnummer)\D{0,14}\d{2} ?\d{3} ?\d{3} ?\d{3}(?!\d)")),
    Number("personal.national_id", "a passport number", re.compile(r"(?i:passport|паспорт\w*|reisepass\w*|pasaporte|passeport|passaporte|护照|パスポート)[^\w\n]{0,6}(?:(?i:no|nr|number|номер|серия|号|番号)[^\w\n]{1,4})?(?:[A-Z]{1,2}\d{6,8}|\d{2} ?\d{2} ?\d{6}|\d{9})(?!\w)")),
    Number("personal.national_id", "a Japanese individual number", re.compile(r"(?:マイナンバー|個人番号)\D{0,6}\d{4}[ -]?\d{4}[ -]?\d{4}(?!\d)")),
)  # fmt: skip


def personal_spans(view: View, exempt: range) -> list[Span]:
    """Personal data in `view`, but for mail addresses in the offsets `exempt` of the original."""
    spans = [span for span in _emails(view) if span.start not in exempt]
    return [*spans, *_numbers(view), *_phones(view)]


def _emails(view: View) -> Iterator[Span]:
    if "@" not in view.text:
        return
    for match in _EMAIL.finditer(view.text):
        address = match.group()
        in_url = re.search(
            r"://[^\s/]{0,80}$", view.text[max(0, match.start() - 90) : match.start()]
        )
        if not (in_url or _NO_PERSON.match(address) or _FILE.fullmatch(address)):
            yield _span(view, match.span(), "personal.email", "an e-mail address")


def _numbers(view: View) -> Iterator[Span]:
    for number in NUMBERS:
        for match in number.pattern.finditer(view.text):
            value = re.sub(r"[^A-Z0-9]", "", match.group().upper())
            if number.holds(value):
                yield _span(view, match.span(), number.kind, number.name)


def _phones(view: View) -> Iterator[Span]:
    for pattern in (_INTERNATIONAL, _AMERICAN, _NAMED_PHONE):
        for match in pattern.finditer(view.text):
            group = "value" if pattern is _NAMED_PHONE else 0
            if 7 <= sum(c.isdigit() for c in match[group]) <= 15 and not _fiction(match[group]):
                yield _span(view, match.span(group), "personal.phone", "a phone number")


def _fiction(number: str) -> bool:
    """Numbers that the American plan keeps for films and examples."""
    return re.search(r"555[ .-]?01\d\d$", number) is not None


def _span(view: View, place: tuple[int, int], kind: str, name: str) -> Span:
    start, end = place
    return Span(*view.place(start, end), kind, f"looks like {name}: {mask(end - start)}", WARN)
