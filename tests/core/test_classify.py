"""Kinds of tasks are found by whole words, and types of memories by what their text obliges to."""

from __future__ import annotations

import pytest

from engram.core.classify import UNKNOWN, memory_type, task_type
from engram.core.task_words import ALIASES, KEYWORDS, TASK_TYPES, WEIGHTS

EXAMPLES = {
    "debugging": (
        "Fix the crash in the upload handler",
        "Исправить ошибку при загрузке",
        "Den Fehler beim Hochladen beheben",
        "修复上传时的错误",
        "アップロードのエラー",
    ),
    "testing": (
        "Add a unit test for the parser",
        "Напиши тесты для парсера",
        "为解析器写测试",
        "テストを書く",
    ),
    "reviewing": ("Review this pull request", "Проведи ревью этого кода", "审查这次提交"),
    "release": ("Bump the version and update the changelog", "Подготовь релиз", "发布新版本"),
    "security": (
        "Store the secret with encryption and check each permission",
        "Проверь безопасность входа",
        "Die Sicherheit der Anmeldung prüfen",
        "检查登录的安全",
    ),
    "memory": ("What does engram recall here?",),
    "troubleshooting": (
        "Diagnose why the worker is not working",
        "Почему не работает кэш",
        "排查缓存",
    ),
    "documenting": (
        "Write the documentation of the readme",
        "Обнови документацию",
        "Die Dokumentation ergänzen",
        "更新文档",
    ),
    "deploying": ("Deploy to staging and publish the rollout", "Деплой на стенд", "部署到服务器"),
    "performance": (
        "The page is slow; find the latency",
        "Улучши производительность",
        "Die Leistung messen",
        "提高性能",
    ),
    "migration": (
        "Migrate the tables, then port the old jobs",
        "Миграция на новую схему",
        "把表迁移到新库",
    ),
    "database": (
        "Add an index to the postgres schema",
        "Запрос к базе",
        "Die Datenbank sichern",
        "备份数据库",
    ),
    "api": ("Version the graphql endpoint", "定义接口"),
    "architecture": ("Draw the boundary of each module", "Опиши архитектуру", "说明架构"),
    "refactoring": (
        "Refactor the handlers and rename the helper",
        "Рефакторинг обработчиков",
        "重构处理器",
    ),
    "ui": ("Align the button in the layout component", "Поправь интерфейс", "调整界面"),
    "planning": ("Break the work into a roadmap with steps", "Составь план", "制定计划"),
    "cli": ("Add a flag to the subcommand",),
    "designing": ("Design the interaction in a prototype", "设计登录页"),
    "coding": ("Implement the feature", "Реализовать экспорт", "实现导出"),
    "localization": (
        "Translate the locale files",
        "Сделай перевод строк",
        "Übersetzung der Texte",
        "翻译文本",
    ),
    "accessibility": ("Check accessibility with a screen reader",),
    "data": ("Transform the csv dataset", "Разбери данные"),
    "configuration": (
        "Change the settings of the environment",
        "Настройка окружения",
        "修改配置",
    ),
    "installation": ("Install the dependency with pnpm", "Установить зависимости", "安装依赖"),
    "ops": ("Resize the kubernetes hosting", "Перезапусти сервер", "重启服务器"),
    "automation": ("Automate it with a cron script", "Автоматизация отчётов", "自动化报告"),
    "integration": ("Integrate a third party through mcp", "Интеграция с почтой", "集成邮件"),
    "brainstorming": ("Brainstorm some ideas", "Накидай идеи"),
    "decision": ("Choose between the tradeoffs and decide", "Какое решение принять", "做出决定"),
    "researching": ("Research and compare the vendors", "Исследовать рынок", "调研供应商"),
    "prompting": ("Improve the system prompt", "Улучши промпт", "改进提示词"),
    "workflow": ("Describe the procedure as a runbook", "Опиши процесс", "说明流程"),
    "support": ("Help with a question about usage", "Нужна помощь"),
    "education": ("Prepare a tutorial lesson", "Обучение новичков"),
    "maintenance": ("Maintenance: cleanup of old branches", "Обслуживание стенда"),
    "analysis": ("task_type: analysis",),
    "compatibility": ("Task type: compatibility",),
    UNKNOWN: ("Hello there", "Привет", "你好", ""),
}


@pytest.mark.contract("T2")
@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in EXAMPLES.items() for text in texts]
)
def test_a_task_is_of_the_kind_that_its_words_speak_for(kind: str, text: str) -> None:
    assert task_type(text)[0] == kind


def test_each_of_the_kinds_has_an_example_and_each_kind_with_words_in_a_language_too() -> None:
    assert len(TASK_TYPES) == 39
    assert tuple(EXAMPLES) == TASK_TYPES
    assert set(ALIASES.values()) <= set(TASK_TYPES)
    assert set(KEYWORDS) == set(WEIGHTS) == set(TASK_TYPES) - {UNKNOWN}


@pytest.mark.parametrize(
    "text",
    [
        "The authors of the article",  # auth, authorization
        "a latest contest, a testimony",  # test
        "prefixes of planets, a plane",  # fix, plan
        "important portals",  # port
        "a rapid restoration of the resting place",  # api, rest
        "the rest of the files",
        "padded addresses",  # add
        "barcodes and taglines",  # code, tag
        "clients and clips",  # cli
        "suit, guide, build",  # ui
        "протестовать",  # тест
        "базар",  # база
        "einfacher Planet",
    ],
)
def test_a_part_of_a_word_speaks_for_nothing(text: str) -> None:
    assert task_type(text) == (UNKNOWN, 0.0)


@pytest.mark.parametrize("text", ["authorize users", "testing", "planning", "debugging it"])
def test_another_form_of_a_word_speaks_for_the_same(text: str) -> None:
    assert task_type(text)[0] != UNKNOWN


def test_of_two_words_of_one_stem_the_longer_is_held_against_the_keyword() -> None:
    assert task_type("authorization by the author")[0] == "security"


def test_more_words_make_surer_and_never_wholly_sure() -> None:
    one, two = task_type("a bug")[1], task_type("a bug, an error and a crash")[1]

    assert 0 < one < two < WEIGHTS["debugging"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("task_type: testing\nFix the crash", "testing"),
        ("Task: fix the tests", "debugging"),
        ("tags: [task_type:perf]", "performance"),
        ("Fix it (task type: `docs`)", "documenting"),
        ("Do it.\ntask: i18n, please", "localization"),
    ],
)
def test_a_label_decides(text: str, kind: str) -> None:
    assert task_type(text) == (kind, 1.0)


def test_a_label_may_say_that_the_kind_is_unknown() -> None:
    assert task_type("task_type: unknown\nfix the bug") == (UNKNOWN, 0.0)


@pytest.mark.parametrize(
    "text", ["multitask: testing of nothing", "task: ", "task: repair the bug", "my task"]
)
def test_what_only_looks_like_a_label_does_not_decide(text: str) -> None:
    assert task_type(text)[1] < 1


@pytest.mark.contract("T5")
@pytest.mark.parametrize(
    ("type", "text"),
    [
        ("rule", "Always use pnpm"),
        ("rule", "- use pnpm for installs"),
        ("rule", "Commit messages must be in English"),
        ("rule", "You shouldn't; don't push to main"),
        ("rule", "Никогда не пушь в main"),
        ("rule", "Не используй npm"),
        ("rule", "Секреты должны лежать в хранилище"),
        ("rule", "Commits müssen signiert sein"),
        ("rule", "Ne pas modifier la branche principale"),
        ("rule", "Nunca subas claves"),
        ("rule", "必须使用 pnpm"),
        ("rule", "本番では必ず確認する"),
        ("rule", "반드시 테스트를 실행한다"),
        ("skill", "How to release: first bump the version, then tag it"),
        ("skill", "Release workflow:\n1. bump\n2. tag"),
        ("skill", "Сначала подними базу, затем запусти миграции"),
        ("skill", "Zuerst bauen, danach testen"),
        ("skill", "首先备份，然后迁移"),
        ("skill", "まずビルドし、次にテストする"),
        ("skill", "- bump the version\n- tag it"),
        ("knowledge", "The API runs on port 8080"),
        ("knowledge", "База живёт на db.internal"),
        ("knowledge", "Der Dienst läuft auf Port 8080"),
        ("knowledge", "服务运行在 8080 端口"),
        ("knowledge", "A workflow exists for this"),
        ("knowledge", "The mustard team owns neverland"),  # must, never
        ("knowledge", "The firsthand report, thence"),
        ("knowledge", ""),
    ],
)
def test_a_text_is_of_the_type_that_it_reads_like(type: str, text: str) -> None:
    assert memory_type(text) == type


def test_a_word_is_found_behind_a_part_of_a_word() -> None:
    assert memory_type("mustard is what one must have") == "rule"
