"""A term of a task meets a term of a text, whatever the script and however a name is written."""

from __future__ import annotations

import pytest

from engram.core import words
from engram.core.stop_words import STOP_WORDS
from engram.core.words import HEAD, LONGEST, MOST_TERMS, TAIL, query_terms, terms


def meet(query: str, text: str) -> set[str]:
    return set(query_terms(query)) & set(terms(text))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        # English
        ("migrating", "Database migrations run at night"),
        ("the tests", "Testing needs a fixture"),
        ("CAFE", "a café"),
        # Russian and other Cyrillic
        ("миграция базы", "Запускай миграции ночью"),
        ("тестов", "Тесты идут каждую ночь"),
        ("елка", "Ёлка стоит"),
        ("ОШИБКИ", "ошибка сети"),
        ("міграція", "міграція бази даних"),
        ("тестове", "Тестове се пускат"),
        # Greek, with accents and the final sigma
        ("αθηνα", "Η Αθήνα"),
        ("ΛΟΓΟΣ", "ο λόγος"),
        # accented Latin
        ("Größe", "die grosse Datei"),
        ("STRASSE", "Straße"),
        ("naïve", "a naive way"),
        ("Łódź", "lodz"),
        ("øl", "OL"),
        ("œuvre", "oeuvre"),
        ("İstanbul", "istanbul"),
        ("configuração", "configuracao"),
        ("migración", "migracion de datos"),
        # Chinese, Japanese, Korean
        ("数据库", "迁移数据库之前先备份"),
        ("測試", "先跑測試"),
        ("テスト", "単体テストを書く"),
        ("ﾃｽﾄ", "単体テストを書く"),
        ("移行", "データベースの移行"),
        ("데이터베이스", "데이터베이스를 옮긴다"),
        ("中", "中 文"),
        # others without spaces
        ("ทดสอบ", "การทดสอบระบบ"),
        # Arabic with its article, Hindi, Armenian, Tamil
        ("مكتبة", "المكتبة الجديدة"),
        ("لغة", "باللغة العربية"),
        ("भाषा", "भाषाओं की सूची"),
        ("մատյան", "մատյաններ"),
        ("கோப்பு", "கோப்பு"),
        # several scripts in one text
        ("API", "调用API接口"),
        ("接口", "调用API接口"),
        ("docker", "запусти docker-контейнер"),
        ("контейнер", "запусти docker-контейнер"),
        ("UTF8", "utf-8"),
        ("ｈｔｔｐ", "http"),
        ("file", "ﬁle"),
        ("Datenbank", "Daten\u00adbank"),
    ],
)
def test_a_word_of_a_task_meets_the_word_of_a_text(query: str, text: str) -> None:
    assert meet(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        # terms of two letters, and names made of signs
        ("CI", "The CI runs nightly"),
        ("the UI", "UI texts"),
        ("Go", "Go services"),
        ("c++", "Written in C++."),
        ("C#", "c# code"),
        (".NET", ".NET 8"),
        # identifiers, whole and in parts
        ("parseHTTPRequest", "call parseHTTPRequest()"),
        ("http request", "call parseHTTPRequest()"),
        ("parse_http_request", "parseHTTPRequest"),
        ("snake_case", "use snake_case names"),
        ("snake", "use snake_case names"),
        ("io.py", "see src/core/io.py"),
        ("src/core/io.py", "see `src/core/io.py`."),
        ("core", "see src/core/io.py"),
        ("C:\\Users\\ada", "users"),
        ("node.js", "Node.js"),
        ("@scope/pkg", "scope/pkg"),
        ("pnpm-lock.yaml", "the pnpm lock"),
        ("--no-verify", "never pass --no-verify"),
        ("X-Request-Id", "the x-request-id header"),
        ("APIs", "an API"),
        ("OAuth2", "oauth2"),
        ("v1.2.3", "released as v1.2.3"),
        ("k8s", "K8S"),
        # error codes
        ("E1234", "fails with E1234"),
        ("SQLSTATE 42P01", "42P01 means no such table"),
        ("42p01", "SQLSTATE 42P01"),
        ("HTTP 503", "answer 503"),
        ("HTTP503", "HTTP 503"),
        ("TS2345", "error TS2345:"),
        ("ORA-00942", "ORA-00942"),
        ("ENOENT", "ENOENT: no such file"),
        ("0x80070005", "(0x80070005)"),
        ("#123", "see #123"),
    ],
)
def test_a_name_of_a_task_meets_the_name_of_a_text(query: str, text: str) -> None:
    assert meet(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("auth", "the authors"),
        ("port", "important"),
        ("rest", "restore"),
        ("库存", "数据库 存储"),  # letters of two words
        ("тест", "протестовать"),
        ("⚠️", "⚠️ Careful"),  # what is no letter is no term
        ("E1234", "E12345"),
        ("don't", "do not"),
    ],
)
def test_what_shares_no_word_does_not_meet(query: str, text: str) -> None:
    assert not meet(query, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPRequest2", ["parsehttprequest2", "pars", "http", "request"]),
        ("src/core/io.py", ["src/core/io.py", "src", "core", "io", "py"]),
        ("C++ and c#, .Net; F#", ["c++", "c#", "dotnet", "f#"]),
        ("don't l'heure o’clock", ["heur", "clock"]),
        ("数据库", ["数据", "据库"]),
        ("第3章", ["第", "3", "章"]),
        ("1️⃣ ❤️ ⚠️", ["1"]),
        ("_\u0301 \u0301 -- '' ...", []),
        ("run run", ["run", "run"]),
        ("", []),
    ],
)
def test_terms_stand_in_the_order_of_the_text_and_as_often(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_stop_words_of_the_languages_met_most_are_no_terms() -> None:
    assert terms("The of и не для der und les pour el con não della") == []


def test_a_stop_word_is_recognised_before_it_is_stemmed() -> None:
    assert terms("was during having") == ["dure"]
    assert "was" in STOP_WORDS


def test_a_run_of_letters_without_end_is_no_term() -> None:
    assert terms("x" * (LONGEST + 1)) == []
    assert terms("x" * LONGEST) == ["x" * LONGEST]


def test_a_task_drops_words_that_any_memory_holds_unless_no_other_is_left() -> None:
    assert query_terms("make a new rule for uploads") == ("upload",)
    assert query_terms("use the skill") == ("use", "skill")


def test_a_task_names_each_term_once() -> None:
    assert query_terms("test tests tested upload") == ("test", "upload")


def test_of_a_long_task_the_beginning_and_the_end_are_read() -> None:
    middle = "middle " * 2000
    found = query_terms(f"opening {middle}{'x ' * (TAIL // 4)}closing")

    assert "open" in found
    assert "close" in found
    assert len(f"opening {middle}") > HEAD


def test_a_task_has_a_bounded_number_of_terms() -> None:
    found = query_terms(" ".join(f"word{number}" for number in range(MOST_TERMS)))

    assert len(found) == MOST_TERMS


def test_the_memory_of_chunks_starts_anew_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_CACHED", 2)
    monkeypatch.setattr(words, "_cache", {})

    for text in ("one-two", "three", "four", "five"):
        terms(text)

    assert len(words._cache) <= 2
    assert terms("four") == ["four"]


def test_a_chunk_too_long_to_be_met_again_is_not_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(words, "_cache", {})

    terms("/".join(["folder"] * 20))

    assert words._cache == {}
