// The official clients of TypeScript against our MCP server: `node official_clients.mjs ADDRESS TOKEN STORY VERSION`.
// VERSION is v1 (@modelcontextprotocol/sdk, protocol 2025-11-25) or v2 (@modelcontextprotocol/client, 2026-07-28),
// which can be asked questions. Prints one line of JSON: what each call gave.
const [address, token, story, version] = process.argv.slice(2);

const modules = {
  v1: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/streamableHttp.js"],
  v2: ["@modelcontextprotocol/client", "@modelcontextprotocol/client"],
};
const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all(modules[version].map((name) => import(name)));

const asked = [];
const options = version === "v2" ? { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } } : {};
const client = new Client({ name: "official", version: "1.0" }, options);
if (version === "v2") {
  client.setRequestHandler("elicitation/create", async (request) => {
    asked.push(request.params.message);
    return { action: "accept", content: { premiere: "OFF" } };
  });
}
const headers = { Authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
const { tools } = await client.listTools();
const read = await client.callTool({ name: "get_story", arguments: { story } });
const wrong = await client.callTool({ name: "get_story", arguments: { story: "none" } });
const published = await client.callTool({
  name: "publish_story",
  arguments: { story, premiere_email_mode: "OFF" },
});
const told = {
  server: client.getServerVersion().name,
  tools: tools.length,
  title: read.structuredContent.title,
  refused: wrong.isError,
  published: published.structuredContent,
  asked,
};
console.log(JSON.stringify(told));
await client.close();
