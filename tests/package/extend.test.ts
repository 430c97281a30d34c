import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signPayment } from "../../lib/x402/client/index.ts";
import { askPaid, offerOf, receiptOf } from "../harness/ask-paid.ts";
import { createAuthClient } from "../harness/auth-client.ts";
import { collectOutput } from "../harness/collect-output.ts";
import { freePort } from "../harness/free-port.ts";
import { readBlocks } from "../harness/read-blocks.ts";
import { soon } from "../harness/soon.ts";
import { startBrowser } from "../harness/start-browser.ts";
import { requestBootstrap } from "../harness/start-chat.ts";
import { bare, type RunningServer, startCommand } from "../harness/start-command.ts";
import { startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { wifOf } from "../harness/start-shop.ts";
import { copyApp } from "./support/copy-app.ts";
import { EXTENDING_PAGE } from "./support/followed-pages.ts";

/** One of the app's pictures, in `public`. */
const PICTURE = "icons/icon-192.png";

/** The files that the page prints, by the path in their first line. */
const added = readBlocks(EXTENDING_PAGE).flatMap(({ text }) => {
  const path = /^\/\/ (app\/\S+)\n/.exec(text)?.[1];
  return path === undefined ? [] : [{ path, text }];
});

/**
 * A server component, a picture that Next scales, and a paid route that Next may store. The page mentions them next to
 * its files.
 */
const own = [
  {
    path: "app/whoami/page.tsx",
    text: `import { getSession } from "#lib/services/get-session.ts";

export default async function WhoAmIPage() {
  return <p>{\`You are \${(await getSession())?.username ?? "nobody"}.\`}</p>;
}
`,
  },
  {
    path: "app/api/minutely/route.ts",
    text: `import { withPaywall } from "#lib/services/with-paywall.ts";

export const revalidate = 60;
export const GET = withPaywall({ amount: "0.050 HBD" }, () => Response.json({ at: Date.now() }));
`,
  },
  {
    path: "app/scaled/page.tsx",
    text: `import Image from "next/image";

export default function ScaledPage() {
  return <Image src="/${PICTURE}" width={64} height={64} alt="scaled" />;
}
`,
  },
];

let folder = "";
/** The build's warnings. */
let warnings: string[] = [];
let remove = async () => {};

beforeAll(async () => {
  ({ folder, remove } = await copyApp());
  await edit("next.config.mjs", /^ *images: .*\n/m, "");
  await edit("middleware.ts", "matcher: [", 'matcher: ["/api/greeting", ');
  await edit(
    "middleware.ts",
    /^export function middleware\(.*\n/m,
    `$&  if (request.nextUrl.pathname === "/api/greeting")
    return NextResponse.next({ headers: { "x-greeted": "yes" } });
`,
  );
});
afterAll(() => remove());

/** Edits a file of the copy, as its owner would. */
async function edit(path: string, found: string | RegExp, by: string): Promise<void> {
  const text = await readFile(join(folder, path), "utf8");
  const edited = text.replace(found, by);
  expect(edited, `${path} has ${found}`).not.toBe(text);
  await writeFile(join(folder, path), edited);
}

const settings = async (name: string) => ({
  DATA_DIR: join(folder, `.data-${name}`),
  HOST: "127.0.0.1",
  PORT: String(await freePort()),
  SANDBOX_CHAIN_PORT: "0",
  CHAT_APP_IDS: "hivegate",
  LOG_LEVEL: "error",
  NEXT_TELEMETRY_DISABLED: "1",
});

async function addFiles(): Promise<void> {
  for (const { path, text } of [...added, ...own]) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

type Served = Pick<RunningServer, "url" | "output"> & {
  chain: { url: string; chainId: string };
  stop(): Promise<unknown>;
};

/** Starts `server.ts` on its sandbox in the copy. */
async function startOnSandbox(args: readonly string[], given: Record<string, string>): Promise<Served> {
  const started = await startCommand(process.execPath, args, { cwd: folder, settings: given });
  if (!("url" in started)) throw new Error(started.output);
  const { url, output, child, exited } = started;
  const sandbox = (await (await fetch(`${url}/api/sandbox`)).json()) as Pick<Served, "chain">;
  const stop = () => {
    child.kill("SIGTERM");
    return exited;
  };
  return { url, output, chain: sandbox.chain, stop };
}

const ways: ReadonlyArray<{ name: string; isDev?: true; hasChat: boolean; start: () => Promise<Served> }> = [
  {
    // The files arrive while the server runs, as with `npm run dev`.
    ...{ name: "in development", isDev: true, hasChat: true },
    async start() {
      const tsx = "node_modules/tsx/dist/cli.mjs";
      const server = await startOnSandbox(
        [tsx, "watch", "--clear-screen=false", "server.ts", "--dev", "--sandbox"],
        await settings("dev"),
      );
      expect((await fetch(`${server.url}/api/report`)).status).toBe(404);
      await addFiles();
      return server;
    },
  },
  {
    ...{ name: "built", hasChat: true },
    async start() {
      await addFiles();
      const { status, stdout, stderr } = spawnSync("npm", ["run", "build"], {
        cwd: folder,
        encoding: "utf8",
        // A variable like `CI` makes Next mention a cache.
        env: bare,
      });
      expect(status, stderr).toBe(0);
      warnings = `${stdout}${stderr}`.match(/^.*(?:⚠|\bwarn(?:ing)?\b).*$/gim) ?? [];
      const given = { NODE_ENV: "production", ...(await settings("built")) };
      return startOnSandbox(["dist/server.js", "--sandbox"], given);
    },
  },
  {
    // Runs on a separate chain, because the sandbox is part of `server.ts`.
    ...{ name: "built, under next start", hasChat: false },
    async start() {
      const chain = await startSandboxChain({ blockIntervalMs: 100 });
      const { PORT, ...given } = await settings("next");
      const url = `http://127.0.0.1:${PORT}`;
      const args = ["node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", PORT];
      const { PATH, HOME } = process.env;
      const env = {
        ...{ PATH, HOME, ...given, PUBLIC_URL: url },
        ...{ HIVE_NODES: chain.url, HIVE_CHAIN_ID: chain.chainId, X402_NETWORK: "chain:sandbox" },
        ...{ PAYWALL_ACCOUNT: "shop", SESSION_SECRET: "0123456789abcdef0123456789abcdef" },
        CHAT_BASE_URL: "http://127.0.0.1:9/api/v4",
        CHAT_ADMIN_TOKEN: "a".repeat(26),
        CHAT_TEAM_ID: "t".repeat(26),
      };
      const child = spawn(process.execPath, args, { cwd: folder, env: env as unknown as NodeJS.ProcessEnv });
      const { output } = collectOutput(child);
      const exited = once(child, "close");
      await soon(async () => expect((await fetch(`${url}/api/health/live`)).status).toBe(200));
      const stop = async () => {
        child.kill("SIGTERM");
        await exited;
        await chain.close();
      };
      return { url, output, chain, stop };
    },
  },
];

// In the written order: the files arrive in a running server first, and `next start` serves the last build.
describe("the files of extend.md", { shuffle: false }, () => {
  describe.each(ways)("$name", ({ name, start, isDev, hasChat }) => {
    let server: Served;
    beforeAll(async () => {
      server = await start();
      // In development, the first page compiles the parts common to all pages. Its connection may be one that
      // the server is about to close.
      const compile = () => fetch(`${server.url}/whoami`);
      await compile().catch(compile);
    }, 900_000);
    afterAll(() => server?.stop());

    /** Returns the cookie of alice's session. */
    const signIn = async () => {
      const { login, cookieOf } = createAuthClient(() => server.url);
      return cookieOf(await login()).cookie;
    };

    /** Pays for an address as alice, and returns the answer with what was offered. */
    const buy = async (url: string) => {
      const asked = await soon(async () => {
        const response = await fetch(url);
        expect(response.status).toBe(402);
        return response;
      });
      const requirements = await offerOf(asked);
      const { url: node, chainId } = server.chain;
      const purse = { account: "alice", activeKey: wifOf("alice"), nodes: [node], chainId };
      return { requirements, paid: await askPaid(url, await signPayment({ ...purse, requirements })) };
    };

    test("the paid route requires a payment to PAYWALL_ACCOUNT, and sells for it", async () => {
      const { paid, requirements } = await buy(`${server.url}/api/report`);
      expect(requirements).toMatchObject({ payTo: "shop" });
      expect([paid.status, await paid.json()]).toMatchObject([200, { payer: "alice" }]);
      expect(receiptOf(paid).txId).toMatch(/^[0-9a-f]{40}$/);
    });

    test("a paid route with revalidate sells each answer anew", async () => {
      const url = `${server.url}/api/minutely`;
      const first = await (await buy(url)).paid.json();
      expect(await (await buy(url)).paid.json()).not.toEqual(first);
      expect((await fetch(url)).status).toBe(402);
    });

    test.runIf(isDev)('a paid route with dynamic = "force-static" says why it can\'t be static', async () => {
      const path = join(folder, "app/api/frozen/route.ts");
      await mkdir(dirname(path));
      const { text = "" } = own.find((one) => one.path.includes("minutely")) ?? {};
      await writeFile(path, text.replace("revalidate = 60", 'dynamic = "force-static"'));
      try {
        await soon(async () => expect((await fetch(`${server.url}/api/frozen`)).status).toBe(500));
        await soon(() =>
          expect(server.output()).toContain("a paid route runs for each request, so it can't be static"),
        );
      } finally {
        await rm(dirname(path), { recursive: true });
      }
    });

    test("the free route reads and sets cookies, and greets anonymous callers as strangers", async () => {
      const greet = (cookie = "") => fetch(`${server.url}/api/greeting`, { headers: { cookie } });
      const first = await greet();
      expect(await first.json()).toEqual({ greeting: "Hello stranger", visits: 1 });
      const cookie = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      expect(await (await greet(cookie)).json()).toMatchObject({ visits: 2 });
    });

    test("getSession() returns the signed-in user, in a route handler and in a server component", async () => {
      const headers = { cookie: await signIn() };
      const greeted = await fetch(`${server.url}/api/greeting`, { headers });
      expect(await greeted.json()).toMatchObject({ greeting: "Hello alice" });
      const pageOf = async (init?: RequestInit) => (await fetch(`${server.url}/whoami`, init)).text();
      expect(await pageOf({ headers })).toContain("You are alice.");
      expect(await pageOf()).toContain("You are nobody.");
    });

    test("middleware runs on paths added to its matcher, and on pages as before", async () => {
      expect((await fetch(`${server.url}/api/greeting`)).headers.get("x-greeted")).toBe("yes");
      const { headers } = await fetch(`${server.url}/note`);
      expect([headers.get("x-greeted"), headers.get("x-frame-options")]).toEqual([null, "DENY"]);
    });

    test("next/image scales pictures once its line is removed from the configuration", async () => {
      const query = new URLSearchParams({ url: `/${PICTURE}`, w: "64", q: "75" });
      const response = await fetch(`${server.url}/_next/image?${query}`, {
        headers: { accept: "image/webp" },
      });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/webp"]);
      expect(await (await fetch(`${server.url}/scaled`)).text()).toContain("/_next/image?url=");
    });

    test.runIf(isDev)("an edited gateway route is served as last saved", async () => {
      const live = () => fetch(`${server.url}/api/health/live`).then((response) => response.json());
      expect(await live()).toEqual({ status: "ok" });
      await edit("app/api/health/live/route.ts", '"ok" as const', '"edited" as never');
      await soon(async () => expect(await live()).toEqual({ status: "edited" }));
      await edit("app/api/health/live/route.ts", '"edited" as never', '"ok" as const');
      await soon(async () => expect(await live()).toEqual({ status: "ok" }));
    });

    test.runIf(name === "built")("the build warns only about the name of middleware.ts", () => {
      expect(warnings).toEqual([expect.stringContaining('"middleware" file convention')]);
    });

    test("redirect() answers, and after() runs afterwards", async () => {
      const response = await fetch(`${server.url}/api/latest`, { redirect: "manual" });
      expect([response.status, response.headers.get("location")]).toEqual([307, "/api/report"]);
      await soon(() => expect(server.output()).toContain("somebody asked for the latest report"));
    });

    test("a path without a route still returns the contract's 404", async () => {
      const response = await fetch(`${server.url}/api/nothing`);
      expect([response.status, await response.json()]).toMatchObject([404, { code: "not_found" }]);
    });

    test("the pages work in a browser: a server action, and the chat client", async () => {
      const browser = await startBrowser();
      try {
        const page = await browser.newPage();
        // In development a page is compiled first. The test's own limit ends a hanging page.
        page.setDefaultTimeout(0);
        await page.goto(`${server.url}/note`);
        await page.getByRole("textbox", { name: "Note" }).fill("hello");
        await page.getByRole("button", { name: "Sign" }).click();
        await page.getByText("hello, signed nobody").waitFor();
        await page.goto(`${server.url}/unread`);
        const ask = (answer: string) =>
          soon(async () => {
            await page.getByRole("button", { name: "Show my channels" }).click();
            await page.getByText(answer).waitFor({ timeout: 2000 });
          });
        await ask("Sign in first");

        const [name = "", value = ""] = (await signIn()).split("=");
        await page.context().addCookies([{ name, value, url: server.url }]);
        await page.goto(`${server.url}/note`);
        await page.getByRole("textbox", { name: "Note" }).fill("hello again");
        await page.getByRole("button", { name: "Sign" }).click();
        await page.getByText("hello again, signed alice").waitFor();
        await page.goto(`${server.url}/scaled`);
        await expect
          .poll(() =>
            page.getByAltText("scaled").evaluate((image) => (image as HTMLImageElement).naturalWidth),
          )
          .toBeGreaterThan(0);
        if (!hasChat) return;
        const { body } = await requestBootstrap(server.url, "alice", { community: "hive-100001" });
        await page.context().addCookies([{ name: "chat_pat", value: body.token, url: server.url }]);
        await page.goto(`${server.url}/unread`);
        await ask("Photography");
      } finally {
        await browser.close();
      }
    });
  });
});
