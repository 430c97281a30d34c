import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readRequest, writeAnswer } from "../../lib/approvals/approval-text.ts";
import { signText } from "../../lib/hive/private-key.ts";
import { createApiPerson } from "../e2e/support/api-person.ts";
import { freePort } from "../harness/free-port.ts";
import { openProject, type Project } from "../harness/open-project.ts";
import { readBlocks } from "../harness/read-blocks.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";
import { wifOf } from "../harness/start-shop.ts";
import { followedPages } from "./support/followed-pages.ts";
import { builtLibrary } from "./support/packed-library.ts";

const root = process.cwd();

/** Hono's example leaves serving to the platform. */
const serveHono = (port: number) => `
import { createServer } from "node:http";
import shop from "./shop.ts";
createServer(async ({ url, headers }, outgoing) => {
  const answer = await shop.fetch(new Request(\`http://127.0.0.1:${port}\${url}\`, { headers: headers as HeadersInit }));
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(${port}, "127.0.0.1", () => console.log("open"));
`;

const running: Array<() => Promise<void>> = [];
afterAll(() => Promise.all(running.map((end) => end())));

/** Starts a sandbox with no payments yet, as the quickstart does. */
async function startQuickstart(): Promise<RunningServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-pages-"));
  const port = String(await freePort());
  const started = await startServer(["--sandbox"], {
    ...{ DATA_DIR: dataDir, PORT: port, LOG_LEVEL: "error" },
    // This is the default, which differs from the harness's value.
    CHAT_APP_IDS: `localhost:${port}`,
  });
  if (!("url" in started)) throw new Error(started.output);
  running.push(async () => {
    started.child.kill("SIGTERM");
    await started.exited;
    await rm(dataDir, { recursive: true, force: true });
  });
  return started;
}

describe("the first pages, against one quickstart", () => {
  let server: RunningServer;
  let project: Project;
  let chainUrl: string;
  let shopPort: number;
  let library: string;
  beforeAll(async () => {
    library = builtLibrary();
    server = await startQuickstart();
    chainUrl = (await (await fetch(`${server.url}/api/sandbox`)).json()).chain.url;
    shopPort = await freePort();
  });
  afterEach(() => project.close());

  /** Replaces the printed addresses, which may be taken on this machine. */
  const place = (text: string) =>
    text
      .replaceAll("sandbox()", `sandbox(${JSON.stringify({ gateway: server.url, node: chainUrl })})`)
      .replaceAll("init --sandbox", `init --sandbox --gateway ${server.url} --node ${chainUrl}`)
      .replaceAll("127.0.0.1:3000", new URL(server.url).host)
      .replaceAll("localhost:3000", `localhost:${new URL(server.url).port}`)
      .replaceAll("127.0.0.1:4000", `127.0.0.1:${shopPort}`)
      .replaceAll("--port 4000", `--port ${shopPort}`);
  const isQuickstart = (script: string) => script.trim() === "npm run quickstart";
  const scriptsOf = (page: string) =>
    readBlocks(page)
      .filter(({ language, text }) => language === "sh" && !isQuickstart(text))
      .map(({ text }) => text);

  test.each(followedPages)(
    "the steps of %s succeed after the documented installation",
    async (page, steps) => {
      const home = await mkdtemp(join(tmpdir(), "hivegate-home-"));
      running.push(() => rm(home, { recursive: true, force: true }));
      project = await openProject({ library, place, settings: { HOME: home } });
      expect(await project.follow(page, isQuickstart)).toHaveLength(steps);
    },
  );

  test("the agent of agents.md asks bob in the chat, and reads the approved page", async () => {
    project = await openProject({ library, place });
    const blocks = readBlocks("docs/agents.md");
    const install = blocks.find(({ text }) => text.startsWith("mkdir my-agent"))?.text ?? "";
    const program = blocks.find(({ text }) => text.startsWith("// ask-owner.ts"))?.text ?? "";
    await project.run(`${install}\ncat > ask-owner.ts <<'END'\n${place(program)}\nEND`);
    const asking = project.run("npx tsx ask-owner.ts");
    const bob = await createApiPerson(server.url, "bob");
    const { channelId } = await bob.chat("POST", "/direct", { username: "alice" });
    const posts = `/channels/${channelId}/posts`;
    const find = async () =>
      (await bob.chat("GET", posts)).posts
        .map(({ id, message }: { id: string; message: string }) => ({ id, request: readRequest(message) }))
        .find(({ request }: { request: unknown }) => request !== null);
    await expect.poll(find).toBeDefined();
    const { id, request } = await find();
    const signature = signText(request.text, wifOf("bob", "posting")) ?? "";
    await bob.chat("POST", posts, { message: writeAnswer("Yes.", { signature }), rootId: id });
    expect(await asking).toContain("200");
    const { posts: thread } = await bob.chat("GET", `${posts}?thread=${id}`);
    expect(thread.at(-1).message).toContain("Left of the budget: 0.450 HBD.");
  });

  test("a message sent with curl reaches a listener, as printed in chat.md", async () => {
    project = await openProject({ library, place, cwd: root });
    const [define = "", listen = "", post = ""] = scriptsOf("docs/chat.md").map(place);
    expect(await project.run(define)).toContain('"ok":true');
    const bob = await project.start(`${define}\n${listen}`, /"event":\s*"hello"/);
    expect(await project.run(`${define}\n${post}`)).toContain("hello from curl");
    await bob.until(/"event":\s*"posted".*hello from curl/);
  });

  test("README's first command serves the sandbox, where demo:pay pays once", async () => {
    const [first] = readBlocks("README.md").filter(({ language }) => language === "sh");
    expect(isQuickstart(first?.text ?? "")).toBe(true);
    const command = /`(npm run demo:pay)`/.exec(await readFile("README.md", "utf8"))?.[1] ?? "";
    // The other pages buy the article from their own server.
    const { url } = await startQuickstart();
    const settings = { PORT: new URL(url).port };
    project = await openProject({ library, place, cwd: root, settings });
    expect(await project.run(command)).toContain("settled: transaction");
    const again = await project.run(command);
    expect(again).toContain("alice bought it before, nothing is taken: transaction");
  });

  /** Copies an example's folder, enters it, and installs its manifest's packages. */
  const enterExample = async (name: string) => {
    const folder = join(project.folder, name);
    await cp(join("examples", name), folder, { recursive: true });
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) await writeFile(path, place(await readFile(path, "utf8")));
    }
    await project.run(`cd ${folder} && npm install`);
  };
  const buy = async (address: string) => {
    await enterExample("agent");
    return project.run(`npm start -- ${address}`);
  };
  const paid = /^200, paid by alice in transaction \w+/m;

  test.each([
    ["express", "npm start", /The shop is open/],
    ["fastify", "npm start", /The shop is open/],
    ["hono", `npx tsx serve.ts`, /open/],
  ])("the %s example sells to the buyer example", async (name, start, isOpen) => {
    project = await openProject({ library, place });
    await enterExample(name);
    if (name === "hono") await writeFile(join(project.folder, name, "serve.ts"), serveHono(shopPort));
    await project.start(start, isOpen);
    expect(await buy(`http://127.0.0.1:${shopPort}/report`)).toMatch(paid);
  });

  const findAndRead = (transport: string) => `
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { payingMcpClient } from "hivegate/mcp";
import { sandbox } from "hivegate/sandbox";
const client = new Client({ name: "reader", version: "1.0.0" });
await client.connect(${transport});
const { callTool, spent } = payingMcpClient(client, { ...${place("sandbox()")}, server: "mcp://articles" });
const { content } = await callTool({ name: "search", arguments: { words: "402" } });
const [{ slug }] = JSON.parse(content[0].text);
console.log(slug, (await callTool({ name: "read", arguments: { slug } })).content[0].text, await spent());
await client.close();
`;

  test("the MCP shop example sells over streamable HTTP and stdio", async () => {
    project = await openProject({ library, place });
    await enterExample("mcp-shop");
    await project.run("npm install @modelcontextprotocol/client");
    const write = (name: string, text: string) => writeFile(join(project.folder, "mcp-shop", name), text);
    await project.start("npm start", /The shop is open/);
    const url = `http://127.0.0.1:${shopPort}/mcp`;
    await write("http.ts", findAndRead(`new StreamableHTTPClientTransport(new URL("${url}"))`));
    const stdio = `new StdioClientTransport({ command: "npm", args: ["run", "--silent", "stdio"] })`;
    await write("stdio.ts", findAndRead(stdio));
    for (const name of ["http", "stdio"])
      expect(await project.run(`npx tsx ${name}.ts`)).toMatch(
        /^the-answer-nobody-used .*Status 402.*lastDay: '0.051 HBD'/ms,
      );
  });

  test("the built Next example sells to the buyer example, without warnings", async () => {
    const settings = { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
    // The project is inside the checkout, like the example itself: elsewhere Next would find another
    // configuration further up.
    project = await openProject({ library, place, settings, isCopied: true });
    await enterExample("next");
    await project.run("npm run build");
    const shop = await project.start("npm start", /Ready/);
    expect(await buy(`http://127.0.0.1:${shopPort}/report`)).toMatch(paid);
    expect(shop.output()).not.toMatch(/SLOW_CRYPTO|[Ww]arning/);
    // The test contains two installations and a build, while the machine runs all other tests.
  }, 300_000);

  test("the bot example answers a mention in its thread", async () => {
    project = await openProject({ library, place });
    await enterExample("chat-bot");
    await project.start("npm start", /connection is open/);
    const bob = await createApiPerson(server.url, "bob");
    const { channels } = await bob.chat("GET", "/channels");
    const posts = `/channels/${channels.find(({ name }: { name: string }) => name === "town-square").id}/posts`;
    const { post } = await bob.chat("POST", posts, { message: "@carol how long is this?" });
    await expect
      .poll(async () => (await bob.chat("GET", `${posts}?thread=${post.id}`)).posts[1]?.message)
      .toBe("@bob You wrote 5 words.");
  });
});
