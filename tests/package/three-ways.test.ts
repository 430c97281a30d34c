import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { SIGN_IN_HEADER } from "../../app/(demo)/_ui/kept-marks.ts";
import { loadConfig } from "../../lib/config.ts";
import type { Operation, Operations } from "../../lib/contract/limits.ts";
import { operations } from "../../lib/contract/operations.ts";
import { createServices } from "../../lib/services/services.ts";
import { sandboxAccounts } from "../../sandbox/accounts.ts";
import { askPaid } from "../harness/ask-paid.ts";
import { collectOutput } from "../harness/collect-output.ts";
import { freePort } from "../harness/free-port.ts";
import { signing } from "../harness/signing-key.ts";
import { soon } from "../harness/soon.ts";
import { startChatWorld } from "../harness/start-chat-world.ts";
import type { Gateway } from "../harness/start-gateway.ts";
import { startImageHost } from "../harness/start-image-host.ts";
import { pngOf, startPictureServer } from "../harness/start-picture-server.ts";
import { startServer } from "../harness/start-server.ts";
import { startTranslator } from "../harness/start-translator.ts";
import { copyApp } from "./support/copy-app.ts";
import {
  examples,
  type Given,
  hivesignerApp,
  type OperationName,
  type Stage,
} from "./support/operation-examples.ts";

const declared = Object.entries<Operations[string]>(operations).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}` as OperationName,
    operation,
  })),
);
const eachOperation = declared.map(({ name, operation }) => [name, operation] as const);

const unknownId = "z".repeat(26);

type Asked = Given & { name: string };

/** Requests that belong to no operation. */
const strays: readonly Asked[] = [
  { name: "HEAD /api/health/live" },
  { name: "OPTIONS /api/health/live", headers: { origin: "https://app.example.com" } },
  { name: "GET /api/nothing" },
  { name: "POST /api/nothing" },
  { name: "GET /api" },
];

/**
 * Returns refused requests at an operation's path: with another method, without headers, by a member with
 * unknown ids, and with malformed bodies.
 */
function refusalsOf(
  name: OperationName,
  { auth, body, isBodyOptional, file, query }: Operation,
  pat: string,
): Asked[] {
  const asMember: Record<string, string> = auth === undefined ? { authorization: `Bearer ${pat}` } : {};
  const json = { ...asMember, "content-type": "application/json" };
  const isBareRefused =
    auth === "metrics" ||
    (body && !isBodyOptional) ||
    file ||
    (query && !query.safeParse({}).success) ||
    name.includes("{");
  return [
    { name: name.replace(/^\S+/, "PUT") },
    ...(auth === undefined || isBareRefused ? [{ name }] : []),
    ...(/\{\w+Id\}/.test(name) ? [{ name, headers: asMember, ...(body && { body: {} }) }] : []),
    ...(query
      ? [{ name, headers: asMember, query: { per_page: "none", page: "none", url: "none", limit: "none" } }]
      : []),
    ...(body
      ? [
          { name, headers: { ...json, "content-type": "text/plain" }, body: "{}" },
          { name, headers: json, body: "{" },
          { name, headers: json, body: [] },
          { name, headers: json, body: `{"x":"${"x".repeat(900_000)}"}` },
        ]
      : []),
  ];
}

/** Next lists its pages' variations before those that the route lists. */
const varyOfNext = /rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch(, )?/;
/** Headers that belong to the connection: Next sends every body in chunks. */
const ofConnection = ["connection", "content-length", "date", "keep-alive", "transfer-encoding"];
const ofPayments = ["x-payment", "x-payment-response", "payment-required", "payment-response"];

/**
 * The parts that differ between two answers to the same request, or to the same operation on another object.
 */
const differing: ReadonlyArray<[shape: RegExp, kept: string]> = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>"],
  [/Fe26\.[^;"]+/g, "<seal>"],
  [/(Expires=)[^;"]+/g, "$1<time>"],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "<time>"],
  [/\b(ms|headAgeSeconds|headBlock|chainLagSeconds|blockNum|timestamp)(\\?":)[\d.]+/g, "$1$2<number>"],
  [/\b1\d{12}\b/g, "<ms>"],
  [/\b[0-9a-f]{40}\b/g, "<transaction>"],
  [/(nonce\\?":\\?")[\w.-]+/g, "$1<nonce>"],
  [/("endToken":")[\w-]+/g, "$1<token>"],
  [/asker_[\w-]+=[\w-]+/g, "<asker>"],
  // Removes the metrics' samples, because each process has counted different events.
  [/^[a-z]\w+(\{.*\})? [\d.e+-]+\n/gm, ""],
  [/\b[a-z0-9]{26}\b/g, "<id>"],
];
const mask = (text: string) => differing.reduce((kept, [shape, by]) => kept.replace(shape, by), text);

async function ask(url: string, { name, params = {}, query, body, headers }: Asked) {
  const [method = "", template = ""] = name.split(" ");
  const path = template.replace(/\{(\w+)\}/g, (_, param: string) => params[param] ?? unknownId);
  const isWritten = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const asked = {
    method,
    redirect: "manual" as const,
    headers: {
      "x-request-id": "asked-three-times",
      // Next does not compress, while `server.ts` does for clients that accept it.
      "accept-encoding": "identity",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isWritten ? (body as BodyInit) : JSON.stringify(body) }),
  };
  const address = `${url}${path}${query ? `?${new URLSearchParams(query)}` : ""}`;
  const payment = headers?.["x-payment"];
  const response =
    payment === undefined ? await fetch(address, asked) : await askPaid(address, payment, asked);
  const isText = /json|text/.test(response.headers.get("content-type") ?? "");
  const bytes = Buffer.from(await response.arrayBuffer());
  const given = [...response.headers]
    .filter(([header]) => !ofConnection.includes(header))
    .map(([header, value]) => {
      if (header === "vary") return [header, value.replace(varyOfNext, "").replace(/, Accept-Encoding$/, "")];
      if (ofPayments.includes(header)) return [header, mask(Buffer.from(value, "base64").toString())];
      return [header, mask(value)];
    });
  return {
    status: response.status,
    text: isText ? mask(bytes.toString()) : bytes.toString("base64"),
    headers: Object.fromEntries(given),
  };
}

const metricsToken = "m".repeat(32);
const shop = sandboxAccounts.find(({ name }) => name === "shop")?.keys.posting;

/** Sets up everything that an operation may need to succeed, around the built `server.ts`. */
async function setStage(): Promise<Stage & { settings: Record<string, string>; close(): Promise<void> }> {
  const outside = await startPictureServer();
  outside.serveBytes("/picture.png", pngOf("outside"), { "content-type": "image/png" });
  outside.serveBytes("/page", "<title>A page</title><p>of somebody else's", { "content-type": "text/html" });
  const translator = await startTranslator();
  const images = await startImageHost({ keys: { shop: shop?.publicKey ?? "" } });
  const own = {
    TRANSLATE_URL: translator.url,
    IMAGE_UPLOAD_URL: images.url,
    IMAGE_UPLOAD_ACCOUNT: "shop",
    IMAGE_UPLOAD_KEY: shop?.privateKey ?? "",
    OUTSIDE_PRIVATE_HOSTS: `${outside.host},${images.host}`,
    METRICS_TOKEN: metricsToken,
    HIVESIGNER_APP: hivesignerApp,
    X402_NETWORK: "chain:sandbox",
    PAYWALL_ACCOUNT: "shop",
    X402_SIGNING_KEY: signing.privateKey,
    SESSION_SECRET: "0123456789abcdef0123456789abcdef",
    PUBLIC_URL: "http://localhost:3000",
    ALLOWED_ORIGINS: "https://app.example.com",
    CHAT_APP_IDS: "hivegate",
    RATE_LIMITS: "off",
    LOG_LEVEL: "warn",
    HOST: "127.0.0.1",
  };
  const world = await startChatWorld<Gateway & { settings: Record<string, string> }>({
    async start({ settings: ofWorld }) {
      const dataDir = await mkdtemp(join(tmpdir(), "three-ways-"));
      const settings = { ...own, ...ofWorld, DATA_DIR: dataDir };
      const server = await startServer([], { ...settings, PORT: "0" });
      if (!("url" in server)) throw new Error(server.output);
      return {
        ...{ url: server.url, dataDir, settings },
        async close() {
          server.child.kill("SIGTERM");
          await server.exited;
          await rm(dataDir, { recursive: true, force: true });
        },
      };
    },
  });
  const blocks = setInterval(() => void world.chain.produceBlocks(), 150);
  const [alice, bob] = [await world.login("alice", "hive-100001"), await world.login("bob", "hive-100001")];
  const room = await world.makeChannel([alice, bob], { display_name: "The room" });
  await bob.post(room, "to-be-found");
  const { settings } = world.gateway;
  const services = createServices(loadConfig(settings, null));
  return {
    ...{ world, alice, bob, room, outside, services, metricsToken, settings },
    async close() {
      clearInterval(blocks);
      await services.close();
      await world.close();
      await Promise.all([outside.close(), translator.close(), images.close()]);
    },
  };
}

test("every operation of the contract has an example", () => {
  expect(Object.keys(examples).sort()).toEqual(declared.map(({ name }) => name).sort());
});

// In the written order, because the last test ends the process that the others call.
describe("next", { shuffle: false }, () => {
  describe.each([["start"], ["dev"]])("%s", (command) => {
    let stage: Awaited<ReturnType<typeof setStage>>;
    let child: ChildProcess;
    let output = () => "";
    let url = "";
    let removeCopy = async () => {};

    beforeAll(async () => {
      stage = await setStage();
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      const next = "node_modules/next/dist/bin/next";
      const args = [next, command, "--hostname", "127.0.0.1", "--port", String(port)];
      // Other tests run `next dev` in this folder.
      const copy = command === "dev" ? await copyApp() : null;
      if (copy) removeCopy = copy.remove;
      const { PATH, HOME } = process.env;
      const env = { PATH, HOME, NEXT_TELEMETRY_DISABLED: "1", ...stage.settings };
      child = spawn(process.execPath, args, {
        env: env as unknown as NodeJS.ProcessEnv,
        ...(copy && { cwd: copy.folder }),
      });
      ({ output } = collectOutput(child));
      await soon(async () => {
        const socket = connect(port, "127.0.0.1");
        await once(socket, "connect").finally(() => socket.destroy());
      });
      // The first request to `next dev` waits until its route is compiled.
      expect((await fetch(`${url}/api/health/live`)).status).toBe(200);
    });
    afterAll(async () => {
      if (child.exitCode === null) {
        child.kill("SIGKILL");
        await once(child, "close");
      }
      await Promise.all([stage.close(), removeCopy()]);
    });

    test("reports that there is no websocket without server.ts", () =>
      soon(() => expect(output()).toMatch(/no websocket/)));

    test.each(strays.map((asked) => [asked.name, asked] as const))(
      "answers %s as server.ts does",
      async (_name, asked) => {
        expect(await ask(url, asked)).toEqual(await ask(stage.world.gateway.url, asked));
      },
    );

    // The two requests of an operation directly follow each other: `next dev` drops a route after a while
    // without requests, and compiles it again.
    describe.each(eachOperation)("%s", (name, operation) => {
      test("returns the same refusals as server.ts", async () => {
        for (const asked of refusalsOf(name, operation, stage.alice.pat)) {
          const refusal = await ask(url, asked);
          expect(refusal).toEqual(await ask(stage.world.gateway.url, asked));
          expect(refusal.status).toBeGreaterThanOrEqual(400);
        }
      });

      test("returns the same answer to the example as server.ts", async () => {
        const { prepare, status = 200, isOneTime = !name.startsWith("GET ") } = examples[name];
        const first = await prepare(stage);
        const expected = await ask(stage.world.gateway.url, { name, ...first });
        expect([expected.status, expected.text]).toEqual([status, expect.any(String)]);
        const again = isOneTime ? await prepare(stage) : first;
        expect(await ask(url, { name, ...again })).toEqual(expected);
      });
    });

    test("shows a signed-out reader of the chat the ways to sign in, and gives a script that asks no component", async () => {
      const address = `${url}/chat/${unknownId}`;
      const page = await request(address);
      expect([page.statusCode, page.headers[SIGN_IN_HEADER]]).toEqual([200, "1"]);
      expect(await page.body.text()).toContain(chat.signedOut.title);
      const ofScript = { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
      const answer = await request(address, { headers: { rsc: "1", ...ofScript } });
      expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
      await answer.body.dump();
    });

    test("exits with status 0 after SIGTERM", async () => {
      const ended = once(child, "close");
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    });
  });
});
