"""The table of settings: what a person can choose, each declared once."""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Value: TypeAlias = str | int | bool | tuple[str, ...]

TEXT, INTEGER, FLAG, NAMES = "text", "whole number", "true or false", "list of names"
NAME_LENGTH = 64


class Setting(Record):
    """One thing that a person can choose."""

    key: str  # dotted: the path in a settings file
    kind: str  # TEXT | INTEGER | FLAG | NAMES
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 0
    named: str = ""  # the environment variable, where it is not made from the key
    shared: bool = True  # whether a file that comes with a project may set it

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return self.named or "ENGRAM_" + self.key.replace(".", "_").upper()

    @property
    def expected(self) -> str:
        """What a value must be, as the end of a sentence that starts with “It is”."""
        if self.choices:
            return f"one of: {', '.join(each or '(empty)' for each in self.choices)}"
        if self.kind == INTEGER:
            return f"a whole number from {self.minimum} to {self.maximum}"
        if self.kind == NAMES:
            return "a list of names: letters, digits, . _ -, starting with a letter or a digit"
        return "true or false" if self.kind == FLAG else "a text"


# What loosens safety or points outside the project is never `shared`: a cloned repository
# brings its settings file along (DESIGN: settings in a cloned repository are untrusted).
SETTINGS: tuple[Setting, ...] = (
    Setting("enabled", FLAG, True, "Whether memory is loaded at all."),  # noqa: FBT003 - a default
    Setting(
        "global_path",
        TEXT,
        "",
        "The folder of the personal memory that all projects share; empty: none.",
        named="ENGRAM_GLOBAL_DIR",
        shared=False,
    ),
    Setting("roles", NAMES, (), "The roles you act in; memories of other roles stay out."),
    Setting(
        "read",
        TEXT,
        "auto",
        "When a connected agent is given memory by itself: startup (once, when a session starts), "
        "auto (at the start, and where a prompt calls for it), always (at every prompt), manual "
        "(only when it asks), off (never).",
        choices=("startup", "auto", "always", "manual", "off"),
    ),
    Setting(
        "proof",
        TEXT,
        "off",
        "Whether what an agent is given ends with a line that says what was loaded, reused and "
        "skipped: off, or compact.",
        choices=("off", "compact"),
    ),
    Setting(
        "save.scope",
        TEXT,
        "",
        "Where a save goes when it does not say; empty: the workspace where there is one, else "
        "global.",
        choices=("", "workspace", "global", "both"),
        shared=False,
    ),
    Setting(
        "save.author_email",
        FLAG,
        False,  # noqa: FBT003 - a default
        "Whether git's e-mail address goes into memory files beside the author's name.",
        shared=False,
    ),
    Setting(
        "load.limit", INTEGER, 8, "How many memories one load gives at most.", minimum=1, maximum=32
    ),
    Setting(
        "load.max_tokens",
        INTEGER,
        1600,
        "How many tokens one load takes at most, when the request does not say.",
        minimum=200,
        maximum=16000,
    ),
    Setting(
        "load.changed",
        TEXT,
        "hold",
        "A memory that was edited since a person approved it: hold it back from what agents are "
        "given by themselves, or show it there too.",
        choices=("hold", "show"),
        shared=False,
    ),
    Setting(
        "load.working_ttl_days",
        INTEGER,
        14,
        "How many days a note of the working tier lives.",
        minimum=1,
        maximum=365,
    ),
    Setting(
        "mcp.resource_limit",
        INTEGER,
        20,
        "How many memories, the most used first, engram-mcp lists as resources.",
        minimum=0,
        maximum=200,
    ),
    Setting(
        "rule_variants.active",
        TEXT,
        "off",
        "How strictly rules are worded: light, balanced, strict; off gives the balanced text "
        "without a mode.",
        choices=("off", "light", "balanced", "strict"),
    ),
)
BY_KEY = {each.key: each for each in SETTINGS}
VARIABLES: tuple[tuple[str, str], ...] = (  # what else is read of the environment, and what for
    ("ENGRAM_WORKSPACE", "The project to work in, as --workspace names it."),
    ("CLAUDE_PROJECT_DIR", "The project to work in when ENGRAM_WORKSPACE does not name one."),
    ("PATH", "Where link and doctor look for hosts' programs and Engram's own."),
    ("ENGRAM_CONFIG_DIR", "The folder of the person's own settings."),
    ("ENGRAM_SESSION_OBJECTIVE", "The task of this session: its notes are shown at the start."),
    ("ENGRAM_DEBUG", "Set to anything: show the details of a fault instead of logging them."),
    ("NO_COLOR", "Set to anything: no colour."),
    ("TERM", "dumb: no colour."),
    ("VISUAL", "The editor that engram edit opens."),
    ("EDITOR", "The editor, when VISUAL does not name one."),
    ("HOME", "The person's home folder (Windows: USERPROFILE)."),
    ("USERPROFILE", "The person's home folder on Windows."),
    ("XDG_CONFIG_HOME", "Where settings go when ENGRAM_CONFIG_DIR is not set (Linux and macOS)."),
    ("XDG_CACHE_HOME", "Where the index and logs go (Linux and macOS)."),
    ("XDG_STATE_HOME", "Where usage counts and the integrity key go (Linux and macOS)."),
    ("APPDATA", "Where settings go on Windows."),
    ("LOCALAPPDATA", "Where the index, logs, counts and the key go on Windows."),
)


def accepts(setting: Setting, value: object) -> bool:
    """Whether `value`, as a settings file gives it, is one that the setting takes."""
    if setting.kind == NAMES:
        return isinstance(value, list | tuple) and all(is_name(each) for each in value)
    if setting.kind == INTEGER:
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and setting.minimum <= value <= setting.maximum  # type: ignore[operator]
    if setting.kind == FLAG:
        return isinstance(value, bool)
    return isinstance(value, str) and (not setting.choices or value in setting.choices)


def from_text(setting: Setting, text: str) -> Value | None:
    """The value that a person wrote as `text`; None when the setting does not take it.

    Names are separated by commas or blanks.
    """
    value: Value = text.strip()
    if setting.kind == NAMES:
        value = tuple(text.replace(",", " ").split())
    elif setting.kind == INTEGER:
        value = int(text) if text.strip().isascii() and text.strip().isdigit() else text
    elif setting.kind == FLAG:
        value = FLAG_WORDS.get(text.strip().lower(), text)
    return value if accepts(setting, value) else None


def is_name(word: object) -> bool:
    """Whether `word` can name a role: 1 to 64 of A-Z a-z 0-9 . _ -, the first no sign."""
    return (
        isinstance(word, str)
        and 0 < len(word) <= NAME_LENGTH
        and word.isascii()
        and word[0].isalnum()
        and all(letter.isalnum() or letter in "._-" for letter in word)
    )


def shown(value: object) -> str:
    """A value as a person reads and writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


FLAG_WORDS = {"true": True, "on": True, "yes": True, "1": True} | dict.fromkeys(
    ("false", "off", "no", "0"), False
)
