// The official TypeScript clients, old and new, taking the same steps with a server on stdio:
//   node client.mjs (client|sdk) MODE COMMAND…      the outcome is one line of JSON
// MODE is legacy, auto or a version to be pinned; the old package knows legacy alone.

const [family, mode, command, ...args] = process.argv.slice(2);
const filled = { name: "n", sure: true, scope: "here", numbers: ["2"] };
const accept = async () => ({ action: "accept", content: filled });
const info = { name: "witness", version: "1" };
const capabilities = { elicitation: { form: {} } };
const server = { command, args, env: process.env };

async function newClient() {
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const versions = { legacy: "legacy", auto: "auto" }[mode] ?? { pin: mode };
  const client = new Client(info, { capabilities, versionNegotiation: { mode: versions } });
  client.setRequestHandler("elicitation/create", accept);
  return [client, new StdioClientTransport(server)];
}

async function oldClient() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const client = new Client(info, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, accept);
  return [client, new StdioClientTransport(server)];
}

const [client, transport] = await (family === "sdk" ? oldClient() : newClient());
const errors = [];
client.onerror = (error) => errors.push(String(error));
await client.connect(transport);
const told = {
  version: client.getNegotiatedProtocolVersion?.() ?? transport._protocolVersion ?? null,
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  echoed: (await client.callTool({ name: "echo", arguments: { text: "Grüße\u2028😀" } })).content,
  asked: (await client.callTool({ name: "ask", arguments: {} })).structuredContent,
  resources: (await client.listResources()).resources.map((resource) => resource.uri),
  read: (await client.readResource({ uri: "test://static-text" })).contents[0].text,
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  missing: await client.callTool({ name: "no_such", arguments: {} }).catch((error) => error.code),
};
await client.close();
console.log(JSON.stringify({ ...told, errors }));
