"""The contract of `engram-mcp` and `engram link`, clause by clause, in short.

A test names the clauses that it witnesses: `@pytest.mark.contract("P1", "P8")`.
"""

from __future__ import annotations

CLAUSES: dict[str, str] = {
    # Registration with hosts.
    "R1": "The distribution installs two executables, engram and engram-mcp.",
    "R2": "Linking a host installs the MCP registration known for it.",
    "R3": "Workspace hosts that read .mcp.json get mcpServers.engram there.",
    "R4": "Workspace Gemini gets mcpServers.engram in .gemini/settings.json.",
    "R5": "Workspace Cursor gets .cursor/mcp.json.",
    "R6": "Workspace OpenCode gets an entry under mcp in opencode.json, or .jsonc where that exists.",
    "R7": "Global Claude: the command to run is printed and no file is written.",
    "R8": "Global Gemini gets mcpServers.engram merged into its settings.",
    "R9": "Global Codex gets a managed table, found by structure, whose commit tool asks a person.",
    "R10": "Global Antigravity gets an entry, without a type key, in the MCP file it reads.",
    "R11": "Global OpenCode gets an entry under mcp in its configuration folder.",
    "R12": "Global Cursor gets its entry inside the local plugin that linking writes.",
    "R13": "Global Windsurf gets its own file; the workspace one is skipped, with the reason.",
    "R14": "The command is engram-mcp where it is on PATH, else a launcher pinned to this version.",
    "R15": "Unlinking takes away what is Engram's and leaves every other byte.",
    "R16": "Doctor warns host.gemini_trust about a trusted server entry.",
    "R17": "--always-load is added only where Claude reads it and no Claude hook is installed.",
    "R18": "An entry that exists is changed only by force, by an upgrade or by a refresh.",
    # The protocol: two eras in one server.
    "P1": "initialize answers a known legacy version as asked, and 2025-11-25 otherwise.",
    "P2": "A request whose _meta holds the protocol version is served statelessly.",
    "P3": "A modern request without client capabilities gets -32602.",
    "P4": "Modern results say complete, name the server, and lists say how long they hold.",
    "P5": "An unknown modern version gets -32022 with what is supported and what was asked.",
    "P6": "Methods of the legacy era get -32601 in the modern one; discover opens no store.",
    "P7": "Standard output carries JSON-RPC lines and nothing else.",
    "P8": "The legacy handshake, tools/list, tools/call and ping are served.",
    "P9": "A bare call whose method is a tool's name returns plain text in the legacy era.",
    "P10": "A bad line gets the right error and the server goes on; notifications get no reply.",
    "P11": "Both eras may be mixed; the end of input or output ends the server quietly.",
    # What the server says of itself.
    "I1": "Both eras give the same instructions, at most 512 characters, complete in themselves.",
    "I2": "--always-load marks engram_load, and it alone.",
    "I3": "--no-elicitation keeps to the token flow even where dialogs are offered.",
    "I4": "An unknown option is passed over with a note on standard error.",
    # The tools.
    "T1": "engram_load routes a task and returns its memory.",
    "T2": "engram_route classifies a task and lists its memory.",
    "T3": "engram_search finds memory by words, narrowed by limit, type, scope.",
    "T4": "engram_verify checks hashes; engram_status reports health and counts.",
    "T5": "engram_save and engram_save_session return a numbered proposal and a token.",
    "T6": "engram_commit writes an approved proposal.",
    "T7": "engram_set_role and engram_set_rule_variant change what is loaded.",
    "T8": "engram_note saves one redacted working note after one confirmation.",
    "T9": "Read tools say they only read; a note is neither that nor destructive.",
    "T10": "A load is tiered, complete on request, and never above the budget it was given.",
    "T11": "disclosure chooses tiered, cards or bodies.",
    "T12": "After roles or variant change, the text ends with the agent's next action.",
    # What a result holds.
    "S1": "Text for a person, and an envelope with version, ok, data and diagnostics.",
    "S2": "A load's data names the keys selected, bodies, cards, omissions and tokens.",
    "S3": "Search and route give entries with id, type, scope and score; route in load order.",
    "S4": "Clients before 2025-06-18 get no structured result, output schema or title.",
    "S5": "The structured result holds all that the text holds, and the other way round.",
    # Approval, then commit.
    "A1": "Saving proposes; commit takes all or numbers, and refuses anything else harmlessly.",
    "A2": "The write defers related and duplicate candidates as the command line does.",
    "A3": "Tokens are random, bound to a workspace, single-use, and expire in 30 minutes.",
    "A4": "Only a token's hash is kept; a proposal edited on disk is refused.",
    "A5": "engram_commit is marked as requiring the user's interaction.",
    "A6": "Every candidate shows its verdict; commit applies one only while it still agrees.",
    "A7": "Instructions and pages tell people not to allow-list engram_commit.",
    "A8": "A proposal decided in review tells a later commit what became of it.",
    # The approval dialog.
    "E1": "A client with forms is asked in its own dialog instead of given a token.",
    "E2": "The form lists numbers, verdicts and titles, no text; nothing is approved by default.",
    "E3": "Accepting writes exactly what was chosen and returns no token.",
    "E4": "Declining, or an invalid answer, revokes the proposal.",
    "E5": "A dialog that is cancelled, times out or fails falls back to the token.",
    "E6": "Legacy clients are asked by elicitation/create.",
    "E7": "Modern clients get input_required with a sealed, expiring, bound state.",
    "E8": "A forged, expired or foreign state gets -32602 and writes nothing.",
    "E9": "Without the capability the token flow is unchanged.",
    # Notes of the working tier.
    "N1": "A note is one short git-ignored file that says when it ends.",
    "N2": "A note is redacted, and lines that instruct are refused, before it is shown.",
    "N3": "A note needs one yes, by dialog, retry or token; anything else writes nothing.",
    "N4": "A note never changes a durable memory; promoting is the only way up.",
    "N5": "A note is shown as a card, where its objective is the session's, until it expires.",
    # Force, resources and the prompt.
    "F1": "Saving with force takes the command line's path; hosts' short wording is understood.",
    "F2": "engram://index lists cards; engram://memory/{id} reads one and counts as a fetch.",
    "F3": "resources/list is the index and the most used memories, as many as the setting says.",
    "F4": "One prompt, propose, teaches the proposal protocol.",
}

DEFERRED: dict[str, str] = {}
