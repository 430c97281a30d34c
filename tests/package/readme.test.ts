import { execFile } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { postingKey } from "../harness/form-access-token.ts";
import { freePort } from "../harness/free-port.ts";
import { openProject, type Project } from "../harness/open-project.ts";
import { readBlocks } from "../harness/read-blocks.ts";
import { startTestMattermost } from "../harness/start-mattermost.ts";
import { startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";

const root = process.cwd();
const execute = promisify(execFile);

/** The blocks below a heading of the README. */
function blocksUnder(heading: string): string[] {
  const lines = readFileSync("README.md", "utf8").split("\n");
  const from = lines.indexOf(`## ${heading}`);
  const until = lines.findIndex((line, index) => index > from && line.startsWith("## "));
  if (from < 0) throw new Error(`README.md has no heading ${heading}`);
  return readBlocks("README.md")
    .filter(({ line }) => line > from && line < until)
    .map(({ text }) => text);
}

/** Puts this run's values in; each has to stand there. */
const withValues = (text: string, values: Readonly<Record<string, string>>) =>
  Object.entries(values).reduce((changed, [printed, own]) => {
    if (!changed.includes(printed)) throw new Error(`the block has no ${printed}:\n${text}`);
    return changed.replaceAll(printed, own);
  }, text);

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hivegate-readme-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe("README's blocks, with this run's addresses", () => {
  let server: RunningServer;
  let project: Project;
  let chainUrl: string;
  beforeAll(async () => {
    const library = join(dataDir, "library");
    const port = String(await freePort());
    const [started] = await Promise.all([
      startServer(["--sandbox"], { DATA_DIR: join(dataDir, "data"), PORT: port, LOG_LEVEL: "error" }),
      execute(process.execPath, ["--import", "tsx", "lib/publish/build.ts", library]),
    ]);
    if (!("url" in started)) throw new Error(started.output);
    server = started;
    const sandbox = await (await fetch(`${server.url}/api/sandbox`)).json();
    chainUrl = sandbox.chain.url;
    project = await openProject({ library, place: (text) => text });
    await project.run(
      "npm init -y && npm pkg set type=module && npm install hivegate.tgz libsql ws tsx @types/node",
    );
  });
  afterAll(async () => {
    await project.close();
    server.child.kill("SIGTERM");
    await server.exited;
  });

  const write = (name: string, text: string) => writeFileSync(join(project.folder, name), text);

  test("sell to the block that pays", async () => {
    const [sell = ""] = blocksUnder("Sell");
    const port = await freePort();
    const shop = `http://127.0.0.1:${port}`;
    write(
      "route.ts",
      withValues(sell, {
        "https://pay.example.com": `${server.url}/api/x402`,
        "https://shop.example.com": shop,
        'dataDir: ".data",': 'dataDir: ".data", network: "chain:sandbox",',
      }),
    );
    write(
      "serve.ts",
      `import { createServer } from "node:http";
import { sendResponse, toWebRequest } from "${root}/lib/http/node-request.ts";
import { GET } from "./route.ts";
createServer(async (incoming, outgoing) => {
  const request = toWebRequest(incoming, new AbortController().signal, 0);
  await sendResponse(await GET(request), incoming, outgoing);
}).listen(${port}, "127.0.0.1", () => console.log("open"));
`,
    );
    await project.start("npx tsx serve.ts", /open/);
    const [pay = ""] = blocksUnder("Pay");
    write(
      "pay.ts",
      withValues(pay, {
        "https://shop.example.com": shop,
        "maxPayment: 0.1,": `maxPayment: 0.1, network: "chain:sandbox", nodes: ["${chainUrl}"],`,
      }),
    );
    const key = postingKey("alice", "active").toString();
    const output = await project.run(`ALICE_ACTIVE_KEY=${key} npx tsx pay.ts`);
    expect(output).toMatch(/thanks: 'alice',\s+proof: '[0-9a-f]{40}'/);
  });

  test("talk to the chat", async () => {
    const [talk = ""] = blocksUnder("Talk to the chat from code");
    const declared = /^declare function signAccessToken.*$/m.exec(talk)?.[0] ?? "not there";
    write(
      "talk.ts",
      withValues(talk, {
        "https://chat.example.com": server.url,
        [declared]: `import { WebSocket } from "ws";
import { formAccessToken } from "${root}/tests/harness/form-access-token.ts";
const signAccessToken = async () => formAccessToken("alice");`,
        "login: async": "WebSocket, login: async",
      }),
    );
    const talking = await project.start("npx tsx talk.ts", /alice hello/);
    expect(talking.output()).toContain("events were missed");
  });
});

describe("README's 'Run it for real', in a built checkout with a .env that seeding completed", () => {
  let folder: string;
  let running: Project | undefined;
  afterEach(() => running?.close());

  test("finds nothing wrong and serves", { timeout: 180_000 }, async () => {
    folder = join(dataDir, "checkout");
    const [block = ""] = blocksUnder("Run it for real");
    const [install, copy, doctor, start] = block.trim().split("\n");
    expect([install, copy?.split("#")[0]?.trim()]).toEqual([
      "npm ci && npm run build",
      "cp .env.example .env",
    ]);
    const chain = await startSandboxChain({ blockIntervalMs: 1000, extraNodes: 1 });
    const chat = await startTestMattermost({ isBare: true });
    try {
      await execute("mkdir", [folder]);
      for (const name of ["package.json", "next.config.mjs", ".env.example", ".npmrc"])
        copyFileSync(name, join(folder, name));
      for (const name of ["node_modules", ".next", "dist", "public"])
        symlinkSync(resolve(name), join(folder, name));
      cpSync("package-lock.json", join(folder, "package-lock.json"));
      running = await openProject({ library: folder, place: (text) => text, cwd: folder });
      await running.run(copy ?? "");
      const seed = /`(npm run seed -- [^`]+)`/.exec(readFileSync("README.md", "utf8"))?.[1] ?? "";
      await running.run(withValues(seed, { "http://127.0.0.1:8065/api/v4": chat.url }));
      const port = await freePort();
      const settings = [
        `HIVE_NODES=${chain.urls.join(",")}`,
        `HIVE_CHAIN_ID=${chain.chainId}`,
        `PORT=${port}`,
      ];
      const env = join(folder, ".env");
      writeFileSync(env, `${readFileSync(env, "utf8")}${settings.join("\n")}\n`);
      expect(await running.run(doctor ?? "")).not.toMatch(/FAULT/);
      await running.start(start ?? "", /Hivegate serves/);
      const live = await fetch(`http://127.0.0.1:${port}/api/health/ready`);
      expect([live.status, await live.json()]).toMatchObject([200, { status: "ok" }]);
    } finally {
      await running?.close();
      running = undefined;
      await chat.close();
      await chain.close();
    }
  });
});
