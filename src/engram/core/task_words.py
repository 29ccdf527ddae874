"""The kinds of task that `engram route` knows, and the words that speak for each."""

from __future__ import annotations

# Kind: how sure one is at best, then words; names and numbers of the earlier edition, whose tags
# `task_type:<kind>` stand in memory files.
_TABLE = {
    "debugging": (0.90, "debug bug error fix broken crash exception traceback баг ошибка исправить fehler beheben 错误 修复 エラー"),
    "testing": (0.86, "test|unit test|e2e|coverage|assert|flaky|тест|тесты|测试|テスト|testen"),
    "reviewing": (0.86, "review|pull request|pr review|code review|ревью|审查|レビュー"),
    "release": (0.86, "release version changelog tag релиз 发布 リリース"),
    "security": (0.86, "security auth authorization permission vulnerability secret encryption безопасность sicherheit 安全 セキュリティ"),
    "memory": (0.86, "engram|memory|memories|recall|routing|context"),
    "troubleshooting": (0.84, "troubleshoot|diagnose|issue|not working|не работает|排查"),
    "documenting": (0.84, "document documentation docs readme comment документация dokumentation 文档 ドキュメント"),
    "deploying": (0.84, "deploy deployment ci/cd publish rollout деплой развернуть 部署 デプロイ"),
    "performance": (0.84, "performance slow optimize optimization profile leak latency производительность 性能 leistung"),
    "migration": (0.82, "migrate|migration|upgrade framework|port|миграция|迁移|移行"),
    "database": (0.82, "database sql query schema postgres mysql index база 数据库 datenbank データベース"),
    "api": (0.82, "api|endpoint|graphql|rest api|webhook|接口"),
    "architecture": (0.82, "architecture|system design|module|boundary|архитектура|架构"),
    "refactoring": (0.82, "refactor|refactoring|cleanup code|restructure code|rename|рефакторинг|重构"),
    "ui": (0.80, "ui frontend component css style button layout интерфейс 界面"),
    "planning": (0.80, "plan roadmap steps breakdown todo план 计划"),
    "cli": (0.80, "cli command flag argv subcommand"),
    "designing": (0.78, "design ux interaction prototype 设计"),
    "coding": (0.78, "code|implement|feature|write code|add|реализовать|добавить|实现"),
    "localization": (0.78, "localization i18n l10n translation translate locale перевод 翻译 übersetzung"),
    "accessibility": (0.78, "accessibility a11y inclusive"),
    "data": (0.76, "dataset parse transform etl csv данные"),
    "configuration": (0.76, "config configure configuration settings env environment настройка 配置 設定"),
    "installation": (0.76, "install|dependency|package install|pip|npm|pnpm|установить|安装|インストール"),
    "ops": (0.76, "ops infra infrastructure runtime server hosting kubernetes docker сервер 服务器"),
    "automation": (0.76, "automate automation script bot cron автоматизация 自动化"),
    "integration": (0.76, "integrate|integration|connect|mcp|third party|интеграция|集成"),
    "brainstorming": (0.74, "brainstorm ideas ideation generate идеи"),
    "decision": (0.74, "decide|decision|choose|option|tradeoff|trade-off|решение|决定"),
    "researching": (0.74, "research investigate compare survey study исследовать 调研"),
    "prompting": (0.74, "prompt|system prompt|agent prompt|instruction|промпт|提示词"),
    "workflow": (0.72, "workflow process procedure runbook playbook checklist процесс 流程"),
    "support": (0.70, "support|help|usage|how to|question|помощь"),
    "education": (0.70, "teach learning lesson tutorial example обучение"),
    "maintenance": (0.68, "maintain|maintenance|cleanup|dependency update|small fix|обслуживание"),
    # Reached by a label alone:
    "analysis": (0.70, ""),
    "compatibility": (0.70, ""),
}  # fmt: skip
KEYWORDS = {
    kind: tuple(words.split("|") if "|" in words else words.split())
    for kind, (_, words) in _TABLE.items()
}
WEIGHTS = {kind: weight for kind, (weight, _) in _TABLE.items()}
TASK_TYPES = (*_TABLE, "unknown")
ALIASES = {
    "perf": "performance",
    "a11y": "accessibility",
    "docs": "documenting",
    "documentation": "documenting",
    "debug": "debugging",
    "bugfix": "debugging",
    "fix": "debugging",
    "test": "testing",
    "tests": "testing",
    "review": "reviewing",
    "deploy": "deploying",
    "deployment": "deploying",
    "refactor": "refactoring",
    "db": "database",
    "i18n": "localization",
    "l10n": "localization",
    "config": "configuration",
    "install": "installation",
    "design": "designing",
    "plan": "planning",
    "research": "researching",
    "code": "coding",
    "feature": "coding",
    "frontend": "ui",
    "auth": "security",
    "infra": "ops",
}
