"""Make a store of any size, the same bytes each time: rules, skills and facts in four languages.

usage: python -m benchmarks.generate FOLDER COUNT
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

SEED = 20_26


class Language(NamedTuple):
    """The words that memories of one language are made of."""

    share: int  # of a hundred memories
    areas: tuple[str, ...]
    things: tuple[str, ...]
    acts: tuple[str, ...]
    reasons: tuple[str, ...]
    shape: str  # of a sentence


LANGUAGES = (
    Language(
        70,
        tuple(
            "billing checkout login search invoices uploads webhooks migrations caching queues "
            "reports exports metrics alerts deployment onboarding permissions sessions shipping "
            "pricing translations backups imports audits".split()
        ),
        tuple(
            "retry limit timeout schema index token worker endpoint column fixture snapshot "
            "certificate quota header payload lock file partition replica secret flag "
            "changelog dashboard runbook".split()
        ),
        tuple(
            "keep check rotate measure document rename split archive validate generate roll-back "
            "restart compare review announce batch".split()
        ),
        (
            "because customers saw errors when it was missing",
            "so that two releases can run side by side",
            "since the nightly job reads it before six",
            "which the review of an incident asked for",
            "as long as the old client is supported",
        ),
        "{act} the {thing} of {area} in {name} {reason}",
    ),
    Language(
        15,
        tuple("платежи заказы доставка отчёты очередь поиск вход выгрузка склад цены".split()),
        tuple("лимит схему индекс токен таблицу колонку миграцию тест журнал кэш".split()),
        tuple("проверяйте храните обновляйте описывайте измеряйте удаляйте".split()),
        ("иначе выпуск остановится", "чтобы старая версия работала", "потому что так быстрее"),
        "{act} {thing}, раздел «{area}», сервис {name}, {reason}",
    ),
    Language(
        10,
        tuple("支付 订单 登录 搜索 报表 队列 部署 权限 缓存 日志".split()),
        tuple("超时设置 数据库索引 接口版本 配置文件 测试数据 访问令牌 表结构".split()),
        tuple("检查 记录 更新 删除 备份 验证".split()),
        ("否则会影响用户", "以便随时回滚", "因为旧版本仍在使用"),
        "{area}模块的 {name} 必须{act}{thing}，{reason}",
    ),
    Language(
        5,
        tuple("Abrechnung Anmeldung Suche Versand Berichte Sicherung Freigabe".split()),
        tuple("Zeitgrenze Tabelle Schlüssel Warteschlange Prüfsumme Vorlage".split()),
        tuple("prüfen sichern messen umbenennen dokumentieren".split()),
        ("damit ältere Fassungen laufen", "weil der Nachtlauf es liest"),
        "Für {area} in {name}: die {thing} {act}, {reason}",
    ),
)
# 2,500 names of services and components, the first far more frequent than the last.
_HEADS = (
    "am ber cor dal el fin gor hal ir jun kel lor mir nor ost pel quin ras sol tam ul ver wil "
    "xan yor zel ar bel cad dor er fal gil hor is kar lin mon nel or pan rin san tor ur van "
    "wen yel zor ash".split()
)
_TAILS = (
    "ade bin cast dex ell form gate hub ion jet kit ler mark nest ody port quay ray sift tide "
    "una view wick yard zen ark bank core deck edge flow grid host ink join key loop mesh node "
    "oak path rack sync tap unit vane wave yoke axis".split()
)
NAMES = [head + tail for head in _HEADS for tail in _TAILS]
_FREQUENT = [0.0]
for _rank in range(1, len(NAMES) + 1):
    _FREQUENT.append(_FREQUENT[-1] + 1 / _rank)

FOLDERS = {"rule": "rules", "skill": "skills", "knowledge": "knowledge"}


def memories(count: int) -> Iterator[tuple[str, str]]:
    """Path below the store root, and text, of `count` memories."""
    chance = Random(SEED)  # noqa: S311 - repeatable, not secret
    for number in range(count):
        type_ = ("rule", "rule", "skill", "knowledge")[number % 4]
        id = f"{type_}-{number:06}"
        yield f"{FOLDERS[type_]}/{id}.md", _memory(id, type_, chance)


def tasks(count: int) -> list[str]:
    """What an agent might ask of such a store."""
    chance = Random(SEED + 1)  # noqa: S311
    return [_sentence(_language(chance), chance) for _ in range(count)]


def write(root: Path, count: int) -> None:
    """Put `count` memories, all approved, below the store root."""
    manifest = []
    for folder in FOLDERS.values():
        (root / folder).mkdir(parents=True, exist_ok=True)
    for path, text in memories(count):
        data = text.encode()
        (root / path).write_bytes(data)
        manifest.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
    (root / "memory.sha256").write_text("".join(sorted(manifest, key=lambda line: line[66:])))


def _memory(id: str, type_: str, chance: Random) -> str:
    language = _language(chance)
    area = chance.choice(language.areas)
    sentences = [_sentence(language, chance, area) for _ in range(chance.randint(4, 14))]
    day = f"2026-{chance.randint(1, 11):02}-{chance.randint(1, 28):02}"
    return (
        f"---\nschema_version: 3\nid: {id}\ntype: {type_}\nscope: workspace\ntags: [{area}]\n"
        f"confidence: high\ncreated: {day}\nupdated: {day}\nrevision: 1\n---\n\n"
        f"# {sentences[0]}\n\n## Content\n\n" + "".join(f"- {each}.\n" for each in sentences)
    )


def _sentence(language: Language, chance: Random, area: str = "") -> str:
    said = language.shape.format(
        act=chance.choice(language.acts),
        thing=chance.choice(language.things),
        area=area or chance.choice(language.areas),
        name=chance.choices(NAMES, cum_weights=_FREQUENT[1:])[0],
        reason=chance.choice(language.reasons),
    )
    return said[0].upper() + said[1:]


def _language(chance: Random) -> Language:
    return chance.choices(LANGUAGES, [each.share for each in LANGUAGES])[0]


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
