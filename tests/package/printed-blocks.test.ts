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
import { builtLibrary } from "./support/packed-library.ts";

const root = process.cwd();
const execute = promisify(execFile);

/** Returns the blocks of a page below one of its headings. */
function blocksUnder(heading: string, page = "README.md"): string[] {
  const lines = readFileSync(page, "utf8").split("\n");
  const from = lines.findIndex((line) => /^##+ /.test(line) && line.replace(/^#+ /, "") === heading);
  const next = lines.findIndex((line, index) => index > from && /^##+ /.test(line));
  if (from < 0) throw new Error(`${page} has no heading ${heading}`);
  return readBlocks(page)
    .filter(({ line }) => line > from && (next < 0 || line < next))
    .map(({ text }) => text);
}

/** Inserts this run's values in place of the printed ones, each of which must occur. */
const withValues = (text: string, values: Readonly<Record<string, string>>) =>
  Object.entries(values).reduce((changed, [printed, own]) => {
    if (!changed.includes(printed)) throw new Error(`the block has no ${printed}:\n${text}`);
    return changed.replaceAll(printed, own);
  }, text);

/** Imports the sign-in that some blocks leave to the app. */
const signing = `import { formAccessToken, postingKey, signText } from "${root}/tests/harness/form-access-token.ts";`;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hivegate-readme-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe("the blocks of README and docs, with this run's addresses", () => {
  let server: RunningServer;
  let project: Project;
  let chainUrl: string;
  let chainId: string;
  beforeAll(async () => {
    const port = String(await freePort());
    const started = await startServer(["--sandbox"], {
      DATA_DIR: join(dataDir, "data"),
      PORT: port,
      LOG_LEVEL: "error",
    });
    if (!("url" in started)) throw new Error(started.output);
    server = started;
    const sandbox = await (await fetch(`${server.url}/api/sandbox`)).json();
    ({ url: chainUrl, chainId } = sandbox.chain);
    project = await openProject({ library: builtLibrary(), place: (text) => text });
    await project.run(
      "npm init -y && npm pkg set type=module && npm install hivegate.tgz libsql ws tsx @types/node",
    );
  });
  afterAll(async () => {
    await project.close();
    server.child.kill("SIGTERM");
    await server.exited;
  });

  /** Returns a program that serves the GET of a route file. */
  const serving = (route: string, port: number, context = "undefined as never") =>
    `import { createServer } from "node:http";
import { sendResponse, toWebRequest } from "${root}/lib/http/node-request.ts";
import { GET } from "${route}";
createServer(async (incoming, outgoing) => {
  const request = toWebRequest(incoming, new AbortController().signal, 0);
  await sendResponse(await GET(request, ${context}), incoming, outgoing);
}).listen(${port}, "127.0.0.1", () => console.log("open"));
`;

  const write = (name: string, text: string) => writeFileSync(join(project.folder, name), text);

  test("complete a sale between the block that sells and the block that pays", async () => {
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
    write("serve.ts", serving("./route.ts", port));
    await project.start("npx tsx serve.ts", /open/);
    const [pay = ""] = blocksUnder("Pay");
    write(
      "pay.ts",
      withValues(pay, {
        "https://shop.example.com": shop,
        'maxPayment: "0.100 HBD",': `maxPayment: "0.100 HBD", network: "chain:sandbox", nodes: ["${chainUrl}"],`,
      }),
    );
    const key = postingKey("alice", "active").toString();
    const output = await project.run(`ALICE_ACTIVE_KEY=${key} npx tsx pay.ts`);
    expect(output).toMatch(/thanks: 'alice',\s+proof: '[0-9a-f]{40}'/);
  });

  test("sell and pay on the library's page", async () => {
    const page = "lib/publish/README.md";
    const [sell = ""] = blocksUnder("Selling", page);
    const port = await freePort();
    write(
      "library-route.ts",
      withValues(sell, {
        "https://pay.example.com": `${server.url}/api/x402`,
        'dataDir: ".data",': 'dataDir: ".data", network: "chain:sandbox",',
      }),
    );
    write(
      "library-serve.ts",
      serving("./library-route.ts", port, '{ params: Promise.resolve({ year: "2026" }) }'),
    );
    await project.start("npx tsx library-serve.ts", /open/);
    const [pay = ""] = blocksUnder("Paying", page);
    write(
      "library-pay.ts",
      withValues(pay, {
        "https://shop.example.com": `http://127.0.0.1:${port}`,
        'maxPayment: "0.100 HBD",': `maxPayment: "0.100 HBD", network: "chain:sandbox", nodes: ["${chainUrl}"],`,
      }),
    );
    const key = postingKey("alice", "active").toString();
    const output = await project.run(`ALICE_ACTIVE_KEY=${key} npx tsx library-pay.ts`);
    expect(output).toMatch(/year: '2026',\s+thanks: 'alice',\s+proof: '[0-9a-f]{40}'/);
    expect(output).toMatch(/0\.050 HBD for http:\S+: [0-9a-f]{40}/);
    expect(output).toContain("lastDay: '0.050 HBD'");
  });

  test("start a facilitator on the library's page", async () => {
    const [start = ""] = blocksUnder("Running a facilitator", "lib/publish/README.md");
    const own = `dataDir: ".facilitator", chainId: "${chainId}", nodes: ["${chainUrl}"]`;
    const state = 'console.log("serves", FacilitatorError.name, (await facilitator.health()).network);';
    write("facilitator.ts", `${withValues(start, { 'dataDir: ".data"': own })}${state}\n`);
    await project.start("npx tsx facilitator.ts", /serves FacilitatorError chain:sandbox/);
  });

  test("create a client for real keys in first-agent.md", async () => {
    const [client = ""] = blocksUnder("5. Go live", "docs/first-agent.md");
    write("real.ts", `${client}console.log(await payingFetch.spent());\n`);
    const key = postingKey("alice", "active").toString();
    expect(await project.run(`ACTIVE_KEY=${key} npx tsx real.ts`)).toContain("lastDay: '0.000 HBD'");
  });

  test("open the chat's websocket from another site in operations.md", async () => {
    const [from = ""] = blocksUnder("Other origins", "docs/operations.md");
    const declared = /^declare const login.*$/m.exec(from)?.[0] ?? "not there";
    write(
      "elsewhere.ts",
      withValues(from, {
        "wss://chat.example.com": server.url.replace("http", "ws"),
        "https://chat.example.com": server.url,
        [declared]: `import { WebSocket as Wire } from "ws";
${signing}
class WebSocket extends Wire {
  constructor(url: string) {
    super(url);
    this.on("open", () => console.log("the socket is open"));
  }
}
const login = { username: "alice", accessToken: formAccessToken("alice") };`,
      }),
    );
    await project.start("npx tsx elsewhere.ts", /the socket is open/);
  });

  test("sign in and follow a channel in chat-client.md", async () => {
    const [create = ""] = blocksUnder("Creating", "docs/chat-client.md");
    const [follow = ""] = blocksUnder("Reconnecting", "docs/chat-client.md");
    const declared = /^declare const sign.*$/m.exec(create)?.[0] ?? "not there";
    write("follow.ts", follow);
    write(
      "client.ts",
      `${withValues(create, {
        "https://chat.example.com": server.url,
        [declared]: `import { WebSocket } from "ws";
import { follow } from "./follow.ts";
${signing}
const sign = async (message: string) => signText(message, postingKey("alice"));`,
        "createChatClient({": "createChatClient({ WebSocket,",
      })}
const [channel] = await chat.channels.list();
follow(chat, channel!.id, ({ posts }) => console.log(\`\${posts.length > 0} posts are shown\`));
`,
    );
    await project.start("npx tsx client.ts", /true posts are shown/);
  });

  test("talk to the chat", async () => {
    const [talk = ""] = blocksUnder("Talk to the chat from code");
    const declared = /^declare function signAccessToken.*$/m.exec(talk)?.[0] ?? "not there";
    write(
      "talk.ts",
      withValues(talk, {
        "https://chat.example.com": server.url,
        [declared]: `import { WebSocket } from "ws";
${signing}
const signAccessToken = async () => formAccessToken("alice");`,
        "login: async": "WebSocket, login: async",
      }),
    );
    const talking = await project.start("npx tsx talk.ts", /alice hello/);
    expect(talking.output()).toContain("events were missed");
  });
});

describe("README's 'Run it for real', in a built checkout with a seeded .env", () => {
  let folder: string;
  let running: Project | undefined;
  afterEach(() => running?.close());

  test("finds no fault and serves", async () => {
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
