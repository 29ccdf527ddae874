"""Titles are the first sentence; ids are names that every system can hold, in any script."""

from __future__ import annotations

import pytest

from engram.core.titles import LONGEST_ID, LONGEST_TITLE, slug, title_from


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("use pnpm for installs.", "Use pnpm for installs"),
        ("- **Always** run `make test`!", "Always run make test"),
        ("# A heading\nand more", "A heading"),
        ("\n\n> quoted\n", "Quoted"),
        ("* starred", "Starred"),
        ("+ added", "Added"),
        ("используй pnpm", "Используй pnpm"),
        ("使用 pnpm 安装依赖。", "使用 pnpm 安装依赖"),
        ("много   белого\tместа", "Много белого места"),
        ("?!", "?!"),
        ("ßharp", "ßharp"),  # its capital would be two letters
        ("", ""),
        ("**", ""),
    ],
)
def test_a_title_is_the_text_without_its_signs(text: str, title: str) -> None:
    assert title_from(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Run the migrations before the release. The job at night needs the new table to be there.",
            "Run the migrations before the release",
        ),
        (
            "Version 1.2.3 of the client needs a proxy! Otherwise all of its requests end in 407.",
            "Version 1.2.3 of the client needs a proxy",
        ),
        (
            "在部署到生产环境之前必须先运行完整的数据库迁移测试套件。" + "然后通知团队。" * 8,
            "在部署到生产环境之前必须先运行完整的数据库迁移测试套件",
        ),
    ],
)
def test_of_a_long_text_the_first_sentence_is_the_title(text: str, title: str) -> None:
    assert title_from(text) == title


def test_a_short_beginning_such_as_e_g_is_no_sentence() -> None:
    assert title_from(
        "E.g. the worker. " + "must be restarted after each change of " * 3
    ).startswith("E.g. the worker. must")


def test_a_long_sentence_is_cut_between_words() -> None:
    title = title_from("restart the worker after each change of the configuration, " * 3)

    assert title == "Restart the worker after each change of the configuration, restart…"
    assert len(title) <= LONGEST_TITLE


def test_a_long_sentence_without_spaces_is_cut_between_characters() -> None:
    title = title_from("数" * 100)

    assert title == "数" * (LONGEST_TITLE - 1) + "…"


@pytest.mark.parametrize(
    ("title", "id"),
    [
        ("Use pnpm, not npm", "use-pnpm-not-npm"),
        ("Миграции базы данных", "миграции-базы-данных"),
        ("Größe der Ausgabe", "grösse-der-ausgabe"),
        ("数据库迁移", "数据库迁移"),
        ("データベースの移行", "データベースの移行"),
        ("데이터베이스 이전", "데이터베이스-이전"),
        ("हिन्दी में लिखें", "हिन्दी-में-लिखें"),
        ("اللغة العربية", "اللغة-العربية"),
        ("src/core/io.py", "src-core-io-py"),
        ("..\\..\\etc", "etc"),
        (".hidden", "hidden"),
        ("CON", "con-memory"),
        ("nul", "nul-memory"),
        ("COM¹", "com1-memory"),
        ("Lpt9", "lpt9-memory"),
        ("con.txt", "con-txt"),
        ("⚠️ Never push", "never-push"),
        ("1️⃣ First", "1-first"),
        ("a\u034fb", "ab"),
        ("\u0301x", "x"),
        ("tab\x00nul\ud800", "tab-nul"),
        ("!!!", "memory"),
        ("", "memory"),
    ],
)
def test_an_id_keeps_letters_of_any_script_and_nothing_that_a_path_reads(
    title: str, id: str
) -> None:
    assert slug(title) == id


def test_a_long_id_is_cut_between_words() -> None:
    id = slug("restart the worker after each change of the configuration of the mail server " * 2)

    assert len(id.encode()) <= LONGEST_ID
    assert id == "restart-the-worker-after-each-change-of-the-configuration-of-the-mail-server"


def test_a_long_id_without_words_apart_is_cut_between_characters() -> None:
    assert slug("数" * 100) == "数" * (LONGEST_ID // 3)


def test_one_form_of_a_title_gives_one_id() -> None:
    assert slug("Cafe\u0301") == slug("CAFÉ") == "café"
