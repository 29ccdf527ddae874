"""The settings of a run: the value of each, with the place that it came from."""

from __future__ import annotations

import os

from engram.app.results import Diagnostic
from engram.app.settings_table import BY_KEY, SETTINGS, Setting, accepts, from_text, shown
from engram.errors import EngramError, InvalidRequest, NotFound
from engram.record import Record
from engram.system.environment import Environment
from engram.system.files import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.app.settings_table import Value

FILE_NAME = "engram.config.json"
FILE_LIMIT = 1_000_000  # bytes
DEFAULT, ENVIRONMENT = "default", "environment"


class Settings(Record):
    """The value of every setting, and where it came from."""

    values: Mapping[str, Value]
    origins: Mapping[str, str]
    problems: tuple[Diagnostic, ...] = ()

    def text(self, key: str) -> str:
        value = self.values[key]
        assert isinstance(value, str)  # noqa: S101 - a key asked for as what it is not: a bug
        return value

    def integer(self, key: str) -> int:
        value = self.values[key]
        assert isinstance(value, int)  # noqa: S101
        return value

    def flag(self, key: str) -> bool:
        return self.values[key] is True

    def names(self, key: str) -> tuple[str, ...]:
        value = self.values[key]
        assert isinstance(value, tuple)  # noqa: S101
        return value

    def origin(self, key: str) -> str:
        """Where the value is from: "default", "environment", or the path of a file."""
        return self.origins.get(key, DEFAULT)


def read_settings(environment: Environment, workspace_config_path: str) -> Settings:
    """The settings of a run, whatever state the files are in.

    A value comes from the first of: the environment, `local/engram.config.json` beside the
    workspace's file (this person's choice for this project), the workspace's file, the person's
    own file, the global folder's file, the default. A value that is wrong, or that its file may
    not set, is passed over and named in `problems`.
    """
    gathered = _Gathered()
    own = personal_file(environment)
    person = _read_file(own, gathered.problems, follow=True)  # people link their dotfiles
    gathered.take_variable(BY_KEY["global_path"], environment)
    if "global_path" not in gathered.values:
        gathered.take_file([BY_KEY["global_path"]], own, person)
    shared = [each for each in SETTINGS if each.shared]
    folder = gathered.values.get("global_path")
    if isinstance(folder, str) and folder:
        gathered.take_shared(os.path.join(environment.absolute(folder), FILE_NAME), shared)
    others = [each for each in SETTINGS if each.key != "global_path"]
    gathered.take_file(others, own, person)
    if workspace_config_path:
        gathered.take_shared(workspace_config_path, shared)
        gathered.take_shared(local_file(workspace_config_path), shared)
    for each in others:
        gathered.take_variable(each, environment)
    values = {each.key: gathered.values.get(each.key, each.default) for each in SETTINGS}
    return Settings(values, gathered.origins, tuple(gathered.problems))


def personal_file(environment: Environment) -> str:
    """The path of the person's own settings file; "" where the machine has no place for it."""
    folder = environment.config_folder
    return os.path.join(folder, FILE_NAME) if folder else ""


def local_file(workspace_config_path: str) -> str:
    """The path of the settings that one person keeps for one project, which git ignores."""
    return os.path.join(os.path.dirname(workspace_config_path), "local", FILE_NAME)


def write_setting(path: str, key: str, value: Value | None) -> None:
    """Write one setting into a settings file, or remove it (None); the rest stays as it was.

    Raises Damaged naming the line when the file cannot be read, InvalidRequest for a value that
    the setting does not take.
    """
    from engram.app.settings_file import edit  # noqa: PLC0415 - only a writer pays for it
    from engram.system.files import make_folder, replace_file  # noqa: PLC0415

    setting = BY_KEY[key]
    if value is not None and not accepts(setting, value):
        raise InvalidRequest(
            "setting.value", f"{key} cannot be “{shown(value)}”.", hint=f"It is {setting.expected}."
        )
    text = _text(path)
    text = text if text.strip() else "{}\n"
    for place, part in _parts(key, value):
        text = edit(text, path, place, part)
    make_folder(os.path.dirname(path))
    replace_file(path, text.encode(), follow=True)


class _Gathered:
    """Values as the places that may set them are read, the weakest first."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.origins: dict[str, str] = {}
        self.problems: list[Diagnostic] = []

    def take_variable(self, setting: Setting, environment: Environment) -> None:
        text = environment.variables.get(setting.variable, "")
        if not text:
            return
        value = from_text(setting, text)
        if value is None:
            self._wrong(setting, setting.variable, f"“{text}”")
        else:
            self.values[setting.key], self.origins[setting.key] = value, ENVIRONMENT

    def take_shared(self, path: str, shared: list[Setting]) -> None:
        """Read a file that a repository can bring along: only what such a file may set."""
        content = _read_file(path, self.problems)
        if not content:
            return
        self.take_file(shared, path, content)
        for each in SETTINGS:
            if not each.shared and _look_up(content, each.key) not in (None, each.default):
                self.problems.append(_not_its_own(each, path))

    def take_file(self, some: list[Setting], path: str, content: Mapping[str, object]) -> None:
        for each in some:
            value = _look_up(content, each.key)
            if value is None:
                continue
            if accepts(each, value):
                self.values[each.key] = tuple(value) if isinstance(value, list) else value  # type: ignore[assignment]
                self.origins[each.key] = path
            else:
                self._wrong(each, path, f"“{shown(value)}”")

    def _wrong(self, setting: Setting, place: str, value: str) -> None:
        self.problems.append(
            Diagnostic(
                "setting.value",
                "warning",
                f"{place} sets {setting.key} to {value}, which it cannot be; it is passed over.",
                f"It is {setting.expected}.",
            )
        )


def _not_its_own(setting: Setting, path: str) -> Diagnostic:
    return Diagnostic(
        "setting.not_shared",
        "warning",
        f"{path} sets {setting.key}, which a file that comes with a project may not; "
        "it is passed over.",
        f"Choose it yourself with: engram config set {setting.key} VALUE",
    )


def _read_file(
    path: str, problems: list[Diagnostic], *, follow: bool = False
) -> Mapping[str, object]:
    """The content of a settings file; empty where there is none or it cannot be read."""
    if not path:
        return {}
    try:
        text = _text(path, follow=follow)
        if not text.strip():
            return {}
        from engram.app.settings_file import parse  # noqa: PLC0415 - many have no settings file

        return parse(text, path)
    except EngramError as error:
        problems.append(
            Diagnostic(error.code, "warning", f"{error.message} It is passed over.", error.hint)
        )
    return {}


def _text(path: str, *, follow: bool = True) -> str:
    """The text of a settings file; "" where there is none."""
    if not os.path.lexists(path):  # the usual case, without the cost of a failure
        return ""
    try:
        return read_bounded(path, FILE_LIMIT, follow=follow).decode("utf-8-sig")
    except NotFound:
        return ""
    except UnicodeDecodeError as wrong:
        from engram.app.settings_file import malformed  # noqa: PLC0415 - seldom needed

        line = wrong.object.count(b"\n", 0, wrong.start) + 1
        raise malformed(path, line, "this is not UTF-8 text") from None


def _look_up(content: Mapping[str, object], key: str) -> object:
    """The value at a dotted key, or spelled so at the top; None where there is none."""
    if key in content:
        return content[key]
    value: object = content
    for part in key.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    if key == "rule_variants.active" and _switched_off(content):
        return "off"
    return value


def _switched_off(content: Mapping[str, object]) -> bool:
    """Whether a file of the earlier edition holds a variant that it does not use."""
    variants = content["rule_variants"]
    return isinstance(variants, dict) and variants.get("enabled") is False


def _parts(key: str, value: Value | None) -> list[tuple[str, object]]:
    """The places in a file that hold one setting, each with what to write there."""
    written: object = list(value) if isinstance(value, tuple) else value
    if key != "rule_variants.active":
        return [(key, written)]
    if value == "off":
        return [(key, None), ("rule_variants.enabled", False)]
    return [(key, written), ("rule_variants.enabled", None if value is None else True)]
