import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signPayment } from "../../lib/x402/client/index.ts";
import { askPaid, offerOf, receiptOf } from "../harness/ask-paid.ts";
import { freePort } from "../harness/free-port.ts";
import { readBlocks } from "../harness/read-blocks.ts";
import { soon } from "../harness/soon.ts";
import { startBrowser } from "../harness/start-browser.ts";
import { type RunningServer, startCommand } from "../harness/start-command.ts";
import { copyApp } from "./support/copy-app.ts";

/** The files that the page prints, by the path in their first line. */
const added = readBlocks("docs/extend.md").flatMap(({ text }) => {
  const path = /^\/\/ (app\/\S+)\n/.exec(text)?.[1];
  return path === undefined ? [] : [{ path, text }];
});

type Sandbox = {
  accounts: Array<{ name: string; keys: Record<string, string> }>;
  chain: { url: string; chainId: string };
};

let folder = "";
let remove = async () => {};

beforeAll(async () => {
  ({ folder, remove } = await copyApp());
});
afterAll(() => remove());

const settings = async (name: string) => ({
  DATA_DIR: join(folder, `.data-${name}`),
  PORT: String(await freePort()),
  SANDBOX_CHAIN_PORT: "0",
  LOG_LEVEL: "error",
  NEXT_TELEMETRY_DISABLED: "1",
});

async function addFiles(): Promise<void> {
  for (const { path, text } of added) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const ways: ReadonlyArray<{ name: string; start: () => Promise<RunningServer> }> = [
  {
    // The files come while it runs.
    name: "in development",
    async start() {
      const args = ["--import", "tsx", "server.ts", "--dev", "--sandbox"];
      const started = await startCommand(process.execPath, args, {
        cwd: folder,
        settings: { NODE_ENV: "development", ...(await settings("dev")) },
      });
      if (!("url" in started)) throw new Error(started.output);
      expect((await fetch(`${started.url}/api/report`)).status).toBe(404);
      await addFiles();
      return started;
    },
  },
  {
    name: "built",
    async start() {
      await addFiles();
      execFileSync("npm", ["run", "build"], { cwd: folder, stdio: "pipe" });
      const started = await startCommand(process.execPath, ["dist/server.js", "--sandbox"], {
        cwd: folder,
        settings: { NODE_ENV: "production", ...(await settings("built")) },
      });
      if (!("url" in started)) throw new Error(started.output);
      return started;
    },
  },
];

describe.each(ways)("the files of extend.md, $name", ({ start }) => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start();
  }, 400_000);
  afterAll(async () => {
    server.child.kill("SIGTERM");
    await server.exited;
  });

  test("the paid route asks for HBD and sells for it, to the account of PAYWALL_ACCOUNT", async () => {
    const url = `${server.url}/api/report`;
    const asked = await soon(async () => {
      const response = await fetch(url);
      expect(response.status).toBe(402);
      return response;
    });
    const requirements = await offerOf(asked);
    expect(requirements).toMatchObject({ payTo: "shop" });
    const { accounts, chain } = (await (await fetch(`${server.url}/api/sandbox`)).json()) as Sandbox;
    const activeKey = accounts.find(({ name }) => name === "alice")?.keys.active ?? "";
    const purse = { account: "alice", activeKey, nodes: [chain.url], chainId: chain.chainId };
    const payment = await signPayment({ ...purse, requirements });
    const paid = await askPaid(url, payment);
    expect([paid.status, await paid.json()]).toMatchObject([200, { payer: "alice" }]);
    expect(receiptOf(paid).txId).toMatch(/^[0-9a-f]{40}$/);
  });

  test("the free route reads and sets cookies, and greets nobody by name", async () => {
    const greet = (cookie = "") => fetch(`${server.url}/api/greeting`, { headers: { cookie } });
    const first = await greet();
    expect(await first.json()).toEqual({ greeting: "Hello stranger", visits: 1 });
    const cookie = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect(await (await greet(cookie)).json()).toMatchObject({ visits: 2 });
  });

  test("redirect() answers, and after() runs when it has", async () => {
    const response = await fetch(`${server.url}/api/latest`, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([307, "/api/report"]);
    await soon(() => expect(server.output()).toContain("somebody asked for the latest report"));
  });

  test("a path without a route is still the contract's 404", async () => {
    const response = await fetch(`${server.url}/api/nothing`);
    expect([response.status, await response.json()]).toMatchObject([404, { code: "not_found" }]);
  });

  test("the pages work in a browser: a server action, and the chat client", async () => {
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      // In development a page is compiled first; the test's own limit ends what hangs.
      page.setDefaultTimeout(0);
      await page.goto(`${server.url}/note`);
      await page.getByRole("textbox", { name: "Note" }).fill("hello");
      await page.getByRole("button", { name: "Sign" }).click();
      await page.getByText("hello, signed nobody").waitFor();
      await page.goto(`${server.url}/unread`);
      await soon(async () => {
        await page.getByRole("button", { name: "Show my channels" }).click();
        await page.getByText("Sign in first").waitFor({ timeout: 2000 });
      });
    } finally {
      await browser.close();
    }
  });
});
