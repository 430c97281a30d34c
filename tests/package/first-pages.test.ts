import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createApiPerson } from "../e2e/support/api-person.ts";
import { freePort } from "../harness/free-port.ts";
import { openProject, type Project } from "../harness/open-project.ts";
import { readBlocks } from "../harness/read-blocks.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";
import { builtLibrary } from "./support/packed-library.ts";

const root = process.cwd();

describe("the first pages, against one quickstart", () => {
  let server: RunningServer;
  let dataDir: string;
  let project: Project;
  let shopPort: number;
  let library: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "hivegate-pages-"));
    library = builtLibrary();
    const port = String(await freePort());
    const started = await startServer(["--sandbox"], { DATA_DIR: dataDir, PORT: port, LOG_LEVEL: "error" });
    if (!("url" in started)) throw new Error(started.output);
    server = started;
    shopPort = await freePort();
  });
  afterEach(() => project.close());
  afterAll(async () => {
    server.child.kill("SIGTERM");
    await server.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  /** The addresses that the pages print may be taken on this machine. */
  const place = (text: string) =>
    text
      .replaceAll("127.0.0.1:3000", new URL(server.url).host)
      .replaceAll("127.0.0.1:4000", `127.0.0.1:${shopPort}`);
  const isQuickstart = (script: string) => script.trim() === "npm run quickstart";
  const scriptsOf = (page: string) =>
    readBlocks(page)
      .filter(({ language, text }) => language === "sh" && !isQuickstart(text))
      .map(({ text }) => text);

  test.each([
    ["docs/first-sale.md", 5],
    ["docs/first-agent.md", 3],
  ])("%s does what it says, with what it says to install", async (page, steps) => {
    project = await openProject({ library, place });
    expect(await project.follow(page, isQuickstart)).toHaveLength(steps);
  });

  test("the main job with curl reaches who listens, as printed in chat.md", async () => {
    project = await openProject({ library, place, cwd: root });
    const [define = "", listen = "", post = ""] = scriptsOf("docs/chat.md").map(place);
    expect(await project.run(define)).toContain('"ok":true');
    const bob = await project.start(`${define}\n${listen}`, /"event":\s*"hello"/);
    expect(await project.run(`${define}\n${post}`)).toContain("hello from curl");
    await bob.until(/"event":\s*"posted".*hello from curl/);
  });

  test("README's second command shows a payment to its receipt", async () => {
    const [first, second] = readBlocks("README.md").filter(({ language }) => language === "sh");
    expect(isQuickstart(first?.text ?? "")).toBe(true);
    const settings = { PORT: new URL(server.url).port };
    project = await openProject({ library, place, cwd: root, settings });
    expect(await project.run(second?.text ?? "")).toContain("settled: transaction");
  });

  test.each([
    ["hono", "examples/hono/shop.ts", 'import shop from "./shop.ts";\nconst serve = shop.fetch;', "hono"],
    ["next", "examples/next/app/report/route.ts", 'import { GET as serve } from "./shop.ts";', "next"],
  ])("the example for %s sells to the example of a buyer", async (_name, example, begin, framework) => {
    project = await openProject({ library, place });
    const { folder } = project;
    const copy = async (from: string, to: string) =>
      writeFile(join(folder, to), place(await readFile(from, "utf8")));
    await copy(example, "shop.ts");
    await copy("examples/agent/buy.ts", "buy.ts");
    await writeFile(
      join(folder, "serve.ts"),
      `${begin}
import { serveWeb } from "${root}/tests/harness/serve-web.ts";
const { url } = await serveWeb((request) => serve(request));
console.log(\`\${url}/report\`);
`,
    );
    await project.run(
      `npm init -y && npm pkg set type=module && npm install hivegate.tgz libsql tsx @types/node ${framework}`,
    );
    const gateway = `GATEWAY_URL=${server.url}`;
    const shop = await project.start(`${gateway} npx tsx serve.ts`, /http\S+\/report\n/);
    const address = /http\S+\/report/.exec(shop.output())?.[0];
    expect(await project.run(`npx tsx buy.ts ${address}`)).toMatch(/^200, paid by alice in transaction \w+/m);
  });

  test("the example for Fastify sells to the example of a buyer", async () => {
    project = await openProject({ library, place });
    const { folder } = project;
    for (const [from, to] of [
      ["examples/fastify/shop.ts", "shop.ts"],
      ["examples/agent/buy.ts", "buy.ts"],
    ] as const)
      await writeFile(join(folder, to), place(await readFile(from, "utf8")));
    await project.run(
      "npm init -y && npm pkg set type=module && npm install hivegate.tgz libsql tsx @types/node fastify",
    );
    await project.start("npx tsx shop.ts", /The shop is open/);
    const address = place("http://127.0.0.1:4000/report");
    expect(await project.run(`npx tsx buy.ts ${address}`)).toMatch(/^200, paid by alice in transaction \w+/m);
  });

  test("the example of a bot answers whoever mentions it, in the thread", async () => {
    project = await openProject({ library, place });
    const { folder } = project;
    await writeFile(join(folder, "bot.ts"), place(await readFile("examples/chat-bot/bot.ts", "utf8")));
    await project.run(
      "npm init -y && npm pkg set type=module && npm install hivegate.tgz tsx ws @hiveio/dhive",
    );
    await project.start("npx tsx bot.ts", /connection is open/);
    const bob = await createApiPerson(server.url, "bob");
    const { channels } = await bob.chat("GET", "/channels");
    const posts = `/channels/${channels.find(({ name }: { name: string }) => name === "town-square").id}/posts`;
    const { post } = await bob.chat("POST", posts, { message: "@carol how long is this?" });
    await expect
      .poll(async () => (await bob.chat("GET", `${posts}?thread=${post.id}`)).posts[1]?.message, {
        timeout: 30_000,
      })
      .toBe("@bob You wrote 5 words.");
  });
});
