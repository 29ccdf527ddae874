"""Adjusting: settings, roles and the wording of rules."""

from __future__ import annotations

import os

from engram.app.inputs import Config, SetProof, SetRead, SetRole, SetRuleVariant
from engram.app.parameters import nearest
from engram.app.results import Diagnostic, Result
from engram.app.settings import (
    ENVIRONMENT,
    Settings,
    local_file,
    personal_file,
    read_settings,
    write_setting,
)
from engram.app.settings_table import BY_KEY, SETTINGS, Setting, from_text, is_name, shown
from engram.errors import InvalidRequest, Unavailable
from engram.store.layout import Layout
from engram.system.files import make_folder, replace_file
from engram.system.locks import lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram
    from engram.app.settings_table import Value

LOCK_SECONDS = 5.0
RELOAD = (
    "Agent action: load memory again for the current task (engram_load, or engram load), "
    "and follow what it gives now instead of what it gave before."
)


def config(engram: Engram, asked: Config) -> Result:
    """Show settings with their origin, or write one of them."""
    if asked.action == "view":
        return _view(engram.settings, [_setting(asked.key)] if asked.key else list(SETTINGS))
    if not asked.key:
        raise InvalidRequest(
            "config.key_missing",
            f"Say which setting to {asked.action}.",
            hint="engram config view shows them all.",
        )
    setting = _setting(asked.key)
    if asked.action == "get":
        return Result(shown(engram.settings.values[setting.key]), _row(engram.settings, setting))
    if asked.action == "unset":
        return _write(engram, setting, None, asked.scope)
    return _write(engram, setting, _value(setting, asked.value), asked.scope)


def set_role(engram: Engram, asked: SetRole) -> Result:
    """Set the roles that this person acts in, here; none clears them (clauses T7, T12)."""
    for name in asked.roles:
        if not is_name(name):
            raise InvalidRequest(
                "role.name",
                f"“{name}” cannot be the name of a role.",
                hint="A name has up to 64 letters, digits, . _ -, and starts with no sign.",
            )
    roles = tuple(dict.fromkeys(asked.roles))
    settings, path = _choose(engram, BY_KEY["roles"], roles)
    told = f"Roles: {', '.join(roles)}." if roles else "Roles: none."
    return _chosen(told, {"roles": list(roles), "file": path}, settings, BY_KEY["roles"], roles)


def set_rule_variant(engram: Engram, asked: SetRuleVariant) -> Result:
    """Set how strictly rules are worded for this person, here (clauses T7, T12)."""
    setting = BY_KEY["rule_variants.active"]
    settings, path = _choose(engram, setting, asked.variant)
    told = f"Rules are worded: {asked.variant}."
    return _chosen(told, {"variant": asked.variant, "file": path}, settings, setting, asked.variant)


def set_read(engram: Engram, asked: SetRead) -> Result:
    """Choose when a linked agent is given memory by itself."""
    return _set(engram, "read", asked.mode, f"Memory is given by itself: {asked.mode}.")


def set_proof(engram: Engram, asked: SetProof) -> Result:
    """Choose whether what is given ends with a line on what was loaded and why."""
    return _set(engram, "proof", asked.mode, f"Proof line: {asked.mode}.")


def _set(engram: Engram, key: str, value: str, told: str) -> Result:
    setting = BY_KEY[key]
    settings, path = _choose(engram, setting, value)
    overruled = settings.origin(key) == ENVIRONMENT
    note = " A variable of the environment says otherwise, and wins." if overruled else ""
    return Result(f"{told}{note}", {key: value, "file": path})


def _choose(engram: Engram, setting: Setting, value: Value) -> tuple[Settings, str]:
    """Keep a person's choice: for this project alone where it has a store, else for all.

    The project's own file is committed, so it is not the place for what one person does today.
    """
    scope = "person" if engram.workspace is None else "local"
    path = _write_to(engram, setting, value, scope)
    return _read_again(engram), path


def _chosen(
    told: str, data: dict[str, object], settings: Settings, setting: Setting, value: Value
) -> Result:
    return Result(
        f"{told} Kept in {data['file']}.\n{RELOAD}", data, _shadowed(settings, setting, value)
    )


def _setting(key: str) -> Setting:
    if key not in BY_KEY:
        raise InvalidRequest(
            "setting.unknown", f"There is no setting “{key}”.", hint=nearest(key, BY_KEY)
        )
    return BY_KEY[key]


def _value(setting: Setting, text: str) -> Value:
    value = from_text(setting, text)
    if value is None:
        raise InvalidRequest(
            "setting.value", f"{setting.key} cannot be “{text}”.", hint=f"It is {setting.expected}."
        )
    return value


def _view(settings: Settings, some: list[Setting]) -> Result:
    width = max(len(each.key) for each in some)
    lines = [
        f"{each.key:<{width}}  {shown(settings.values[each.key]) or '(none)'}"
        f"  ({settings.origin(each.key)})"
        for each in some
    ]
    return Result("\n".join(lines), {"settings": [_row(settings, each) for each in some]})


def _row(settings: Settings, setting: Setting) -> dict[str, object]:
    value = settings.values[setting.key]
    return {
        "key": setting.key,
        "value": list(value) if isinstance(value, tuple) else value,
        "origin": settings.origin(setting.key),
        "help": setting.help,
    }


def _write(engram: Engram, setting: Setting, value: Value | None, scope: str) -> Result:
    path = _write_to(engram, setting, value, scope)
    settings = _read_again(engram)
    if value is None:
        now = shown(settings.values[setting.key]) or "(none)"
        told = f"{path} no longer sets {setting.key}; it is {now} ({settings.origin(setting.key)})."
        return Result(told, _row(settings, setting))
    told = f"{setting.key} is {shown(value) or '(none)'} in {path}."
    return Result(told, _row(settings, setting), _shadowed(settings, setting, value))


def _write_to(engram: Engram, setting: Setting, value: Value | None, scope: str) -> str:
    """Write under the lock of the place that `scope` names; its path."""
    path, held = _place(engram, scope)
    if value is not None and scope != "person" and not setting.shared:
        raise InvalidRequest(
            "setting.not_shared",
            f"{setting.key} cannot be set by a file that comes with a project.",
            hint="Leave out --scope: your own file can set it.",
        )
    if value is None and not os.path.exists(path):
        return path
    with held:
        write_setting(path, setting.key, value)
    return path


def _place(engram: Engram, scope: str) -> tuple[str, lock]:
    """The settings file of a scope, and the lock to hold while it changes."""
    if scope != "person":
        from engram.store.memories import lock_store  # noqa: PLC0415 - only a writer pays for it

        layout = engram.store("global" if scope == "global" else "workspace")
        if scope != "local":
            return layout.config, lock_store(layout)
        _keep_from_git(layout.local)
        return local_file(layout.config), lock_store(layout)
    path = personal_file(engram.environment)
    if not path:
        raise Unavailable(
            "settings.no_place",
            "This account has no home folder for your own settings.",
            hint="Name a folder in the environment variable ENGRAM_CONFIG_DIR.",
        )
    make_folder(os.path.dirname(path))
    return path, lock(os.path.join(os.path.dirname(path), "lock"), LOCK_SECONDS)


def _keep_from_git(folder: str) -> None:
    """A store of the earlier edition does not say that `local` is this machine's alone."""
    mark = os.path.join(folder, ".gitignore")
    if not os.path.lexists(mark):
        make_folder(folder, 0o700)
        replace_file(mark, b"*\n")


def _read_again(engram: Engram) -> Settings:
    return read_settings(engram.environment, Layout.of_project(engram.project).config)


def _shadowed(settings: Settings, setting: Setting, value: Value) -> tuple[Diagnostic, ...]:
    """A remark where another place that counts more says otherwise."""
    if settings.values[setting.key] == value:
        return ()
    origin = settings.origin(setting.key)
    place = f"the environment variable {setting.variable}" if origin == ENVIRONMENT else origin
    return (
        Diagnostic(
            "setting.shadowed",
            "warning",
            f"It has no effect here: {place} sets {setting.key} to "
            f"{shown(settings.values[setting.key]) or '(none)'}, and counts more.",
            "engram config view shows where each value comes from.",
        ),
    )
