import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { patRoutes, withAllRoutes } from "../harness/chat-routes.ts";
import { collectOutput } from "../harness/collect-output.ts";
import { freePort } from "../harness/free-port.ts";
import { soon } from "../harness/soon.ts";
import { type ChatWorld, type Person, startChatWorld } from "../harness/start-chat-world.ts";
import { copyApp } from "./support/copy-app.ts";

const id = "z".repeat(26);
/** Next names what it sends its own pages by, in front of what the route names. */
const varyOfNext = /rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch(, )?/;
/** Differ between two answers to the same request, or belong to the connection: Next sends every body in chunks. */
const unlike = ["connection", "content-length", "date", "keep-alive", "transfer-encoding", "set-cookie"];

type Asked = { method: string; path: string; body?: unknown; headers?: Record<string, string> };

/** Requests without a token, or with a token that is good for nothing. */
const strangers: readonly Asked[] = [
  { method: "GET", path: "/api/health/live" },
  { method: "HEAD", path: "/api/health/live" },
  { method: "PUT", path: "/api/health/live" },
  { method: "OPTIONS", path: "/api/health/live", headers: { origin: "https://app.example.com" } },
  { method: "GET", path: "/api/health/ready" },
  { method: "GET", path: "/api/metrics" },
  { method: "GET", path: "/api/openapi.json" },
  { method: "GET", path: "/api/sandbox" },
  { method: "GET", path: "/api/nothing" },
  { method: "POST", path: "/api/nothing" },
  { method: "GET", path: "/api" },
  { method: "GET", path: "/.well-known/jwks.json" },
  { method: "GET", path: "/api/auth/session" },
  { method: "POST", path: "/api/auth/challenge", body: { username: "Not A Name" } },
  { method: "POST", path: "/api/auth/login", body: {} },
  { method: "POST", path: "/api/auth/login", body: "no JSON" },
  { method: "POST", path: "/api/auth/refresh", body: { refreshToken: "none" } },
  { method: "POST", path: "/api/auth/logout" },
  { method: "POST", path: "/api/chat/bootstrap", body: { username: "alice", accessToken: "none" } },
  { method: "POST", path: "/api/chat/logout" },
  { method: "GET", path: "/api/chat/websocket" },
  { method: "GET", path: `/api/chat/users/${id}/image` },
  { method: "GET", path: "/api/x402/supported" },
  { method: "GET", path: "/api/x402/payments?account=Not%20A%20Name" },
  { method: "POST", path: "/api/x402/verify", body: {} },
  { method: "POST", path: "/api/x402/settle", body: {} },
  { method: "GET", path: "/api/demo/articles" },
  { method: "GET", path: "/api/demo/articles/none" },
  { method: "GET", path: "/api/demo/pictures?url=none" },
  { method: "GET", path: "/api/demo/tips?post=none" },
  { method: "POST", path: "/api/demo/tips?to=alice&amount=nothing" },
  ...patRoutes.map((route) => ({ ...route, path: `/api/chat${route.path}` })),
];

async function ask(url: string, { method, path, body, headers }: Asked) {
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: {
      "x-request-id": "asked-three-times",
      // Next compresses for those who take it.
      "accept-encoding": "identity",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const given = [...response.headers]
    .filter(([name]) => !unlike.includes(name))
    .map(([name, value]) => [
      name,
      name === "vary" ? value.replace(varyOfNext, "").replace(/, Accept-Encoding$/, "") : value,
    ]);
  // How long each part took to answer.
  return {
    status: response.status,
    text: text.replace(/"(ms|headAgeSeconds)":[\d.]+/g, '"$1":0'),
    headers: Object.fromEntries(given),
  };
}

/** The settings of the gateway of this process, for another on the same store. */
function settingsOf({ gateway: { services } }: ChatWorld): Record<string, string> {
  const { chat, hive, sessionSecret, dataDir, publicUrl } = services.config;
  return {
    ...withAllRoutes,
    CHAT_BASE_URL: chat.baseUrl,
    CHAT_ADMIN_TOKEN: chat.adminToken.reveal(),
    CHAT_TEAM_ID: chat.teamId,
    HIVE_NODES: hive.nodes.join(","),
    HIVE_CHAIN_ID: hive.chainId,
    SESSION_SECRET: sessionSecret.reveal(),
    DATA_DIR: dataDir,
    CHAT_APP_IDS: "hivegate",
    ALLOWED_ORIGINS: "https://app.example.com",
    RATE_LIMITS: "off",
    LOG_LEVEL: "warn",
    PUBLIC_URL: publicUrl,
  };
}

describe.each([["start"], ["dev"]])("next %s", (command) => {
  let world: ChatWorld;
  let alice: Person & { channelId: string };
  let child: ChildProcess;
  let output = () => "";
  let url = "";
  let removeCopy = async () => {};

  beforeAll(async () => {
    world = await startChatWorld({
      settings: {
        ...withAllRoutes,
        PUBLIC_URL: "http://localhost:3000",
        ALLOWED_ORIGINS: "https://app.example.com",
      },
    });
    alice = await world.login("alice", "hive-100001");
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const args = [
      "node_modules/next/dist/bin/next",
      command,
      "--hostname",
      "127.0.0.1",
      "--port",
      String(port),
    ];
    // Other tests run `next dev` in this folder.
    const copy = command === "dev" ? await copyApp() : null;
    if (copy) removeCopy = copy.remove;
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, NEXT_TELEMETRY_DISABLED: "1", ...settingsOf(world) };
    child = spawn(process.execPath, args, {
      env: env as unknown as NodeJS.ProcessEnv,
      ...(copy && { cwd: copy.folder }),
    });
    ({ output } = collectOutput(child));
    await soon(async () => {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect").finally(() => socket.destroy());
    });
    // The first request of `next dev` waits until its route is compiled.
    expect((await fetch(`${url}/api/health/live`)).status).toBe(200);
  });
  afterAll(async () => {
    const closed = once(child, "close");
    child.kill("SIGTERM");
    await closed;
    await Promise.all([world.close(), removeCopy()]);
  });

  test("says that there is no websocket without server.ts", () =>
    soon(() => expect(output()).toMatch(/no websocket/)));

  test.each(strangers.map((asked) => [`${asked.method} ${asked.path}`, asked] as const))(
    "answers %s of a stranger as the shortcut does, to the byte",
    async (_name, asked) => {
      expect(await ask(url, asked)).toEqual(await ask(world.gateway.url, asked));
    },
  );

  test("answers what a member reads as the shortcut does, to the byte", async () => {
    const { id: postId } = await alice.post(alice.channelId, "read in three ways");
    const headers = { authorization: `Bearer ${alice.pat}` };
    const paths = [
      "/me",
      "/channels",
      "/channels/unreads",
      "/channels/public",
      `/channels/${alice.channelId}/members`,
      `/channels/${alice.channelId}/posts`,
      `/channels/${alice.channelId}/posts?around=${postId}`,
      `/channels/${alice.channelId}/pinned`,
      "/threads",
      "/users/search?q=al",
      `/users/${alice.id}/image`,
    ];
    for (const path of paths) {
      const asked = { method: "GET", path: `/api/chat${path}`, headers };
      const through = await ask(url, asked);
      expect([path, through.status]).toEqual([path, 200]);
      expect(through).toEqual(await ask(world.gateway.url, asked));
    }
  });

  test("does what a member writes", async () => {
    const headers = { authorization: `Bearer ${alice.pat}` };
    const write = (method: string, path: string, body?: unknown) =>
      ask(url, { method, path: `/api/chat/channels/${alice.channelId}${path}`, headers, body });
    const made = await write("POST", "/posts", { message: "written through Next" });
    expect(made.status).toBe(200);
    const { id: postId } = (JSON.parse(made.text) as { post: { id: string } }).post;
    const acts = [
      await write("PATCH", `/posts/${postId}`, { message: "changed" }),
      await write("POST", `/posts/${postId}/reactions`, { emoji: "smile", add: true }),
      await write("POST", `/posts/${postId}/unread`),
      await write("POST", "/view"),
      await write("POST", "/favorite", { favorite: true }),
      await write("POST", "/mute", { mute: false }),
      await write("DELETE", `/posts/${postId}`),
    ];
    expect(acts.map(({ status }) => status)).toEqual(acts.map(() => 200));
  });
});
