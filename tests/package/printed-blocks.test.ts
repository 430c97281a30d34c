import { execFile } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { SANDBOX_CHAIN_ID } from "../../lib/chains.ts";
import { readLink, signQuestion } from "../e2e/support/phone-wallet.ts";
import { postingKey } from "../harness/form-access-token.ts";
import { freePort } from "../harness/free-port.ts";
import { listPages } from "../harness/list-pages.ts";
import { openProject, type Project } from "../harness/open-project.ts";
import { type Block, readBlocks } from "../harness/read-blocks.ts";
import { scan } from "../harness/scan-code.ts";
import { presentClaim, sendTransfer, transferOfferOf } from "../harness/send-transfer.ts";
import { serveReactApp } from "../harness/serve-react-app.ts";
import { soon } from "../harness/soon.ts";
import { startBrowser } from "../harness/start-browser.ts";
import { startTestMattermost } from "../harness/start-mattermost.ts";
import { startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";
import { EXTENDING_PAGE, followedPages } from "./support/followed-pages.ts";
import { builtLibrary } from "./support/packed-library.ts";

const root = process.cwd();
const execute = promisify(execFile);

/** Returns the blocks of a page below one of its headings. */
function blocksUnder(heading: string, page = "README.md"): Block[] {
  const lines = readFileSync(page, "utf8").split("\n");
  const from = lines.findIndex((line) => /^##+ /.test(line) && line.replace(/^#+ /, "") === heading);
  const next = lines.findIndex((line, index) => index > from && /^##+ /.test(line));
  if (from < 0) throw new Error(`${page} has no heading ${heading}`);
  return readBlocks(page).filter(({ line }) => line > from && (next < 0 || line < next));
}

const isCode = (language: string) => /^[jt]sx?$/.test(language);
const taken = new Set<string>();
const idOf = ({ page, line }: Block) => `${page}:${line}`;

/** Takes a block of code below a heading, to run it; called while tests are collected, so that none is missed. */
function takeCode(page: string, heading: string, index = 0): string {
  const block = blocksUnder(heading, page).filter(({ language }) => isCode(language))[index];
  if (!block) throw new Error(`${page} has no block of code ${index} below ${heading}`);
  taken.add(idOf(block));
  return block.text;
}

/** Inserts this run's values in place of the printed ones, each of which must occur. */
const withValues = (text: string, values: Readonly<Record<string, string>>) =>
  Object.entries(values).reduce((changed, [printed, own]) => {
    if (!changed.includes(printed)) throw new Error(`the block has no ${printed}:\n${text}`);
    return changed.replaceAll(printed, own);
  }, text);

/** Imports the sign-in that some blocks leave to the app. */
const signing = `import { formAccessToken, postingKey, signText } from "${root}/tests/harness/form-access-token.ts";`;

const takenRoute = takeCode("CONTRIBUTING.md", "Add a route");

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hivegate-readme-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe("the blocks of README and docs, with this run's addresses", () => {
  let server: RunningServer;
  let project: Project;
  let chainUrl: string;
  const chain = {
    chainId: SANDBOX_CHAIN_ID,
    async call(method: string, params: unknown) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return (await (await fetch(chainUrl, { method: "POST", body })).json()).result;
    },
  };
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
    chainUrl = sandbox.chain.url;
    project = await openProject({ library: builtLibrary(), place: (text) => text });
    await project.run(
      "npm init -y && npm pkg set type=module && npm install hivegate.tgz libsql express fastify ws zod tsx @types/node",
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

  /** Writes a program with the addresses of this run's sandbox. */
  const write = (name: string, text: string) => {
    const here = `gateway: "${server.url}", node: "${chainUrl}"`;
    const placed = text
      .replaceAll("sandbox()", `sandbox({ ${here} })`)
      .replaceAll("sandbox({ account:", `sandbox({ ${here}, account:`)
      .replaceAll("http://127.0.0.1:3000", server.url);
    writeFileSync(join(project.folder, name), placed);
  };
  const run = (name: string) => project.run(`npx tsx ${name}`);

  const article = "http://127.0.0.1:3000/api/demo/articles/three-seconds-and-no-fee";
  const readme = "README.md";
  const libraryPage = "lib/publish/README.md";
  const coming = "docs/coming-from-x402.md";
  const payments = "docs/payments.md";

  const sell = takeCode(readme, "Sell");
  const pay = takeCode(readme, "Pay");
  test("complete a sale between the block that sells and the block that pays", async () => {
    const port = await freePort();
    write("route.ts", sell);
    write("serve.ts", serving("./route.ts", port));
    await project.start("npx tsx serve.ts", /open/);
    write("pay.ts", withValues(pay, { [article]: `http://127.0.0.1:${port}/api/report` }));
    expect(await run("pay.ts")).toMatch(/thanks: 'alice',\s+proof: '[0-9a-f]{40}'/);
  });

  const librarySell = takeCode(libraryPage, "Selling");
  const libraryPay = takeCode(libraryPage, "Paying");
  test("sell and pay on the library's page", async () => {
    const port = await freePort();
    write("library-route.ts", librarySell);
    write(
      "library-serve.ts",
      serving("./library-route.ts", port, '{ params: Promise.resolve({ year: "2026" }) }'),
    );
    await project.start("npx tsx library-serve.ts", /open/);
    write("library-pay.ts", withValues(libraryPay, { [article]: `http://127.0.0.1:${port}/api/report` }));
    const output = await run("library-pay.ts");
    expect(output).toMatch(/year: '2026',\s+thanks: 'alice',\s+proof: '[0-9a-f]{40}'/);
    expect(output).toMatch(/0\.050 HBD for http:\S+: [0-9a-f]{40}/);
    expect(output).toContain("lastDay: '0.050 HBD'");
  });

  test.each([
    ["README's buyer", pay],
    ["the library's buyer", libraryPay],
  ])("buy an article of the sandbox as printed: %s", async (_name, text) => {
    write("buy.ts", text);
    expect(await run("buy.ts")).toContain("Three seconds");
  });

  const fastifyShop = takeCode(libraryPage, "Selling", 1);
  const formerShop = takeCode(coming, "Selling");
  const formerBuyer = takeCode(coming, "Paying");
  test.each([
    ["fastify.ts", fastifyShop, "port: 4000", "/report", ""],
    [
      "former.ts",
      formerShop,
      "",
      "/api/premium",
      `app.listen(PORT, "127.0.0.1", () => console.log("http://127.0.0.1:PORT"));`,
    ],
  ])(
    "sell with other frameworks what the printed buyer pays: %s",
    async (name, shop, printed, path, rest) => {
      const port = String(await freePort());
      const placed = printed === "" ? shop : withValues(shop, { [printed]: `port: ${port}` });
      write(name, `${placed}${rest.replaceAll("PORT", port)}`);
      await project.start(`npx tsx ${name}`, /http:/);
      write("former-buyer.ts", withValues(formerBuyer, { [article]: `http://127.0.0.1:${port}${path}` }));
      expect(await run("former-buyer.ts")).toBe("200\n");
    },
  );

  const found = takeCode(payments, "Being found");
  test("describe and sell a page as in payments.md", async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}/weather?city=Madrid`;
    write("found.ts", found);
    write("serve-found.ts", serving("./found.ts", port));
    await project.start("npx tsx serve-found.ts", /open/);
    const { extensions } = await (await fetch(address)).json();
    expect(JSON.stringify(extensions.bazaar)).toContain("Madrid");
    write("find.ts", withValues(formerBuyer, { [article]: address }));
    expect(await run("find.ts")).toBe("200\n");
  });

  const signedShop = takeCode(payments, "Signed offers and receipts");
  const signedBuyer = takeCode(payments, "Signed offers and receipts", 1);
  test("sign and verify an offer and its receipt as in payments.md", async () => {
    const port = await freePort();
    const opening = `listen(${port}, "127.0.0.1", () => console.log("open"))`;
    const host = `127.0.0.1%3A${port}`;
    write("signed-shop.ts", withValues(signedShop, { "shop.example": host, "listen(4000)": opening }));
    await project.start(`SIGNING_KEY=${"5e".repeat(32)} npx tsx signed-shop.ts`, /open/);
    const address = `http://127.0.0.1:${port}/report`;
    write("signed-buyer.ts", `${signedBuyer}console.log(await (await pay("${address}")).text());\n`);
    const output = await run("signed-buyer.ts");
    expect(output).toContain("the report");
    expect(output).toMatch(new RegExp(`^${address} eyJ\\S+$`, "m"));
  });

  const alone = takeCode(libraryPage, "Running a facilitator");
  const served = takeCode(coming, "Running a facilitator");
  test("start facilitators on the library's page and for sellers of @hiveio/x402", async () => {
    const state = 'console.log("serves", FacilitatorError.name, (await facilitator.health()).network);';
    write("facilitator.ts", `${alone}${state}\n`);
    await project.start("npx tsx facilitator.ts", /serves FacilitatorError chain:sandbox/);
    const ask = 'handlers["GET /supported"]?.(new Request("http://localhost/supported"))';
    write("handlers.ts", `${served}console.log(await (await ${ask})?.text());\n`);
    await project.start("npx tsx handlers.ts", /"network":"chain:sandbox"/);
  });

  const returning = takeCode(payments, "What comes wrong");
  test("send a transfer of another amount back as in payments.md", async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}/report`;
    write("returning.ts", returning);
    write("serve-returning.ts", serving("./returning.ts", port));
    await project.start("npx tsx serve-returning.ts", /open/);
    const offer = await transferOfferOf(await fetch(address));
    await sendTransfer(chain, { memo: offer.extra.memo, mils: 20 });
    await soon(async () => {
      const answer = await (await fetch(address, { headers: presentClaim(offer) })).json();
      expect(answer).toMatchObject({
        code: "payment_not_seen",
        returns: [{ payer: "alice", amount: "0.020 HBD", state: "returned" }],
      });
    });
  });

  const refunding = takeCode(payments, "Refunds");
  test("refund as in payments.md, and name a payment that the chain does not have", async () => {
    write("refunds.ts", refunding);
    write(
      "refund.ts",
      `import { payBack } from "./refunds.ts";
await payBack("0".repeat(40)).catch(({ code }) => console.log(code));
process.exit();
`,
    );
    expect(await run("refund.ts")).toBe("payment_not_found\n");
  });

  const tool = takeCode(payments, "Tools of an MCP server");
  test("sell the tool in payments.md to the official client", async () => {
    await project.run("npm install @modelcontextprotocol/client @modelcontextprotocol/server");
    write("tool.ts", tool);
    write(
      "tool-caller.ts",
      `import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { payingMcpClient } from "hivegate/mcp";
import { sandbox } from "hivegate/sandbox";
const client = new Client({ name: "reader", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: "npx", args: ["tsx", "tool.ts"] }));
const { callTool } = payingMcpClient(client, { ...sandbox(), server: "mcp://weather" });
console.log((await callTool({ name: "forecast", arguments: { city: "Rome" } })).content[0].text);
await client.close();
`,
    );
    expect(await run("tool-caller.ts")).toContain("Sun in Rome, alice.");
  });

  const inSteps = takeCode(payments, "Paying in steps");
  test("pay in steps as in payments.md", async () => {
    write("steps.ts", inSteps);
    expect(await run("steps.ts")).toMatch(/^0\.050 HBD shop .*\n200\n$/);
  });

  const searching = takeCode(payments, "Other protocols than HTTP");
  test("pay over another protocol as in payments.md", async () => {
    write("search.ts", searching);
    write(
      "searcher.ts",
      `import { encodePayment } from "hivegate";
import { search } from "./search.ts";
async function callTool(_query, payment) {
  const headers = { accept: "application/json", ...(payment && { "x-payment": encodePayment(payment) }) };
  const response = await fetch("${article}", { headers });
  const body = await response.json();
  if (!response.ok) return { content: "", required: body };
  return { content: body.title, receipt: JSON.parse(atob(response.headers.get("x-payment-response"))) };
}
console.log(await search(callTool, "seconds"));
`,
    );
    expect(await run("searcher.ts")).toContain("Three seconds");
  });

  const official = takeCode("docs/official-packages.md", "Register the scheme");
  test("register HBD with the official packages as in official-packages.md", async () => {
    await project.run("npm install @x402/core");
    write("official.ts", `${official}console.log(JSON.stringify(facilitator.getSupported()));\n`);
    await project.start("npx tsx official.ts", /"network":"chain:sandbox"/);
  });

  const client = takeCode("docs/first-agent.md", "5. Go live");
  test("create a client for real keys in first-agent.md", async () => {
    write("real.ts", `${client}console.log(await payingFetch.spent());\n`);
    const key = postingKey("alice", "active").toString();
    expect(await project.run(`ACTIVE_KEY=${key} npx tsx real.ts`)).toContain("lastDay: '0.000 HBD'");
  });

  const from = takeCode("docs/operations.md", "Other origins");
  test("open the chat's websocket from another site in operations.md", async () => {
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

  const create = takeCode("docs/chat-client.md", "Creating");
  const follow = takeCode("docs/chat-client.md", "Reconnecting");
  test("sign in and follow a channel in chat-client.md", async () => {
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

  const withKey = takeCode("docs/chat-client.md", "With a posting key");
  test("sign in with a posting key in chat-client.md", async () => {
    const printed = { "https://chat.example.com": server.url };
    write("key.ts", `${withValues(withKey, printed)}console.log((await chat.channels.list()).length > 0);\n`);
    const key = postingKey("alice").toString();
    expect(await project.run(`POSTING_KEY=${key} npx tsx key.ts`)).toContain("true");
  });

  const elsewhere = takeCode("docs/phone-sign-in.md", "In your own app");
  test("sign in by a wallet in phone-sign-in.md", async () => {
    const declared = /^declare function show.*$/m.exec(elsewhere)?.[0] ?? "not there";
    const printed = withValues(elsewhere, {
      "https://chat.example.com": server.url,
      [declared]: `import { readLink, signQuestion } from "${root}/tests/e2e/support/phone-wallet.ts";
const show = (link: string) => void fetch(signQuestion(readLink(link)));`,
    });
    write("phone.ts", `${printed}console.log("the wallet has signed in");\n`);
    await project.start("npx tsx phone.ts", /the wallet has signed in/);
  });

  const panel = takeCode("docs/phone-sign-in.md", "The panel in React");
  test("sign in by the panel in phone-sign-in.md", async () => {
    const browser = await startBrowser();
    const app = await serveReactApp(
      builtLibrary(),
      withValues(panel, { "https://chat.example.com": server.url }),
    );
    try {
      const page = await browser.newPage();
      await page.goto(app.url);
      await page.getByRole("textbox", { name: "Hive account" }).fill("alice");
      await page.getByRole("button", { name: "Use Keychain on a phone" }).click();
      const code = page.getByRole("img", { name: "Code to scan with Keychain" });
      await fetch(signQuestion(readLink(await scan(code))));
      await page.getByText("Signed in as alice").waitFor();
    } finally {
      await browser.close();
      await app.close();
    }
  });

  const chatting = takeCode(libraryPage, "Chatting");
  test("chat on the library's page", async () => {
    const declared = /^declare const sign.*$/m.exec(chatting)?.[0] ?? "not there";
    write(
      "chatting.ts",
      withValues(chatting, {
        "https://chat.example.com": server.url,
        [declared]: `import { WebSocket } from "ws";
${signing}
const sign = async (message: string) => signText(message, postingKey("alice"));`,
        "createChatClient({": "createChatClient({ WebSocket,",
      }),
    );
    await project.start("npx tsx chatting.ts", /alice: hello/);
  });

  const talk = takeCode(readme, "Talk to the chat from code");
  test("talk to the chat", async () => {
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

test("CONTRIBUTING.md prints a route as it is in the app", () => {
  expect(takenRoute).toBe(readFileSync("app/api/chat/channels/route.ts", "utf8"));
});

test("no block of code in README and docs is left without a run", () => {
  const isNamed = ({ text }: Block) => /^\/\/ \S+\n/.test(text);
  const followed: readonly string[] = [...followedPages.map(([page]) => page), EXTENDING_PAGE];
  const left = listPages()
    .flatMap(readBlocks)
    .filter(({ language }) => isCode(language))
    .filter((block) => !taken.has(idOf(block)) && !(followed.includes(block.page) && isNamed(block)));
  expect(left.map(idOf)).toEqual([]);
});

describe("README's 'Run it for real', in a built checkout with a seeded .env", () => {
  let folder: string;
  let running: Project | undefined;
  afterEach(() => running?.close());

  test("finds no fault and serves", async () => {
    folder = join(dataDir, "checkout");
    const [block] = blocksUnder("Run it for real");
    const [install, copy, doctor, start] = (block?.text ?? "").trim().split("\n");
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
