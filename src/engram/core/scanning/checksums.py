"""Check digits of card, account and national numbers, by the rule that each issuer publishes."""

from __future__ import annotations

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_RESIDENT_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_PESEL_WEIGHTS = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)
_BSN_WEIGHTS = (9, 8, 7, 6, 5, 4, 3, 2, -1)
_IBAN_LENGTHS = {
    "AT": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18,
    "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IS": 26, "IT": 27, "KZ": 20, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MT": 31,
    "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19,
    "SK": 24, "TR": 26, "UA": 29, "AE": 23,
}  # fmt: skip


def card(number: str) -> bool:
    """Luhn (ISO/IEC 7812-1, annex B), for the lengths and first digits of payment cards."""
    if not number.isdigit() or not 13 <= len(number) <= 19 or len(set(number)) < 2:
        return False
    doubled = [int(d) * (1 + (i % 2)) for i, d in enumerate(reversed(number))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def iban(number: str) -> bool:
    """Modulo 97 (ISO 13616), for the length of the country."""
    if _IBAN_LENGTHS.get(number[:2]) != len(number):
        return False
    return int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1


def dni(number: str) -> bool:
    """Modulo 23 of a Spanish DNI or NIE."""
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return digits.isdigit() and _DNI_LETTERS[int(digits) % 23] == number[-1]


def nir(number: str) -> bool:
    """Modulo 97 of a French social security number."""
    body = number[:-2].replace("2A", "19").replace("2B", "18")
    return body.isdigit() and 97 - int(body) % 97 == int(number[-2:])


def cpf(number: str) -> bool:
    """The two check digits of a Brazilian CPF."""
    digits = [int(d) for d in number]
    if len(set(digits)) == 1:
        return False
    return all(
        sum(d * (size + 1 - i) for i, d in enumerate(digits[:size])) * 10 % 11 % 10 == digits[size]
        for size in (9, 10)
    )


def snils(number: str) -> bool:
    """The check number of a Russian SNILS."""
    total = sum(int(d) * (9 - i) for i, d in enumerate(number[:9]))
    return total % 101 % 100 == int(number[9:])


def resident_id(number: str) -> bool:
    """The check character of a Chinese resident number (ISO 7064, modulo 11-2)."""
    total = sum(int(d) * w for d, w in zip(number, _RESIDENT_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[-1]


def pesel(number: str) -> bool:
    """The check digit of a Polish PESEL, at the end of `number`."""
    digits = [int(d) for d in number[-11:]]
    total = sum(d * w for d, w in zip(digits, _PESEL_WEIGHTS, strict=False))
    return -total % 10 == digits[10]


def bsn(number: str) -> bool:
    """The eleven-test of a Dutch BSN, at the end of `number`."""
    return sum(int(d) * w for d, w in zip(number[-9:], _BSN_WEIGHTS, strict=True)) % 11 == 0


def aadhaar(number: str) -> bool:
    """Verhoeff's check digit of an Indian Aadhaar number."""
    check = 0
    for place, digit in enumerate(reversed(number)):
        check = _dihedral(check, _turned(int(digit), place))
    return check == 0


def _dihedral(a: int, b: int) -> int:
    """The product of two members of the dihedral group of order ten."""
    if a < 5:
        return (a + b) % 5 + (0 if b < 5 else 5)
    return (a - b) % 5 + (5 if b < 5 else 0)


def _turned(digit: int, times: int) -> int:
    for _ in range(times % 8):
        digit = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)[digit]
    return digit
