"""The tools: the operations that the table shows on MCP, with what a host should know of each."""

from __future__ import annotations

from engram.app.engram import compose
from engram.app.operations import shown_on
from engram.app.parameters import read, schema
from engram.app.results import envelope, failure
from engram.errors import EngramError
from engram.interfaces.mcp.registry import Tool
from engram.interfaces.mcp.seal import Seal
from engram.record import replace
from engram.system.environment import Environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.app.engram import Engram
    from engram.app.operation import Operation
    from engram.app.results import Diagnostic, Result
    from engram.interfaces.mcp.calls import Call
    from engram.interfaces.mcp.options import Options
    from engram.interfaces.mcp.person import DialogPerson
    from engram.interfaces.mcp.registry import Arguments

# Contract clause T9; every hint is spoken out, since the defaults are the alarming ones (MCP:
# ToolAnnotations). Nothing here reaches beyond the machine.
READS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
ADJUSTS = {**READS, "readOnlyHint": False}
NOTES = {"readOnlyHint": False, "openWorldHint": False}
ALWAYS_LOAD = "anthropic/alwaysLoad"  # contract clause I2
ASK_A_PERSON = "anthropic/requiresUserInteraction"  # contract clause A5


def tools(options: Options) -> tuple[Tool, ...]:
    """The tools in the table's order; their dialogs share one seal."""
    seal = Seal()
    return tuple(_tool(each, options, seal) for each in shown_on("mcp"))


def engram_for(options: Options, call: Call) -> Engram:
    """Stores and settings as they are now; long work tells its progress to the caller."""
    return compose(
        Environment.of_this_process(), workspace=options.workspace, progress=call.progress
    )


def succeeded(result: Result) -> dict[str, Any]:
    """A CallToolResult: the text first, then what else a reader should know (clauses S1, S5)."""
    untold = [each for each in result.diagnostics if each.message not in result.text]
    texts = [result.text, *(_remark(each) for each in untold)]
    return {
        "content": [{"type": "text", "text": text} for text in texts],
        "structuredContent": envelope(result),
    }


def failed(error: EngramError) -> dict[str, Any]:
    """A CallToolResult that says in its text alone what is wrong and how to go on (clause S5)."""
    text = f"{error.message}\nhint: {error.hint}" if error.hint else error.message
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": failure(error),
        "isError": True,
    }


def _tool(operation: Operation, options: Options, seal: Seal) -> Tool:
    def run(arguments: Arguments, call: Call) -> dict[str, Any]:
        try:
            asked = read(operation.input, arguments, "mcp")
            engram = engram_for(options, call)
            if operation.writes:
                engram = replace(engram, surface="mcp", person=_person(engram, options, call, seal))
            return succeeded(operation.run(engram, asked))
        except EngramError as error:
            return failed(error)

    return Tool(
        name=operation.tool,
        title=operation.title,
        description=operation.description,
        input_schema=schema(operation.input),
        run=run,
        annotations=_hints(operation),
        meta=_meta(operation, options),
    )


def _person(engram: Engram, options: Options, call: Call, seal: Seal) -> DialogPerson | None:
    """Who can be asked during this call; None: a proposal waits under a token (clause E9)."""
    from engram.interfaces.mcp.dialog import Dialog  # noqa: PLC0415 - only a write asks
    from engram.interfaces.mcp.person import DialogPerson  # noqa: PLC0415

    dialog = Dialog(call, seal, engram.project, offered=options.elicitation)
    return DialogPerson(dialog) if dialog.available else None


def _hints(operation: Operation) -> dict[str, bool]:
    if operation.name == "note":
        return NOTES
    return ADJUSTS if operation.writes else READS


def _meta(operation: Operation, options: Options) -> dict[str, object]:
    if operation.name == "commit":
        return {ASK_A_PERSON: True}
    return {ALWAYS_LOAD: True} if options.always_load and operation.name == "load" else {}


def _remark(diagnostic: Diagnostic) -> str:
    told = f"{diagnostic.severity}: {diagnostic.message}"
    return f"{told} {diagnostic.remediation}" if diagnostic.remediation else told
