"""The local plugin of a host that runs JavaScript in place of hook commands."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.hosts.placement import Context

_SOURCE = """\
// Gives each prompt the project memory that it needs. It runs the command below with an event on
// its standard input; whatever fails, the prompt goes on as it is.
import {{ spawn }} from "node:child_process"

const COMMAND = {words}
const PATIENCE_MS = 10_000

function ask(event) {{
  return new Promise((resolve) => {{
    let out = ""
    const done = (text) => {{ clearTimeout(timer); resolve(text) }}
    const child = spawn(COMMAND[0], COMMAND.slice(1), {{ stdio: ["pipe", "pipe", "ignore"] }})
    const timer = setTimeout(() => {{ child.kill(); done("") }}, PATIENCE_MS)
    child.on("error", () => done(""))
    child.stdin.on("error", () => {{}})
    child.stdout.on("data", (part) => {{ out += part }})
    child.on("close", () => {{
      try {{ done(JSON.parse(out).context ?? "") }} catch {{ done("") }}
    }})
    child.stdin.end(JSON.stringify(event))
  }})
}}

export const Engram = async ({{ directory }}) => {{
  const begun = new Set()
  let made = 0
  return {{
    event: async ({{ event }}) => {{
      if (event.type === "session.compacted") begun.delete(event.properties?.sessionID)
    }},
    "chat.message": async (input, output) => {{
      const session = input.sessionID ?? output.message?.sessionID
      const shared = {{ session_id: session, cwd: directory }}
      const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic)
        .map((part) => part.text).join("\\n")
      const texts = []
      if (!begun.has(session)) {{
        begun.add(session)
        texts.push(await ask({{ ...shared, hook_event_name: "SessionStart", source: "startup" }}))
      }}
      texts.push(await ask({{ ...shared, hook_event_name: "UserPromptSubmit", prompt }}))
      for (const text of texts.filter(Boolean)) {{
        made += 1
        output.parts.push({{
          id: `prt_engram${{Date.now().toString(36)}}${{made}}`,
          sessionID: session,
          messageID: output.message.id,
          type: "text",
          text,
          synthetic: true,
        }})
      }}
    }},
  }}
}}
"""


def plugin(context: Context) -> object:
    """The plugin's source, with the hook's command filled in."""
    return _SOURCE.format(words=json.dumps(list(context.hook.words)))
