"""The text of a settings file: JSON, as people write it, to values and back."""

from __future__ import annotations

from engram.errors import Damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

DEPTH = 32
BLANK = " \t\r\n"
ENDS_A_WORD = BLANK + ',]}:/"'
WORDS = {"true": True, "false": False, "null": None}
ESCAPES = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
INDENT = "  "


def malformed(path: str, line: int, found: str) -> Damaged:
    """The failure of a settings file that is not JSON: what was found, at which line."""
    return Damaged(
        "settings.malformed",
        f"{path}, line {line}: {found}.",
        hint="Mend that line, or delete the file to start with the defaults.",
        path=path,
        line=line,
    )


def parse(text: str, path: str) -> dict[str, object]:
    """The object that a settings file holds; comments and trailing commas are passed over.

    It needs no `json`, which costs more to import than the whole of a load may take.
    Raises Damaged (settings.malformed) naming `path` and the line.
    """
    content: dict[str, object] = _whole(text, path).value
    return content


def edit(text: str, path: str, key: str, value: object) -> str:
    """The text with `value` at a dotted key (None removes it), every other byte kept.

    An object that becomes empty by a removal goes too. Raises Damaged (settings.malformed).
    """
    root = _whole(text, path)
    names = [key] if key in root.members else key.split(".")
    if value is None:
        return _without(text, root, names)
    return _with(text, root, names, value)


class _Node:
    """A value and where it stands in the text; `members` are those of an object."""

    def __init__(self, start: int, end: int, value: Any) -> None:
        self.start = start
        self.end = end
        self.value = value
        self.members: dict[str, tuple[int, _Node]] = {}  # name: where the name starts, the value


def _whole(text: str, path: str) -> _Node:
    reader = _Reader(text, path)
    node = reader.value(0)
    reader.pass_over()
    if reader.at < len(text):
        raise reader.wrong("something follows the end of the object")
    if not isinstance(node.value, dict):
        raise malformed(path, 1, "a settings file holds an object, { … }")
    return node


class _Reader:
    """A place in a text that moves forward."""

    def __init__(self, text: str, path: str = "", at: int = 0) -> None:
        self.text = text
        self.path = path
        self.at = at

    def wrong(self, found: str) -> Damaged:
        return malformed(self.path, self.text.count("\n", 0, self.at) + 1, found)

    def pass_over(self) -> str:
        """Pass over blanks and comments; the character that follows, "" at the end."""
        text = self.text
        while self.at < len(text):
            if text[self.at] in BLANK:
                self.at += 1
            elif text.startswith("//", self.at):
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif text.startswith("/*", self.at):
                end = text.find("*/", self.at + 2)
                if end < 0:
                    raise self.wrong("a comment does not end")
                self.at = end + 2
            else:
                return text[self.at]
        return ""

    def value(self, depth: int) -> _Node:
        letter = self.pass_over()
        start = self.at
        if depth > DEPTH:
            raise self.wrong("objects are nested too deep")
        if letter == "{":
            return self._object(depth)
        if letter == "[":
            return self._list(depth)
        value = self.string() if letter == '"' else self._word()
        return _Node(start, self.at, value)

    def _object(self, depth: int) -> _Node:
        node = _Node(self.at, 0, {})
        content: dict[str, object] = {}
        for _ in self._members("}"):
            if self.text[self.at] != '"':
                raise self.wrong('a name in "double quotes" is missing')
            start = self.at
            name = self.string()
            if self.pass_over() != ":":
                raise self.wrong(f"a colon is missing after “{name}”")
            self.at += 1
            member = self.value(depth + 1)
            content[name] = member.value
            node.members[name] = start, member
        node.value, node.end = content, self.at
        return node

    def _list(self, depth: int) -> _Node:
        start = self.at
        content = [self.value(depth + 1).value for _ in self._members("]")]
        return _Node(start, self.at, content)

    def _members(self, closing: str) -> Iterator[None]:
        """Stand at each member in turn, then behind the closing bracket."""
        self.at += 1
        while (letter := self.pass_over()) != closing:
            if not letter:
                raise self.wrong(f"“{closing}” is missing at the end")
            yield
            letter = self.pass_over()
            if letter == ",":
                self.at += 1
            elif letter != closing:
                raise self.wrong(f"a comma or “{closing}” is missing")
        self.at += 1

    def _word(self) -> object:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ENDS_A_WORD:
            self.at += 1
        word = self.text[start : self.at]
        if word in WORDS:
            return WORDS[word]
        try:
            return _number(word)
        except ValueError:
            self.at = start
            found = f"“{word[:40]}” is no value" if word else "a value is missing"
            raise self.wrong(found) from None

    def string(self) -> str:
        text, start = self.text, self.at
        pieces: list[str] = []
        self.at += 1
        while self.at < len(text) and text[self.at] >= " ":
            letter = text[self.at]
            self.at += 1
            if letter == '"':
                return _joined("".join(pieces))
            pieces.append(self._escaped() if letter == "\\" else letter)
        self.at = start
        raise self.wrong("a text does not end on its line")

    def _escaped(self) -> str:
        letter = self.text[self.at : self.at + 1]
        self.at += 1
        if letter in ESCAPES:
            return ESCAPES[letter]
        digits = self.text[self.at : self.at + 4]
        if (
            letter != "u"
            or len(digits) < 4
            or not all(d in "0123456789abcdefABCDEF" for d in digits)
        ):
            raise self.wrong(f"“\\{letter}” is no escape")
        self.at += 4
        return chr(int(digits, 16))


def _joined(text: str) -> str:
    """Escaped surrogate pairs as the letters that they stand for; a lone one as a mark."""
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _number(word: str) -> int | float:
    """The number that JSON writes so; raises ValueError."""
    if not word or word[0] not in "-0123456789" or "_" in word or not word.isascii():
        raise ValueError(word)
    digits = word.removeprefix("-")
    if digits.isdigit():
        if digits[0] == "0" and len(digits) > 1:
            raise ValueError(word)
        return int(word)
    return float(word)


def _with(text: str, node: _Node, path: list[str], value: object) -> str:
    name, rest = path[0], path[1:]
    if name not in node.members:
        return _inserted(text, node, name, _nested(rest, value))
    member = node.members[name][1]
    if rest and isinstance(member.value, dict):
        return _with(text, member, rest, value)
    indent = _indent(text, member.start)
    return text[: member.start] + _written(_nested(rest, value), indent) + text[member.end :]


def _inserted(text: str, node: _Node, name: str, value: object) -> str:
    """The text with one more member at the end of an object."""
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent(text, node.start)
    inner = outer + INDENT
    if node.members:
        inner = _indent(text, min(start for start, _ in node.members.values()))
    entry = f"{_quoted(name)}: {_written(value, inner)}".replace("\n", newline)
    if not node.members and not text[node.start + 1 : node.end - 1].strip(BLANK):
        return f"{text[: node.start]}{{{newline}{inner}{entry}{newline}{outer}}}{text[node.end :]}"
    last = max((each.end for _, each in node.members.values()), default=node.start + 1)
    reader = _Reader(text, at=last)
    comma = "," if node.members else ""
    if reader.pass_over() == ",":
        last, comma = reader.at + 1, ""
    one_line = "\n" not in text[node.start : node.end]
    gap = " " if one_line and node.members else newline + inner
    return f"{text[:last]}{comma}{gap}{entry}{text[last:]}"


def _without(text: str, node: _Node, path: list[str]) -> str:
    name, rest = path[0], path[1:]
    if name not in node.members:
        return text
    start, member = node.members[name]
    if rest:
        if not isinstance(member.value, dict) or rest[0] not in member.members:
            return text
        if len(member.members) > 1 or len(rest) > 1:
            return _without(text, member, rest)
    return _cut(text, node, start, member.end)


def _cut(text: str, node: _Node, start: int, end: int) -> str:
    """The text without the member from `start` to `end`, its comma and its line."""
    reader = _Reader(text, at=end)
    before = max((m.end for at, m in node.members.values() if at < start), default=node.start + 1)
    if reader.pass_over() == ",":
        end = reader.at + 1
        line = text.rfind("\n", 0, start) + 1
        if not text[line:start].strip(BLANK) and text[end : end + 1] in "\r\n":
            start, end = line, text.find("\n", end) + 1 or len(text)
        elif text[end : end + 1] == " ":
            end += 1
        return text[:start] + text[end:]
    kept = text[before:start]
    reader = _Reader(text, at=before)
    if reader.pass_over() == ",":  # that of the member before, which now is the last one
        kept = text[before : reader.at] + text[reader.at + 1 : start]
    return text[:before] + kept.rstrip(BLANK) + text[end:]


def _nested(path: list[str], value: object) -> object:
    for name in reversed(path):
        value = {name: value}
    return value


def _indent(text: str, at: int) -> str:
    """The blanks that start the line of a place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _written(value: object, indent: str) -> str:
    if isinstance(value, dict):
        inner = indent + INDENT
        entries = [f"{inner}{_quoted(k)}: {_written(v, inner)}" for k, v in value.items()]
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
    if isinstance(value, list):
        return f"[{', '.join(_written(each, indent) for each in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    """A JSON string; letters of any script stay as they are."""
    import json  # noqa: PLC0415 - only a writer pays for it

    return json.dumps(text, ensure_ascii=False)
