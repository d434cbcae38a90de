// The official client of the Model Context Protocol, against `postrider mcp`:
//
//   node mcp-client.mjs FOLDER MODE PROGRAM [ARG...]     FOLDER: of tools/install-mcp-clients; MODE: legacy or auto
//
// Prints what it was told as one JSON object.
import { pathToFileURL } from "node:url";
const [folder, mode, command, ...args] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/node_modules/@modelcontextprotocol/client/dist/${name}.mjs`));
const { Client } = await load("index");
const { StdioClientTransport } = await load("stdio");
const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const list = await client.callTool({ name: "todo_list", arguments: {} });
const refused = await client.callTool({ name: "mail_inbox", arguments: {} });
const many = await Promise.all(Array.from({ length: 200 }, () => client.callTool({ name: "todo_list", arguments: { all: true } })));
const prompt = await client.getPrompt({ name: "00_plan", arguments: { goal: "ship it" } });
const read = await client.readResource({ uri: "todo://open" });
const resources = (await client.listResources()).resources.map((resource) => resource.uri);
console.log(JSON.stringify({ server: client.getServerVersion()?.name, tools, open: list.structuredContent.open, refused: refused.isError,
    many: many.filter((one) => one.structuredContent.total === 2).length, prompt: prompt.messages[0].content.text.split("\n")[0],
    read: JSON.parse(read.contents[0].text).open, resources }));
await client.close();
