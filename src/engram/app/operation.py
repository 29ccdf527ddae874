"""What an operation is: one row says all that every surface needs of it."""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.app.engram import Engram
    from engram.app.results import Result

    Run = Callable[[Engram, Record], Result]

CLI = ("cli",)
BOTH = ("cli", "mcp")

SET_UP, READ, WRITE, ADJUST, SEE = "set up", "read", "write", "adjust", "see it"


class Operation(Record):
    """One thing engram can do."""

    name: str  # on the command line; on MCP `engram_` and underscores
    group: str
    summary: str  # for a person at --help
    input: type[Record]
    function: str  # "module:function" below engram.app, imported when called
    surfaces: tuple[str, ...] = CLI
    writes: bool = False
    aliases: tuple[str, ...] = ()
    example: str = ""
    title: str = ""
    description: str = ""  # for a model that chooses a tool; at most 1,024 characters

    @property
    def tool(self) -> str:
        """The name on MCP."""
        return "engram_" + self.name.replace("-", "_")

    def run(self, engram: Engram, asked: Record) -> Result:
        """Call the operation; raises the EngramError that says what is wrong."""
        from importlib import import_module  # noqa: PLC0415 - each operation pays for its own imports

        module, name = self.function.split(":")
        function: Run = getattr(import_module(f"engram.app.{module}"), name)
        return function(engram, asked)
