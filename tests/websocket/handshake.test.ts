import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { exchangeBytes } from "../harness/exchange-bytes.ts";
import { soon } from "../harness/soon.ts";
import { type LocalGateway, startGateway } from "../harness/start-gateway.ts";
import {
  aliceId,
  alicePat,
  playMattermost,
  type ScriptedMattermost,
  startScriptedMattermost,
} from "../harness/start-scripted-mattermost.ts";
import { openWebsocket, refusalOf } from "./open-websocket.ts";

const bearer = { headers: { authorization: `Bearer ${alicePat}` } };
const cookie = (origin?: string) => ({
  headers: { cookie: `chat_pat=${alicePat}`, ...(origin && { origin }) },
});

let mattermost: ScriptedMattermost;
let gateway: LocalGateway;

beforeAll(async () => {
  mattermost = await startScriptedMattermost();
  gateway = await startGateway({
    settings: { CHAT_BASE_URL: mattermost.url, ALLOWED_ORIGINS: "https://app.example" },
  });
});

afterEach(async () => {
  mattermost.script = {};
  for (const socket of mattermost.sockets) socket.terminate();
  await soon(() => expect(mattermost.sockets.size).toBe(0));
});

afterAll(async () => {
  await gateway.close();
  await mattermost.close();
});

describe("opening a websocket", () => {
  test("accepts the token as bearer, in the query, or as a cookie from an allowed origin", async () => {
    for (const [query, options] of [
      ["", bearer],
      [`?token=${alicePat}`, {}],
      ["", cookie(gateway.url)],
      ["", cookie("https://app.example")],
    ] as const) {
      const { socket, messages } = await openWebsocket(gateway.url, query, options);
      await soon(() => expect(messages).toMatchObject([{ event: "hello", seq: 0 }]));
      socket.close();
    }
  });

  test("accepts bearer and query tokens from any origin, but the cookie only from allowed origins", async () => {
    const origin = "https://evil.example";
    (await openWebsocket(gateway.url, "", { headers: { ...bearer.headers, origin } })).socket.close();
    (await openWebsocket(gateway.url, `?token=${alicePat}`, cookie(origin))).socket.close();
    expect(await refusalOf(openWebsocket(gateway.url, "", cookie(origin)))).toEqual([403, "forbidden"]);
    expect(await refusalOf(openWebsocket(gateway.url, "", cookie()))).toEqual([403, "forbidden"]);
  });

  test("returns 401 for a missing, malformed or empty token before the upgrade, without a Mattermost call", async () => {
    const before = mattermost.upgrades.length;
    const malformed = { headers: { authorization: "Bearer ", cookie: `chat_pat=${alicePat}` } };
    for (const [query, options] of [
      ["", {}],
      ["?token=", {}],
      ["?token=short", {}],
      ["?token=%00%0a", cookie(gateway.url)],
      ["", malformed],
    ] as const)
      expect(await refusalOf(openWebsocket(gateway.url, query, options))).toEqual([401, "unauthorized"]);
    expect(mattermost.upgrades.length).toBe(before);
  });

  test("returns 401 for a revoked token, detected by the challenge", async () => {
    const revoked = { headers: { authorization: `Bearer ${"r".repeat(26)}` } };
    const attempt = openWebsocket(gateway.url, "", revoked);
    await expect(attempt).rejects.toMatchObject({
      status: 401,
      body: { code: "unauthorized", error: expect.any(String), requestId: expect.any(String) },
    });
  });

  test("returns 401 when Mattermost refuses the challenge or the upgrade", async () => {
    mattermost.script.onConnection = (socket) =>
      socket.on("message", (data: Buffer) => {
        const { seq } = JSON.parse(data.toString());
        socket.send(JSON.stringify({ status: "FAIL", seq_reply: seq, error: { status_code: 401 } }));
      });
    expect(await refusalOf(openWebsocket(gateway.url, "", bearer))).toEqual([401, "unauthorized"]);
    mattermost.script.onUpgrade = (incoming) => {
      incoming.socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
      return true;
    };
    expect(await refusalOf(openWebsocket(gateway.url, "", bearer))).toEqual([401, "unauthorized"]);
  });

  test("returns the caller's request id and forbids caching on refusal", async () => {
    const options = { headers: { "x-request-id": "my-id" } };
    await expect(openWebsocket(gateway.url, "", options)).rejects.toMatchObject({
      headers: { "x-request-id": "my-id", "cache-control": "no-store" },
      body: { requestId: "my-id" },
    });
  });

  test("returns the caller's request id on success", async () => {
    const options = { headers: { "x-request-id": "my-id" } };
    const { headers, socket } = await openWebsocket(gateway.url, `?token=${alicePat}`, options);
    expect(headers["x-request-id"]).toBe("my-id");
    socket.terminate();
  });
});

describe("an invalid upgrade request", () => {
  const ask = (lines: string[]) =>
    exchangeBytes(Number(new URL(gateway.url).port), `${lines.join("\r\n")}\r\n\r\n`);
  const target = `/api/chat/websocket?token=${alicePat}`;
  const upgrade = ["Host: x", "Connection: Upgrade", "Upgrade: websocket"];
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

  test("returns 400 for a plain GET, or 401 without a token", async () => {
    const withToken = await fetch(`${gateway.url}${target}`);
    expect([withToken.status, await withToken.json()]).toMatchObject([400, { code: "invalid_upgrade" }]);
    expect((await fetch(`${gateway.url}/api/chat/websocket`)).status).toBe(401);
  });

  test("returns 400 without a key or with another version, protocol or method", async () => {
    const version = "Sec-WebSocket-Version: 13";
    for (const lines of [
      [`GET ${target} HTTP/1.1`, ...upgrade, version],
      [`GET ${target} HTTP/1.1`, ...upgrade, key],
      [`GET ${target} HTTP/1.1`, ...upgrade, key, "Sec-WebSocket-Version: 7"],
      [`GET ${target} HTTP/1.1`, ...upgrade, "Sec-WebSocket-Key: short", version],
      [`POST ${target} HTTP/1.1`, ...upgrade, key, version],
      [`GET ${target} HTTP/1.1`, "Host: x", "Connection: Upgrade, close", "Upgrade: other", key, version],
    ])
      expect(await ask(lines)).toMatch(/^HTTP\/1.1 400 .*invalid_upgrade/s);
  });

  test("returns 404 for another path and closes the connection", async () => {
    for (const path of ["/", "/api/chat/channels", "/elsewhere", "//", "http://gate.example/"])
      expect(await ask([`GET ${path} HTTP/1.1`, ...upgrade, key])).toMatch(/^HTTP\/1.1 404 /);
  });

  test("returns 400 for an invalid target or without exactly one Host", async () => {
    const [, ...hostless] = upgrade;
    for (const lines of [
      ["GET http://[ HTTP/1.1", ...upgrade, key],
      [`GET ${target} HTTP/1.1`, ...hostless, key],
      [`GET ${target} HTTP/1.1`, "Host: y", ...upgrade, key],
    ])
      expect(await ask(lines)).toMatch(/^HTTP\/1.1 400 .*invalid_request/s);
  });

  test("returns 400 for malformed resume parameters", async () => {
    for (const query of ["?connection_id=x&sequence_number=1", "?sequence_number=x", "?sequence_number=-1"])
      expect(await refusalOf(openWebsocket(gateway.url, query, bearer))).toEqual([400, "invalid_request"]);
    const refusal = openWebsocket(gateway.url, "?sequence_number=x", bearer);
    await expect(refusal).rejects.toMatchObject({ body: { issues: [{ path: "sequence_number" }] } });
  });
});

describe("a failing Mattermost", () => {
  test("causes 502 with a reset, a redirect, a 500, garbage or a first frame other than hello", async () => {
    const answers = [
      null,
      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\n\r\n",
      "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n",
      "gibberish\r\n\r\n",
    ];
    for (const answer of answers) {
      mattermost.script.onUpgrade = (incoming) => {
        if (answer === null) incoming.socket.destroy();
        else incoming.socket.end(answer);
        return true;
      };
      expect(await refusalOf(openWebsocket(gateway.url, "", bearer))).toEqual([502, "backend_unreachable"]);
    }
    mattermost.script = { onConnection: (socket) => socket.send("not json") };
    expect(await refusalOf(openWebsocket(gateway.url, "", bearer))).toEqual([502, "backend_unreachable"]);
  });

  test("causes 502 when it cuts the connection of a valid token", async () => {
    mattermost.script.onConnection = (socket) => socket.terminate();
    expect(await refusalOf(openWebsocket(gateway.url, "", bearer))).toEqual([502, "backend_unreachable"]);
  });
});

describe("the connection to Mattermost", () => {
  test("sends the Authorization header and the challenge, but neither Origin nor a token in the address", async () => {
    const frames: unknown[] = [];
    mattermost.script.onConnection = (socket, incoming) => {
      socket.on("message", (data) => frames.push(JSON.parse(data.toString())));
      playMattermost(socket, incoming);
    };
    const query = `?token=${alicePat}&posted_ack=true&other=1`;
    const { socket } = await openWebsocket(gateway.url, query, { origin: "https://elsewhere.example" });
    const { url, headers } = mattermost.upgrades.at(-1) ?? {};
    expect(url).toBe("/api/v4/websocket?posted_ack=true");
    expect(headers).toMatchObject({ authorization: `Bearer ${alicePat}` });
    expect(headers).not.toHaveProperty("origin");
    await soon(() =>
      expect(frames).toMatchObject([{ action: "authentication_challenge", data: { token: alicePat } }]),
    );
    socket.close();
  });

  test("resumes without hello, and hides replies to the gateway's frames from the replay", async () => {
    mattermost.script.onConnection = (socket, incoming) => {
      playMattermost(socket, incoming);
      for (const seq of [4, 5])
        socket.send(JSON.stringify({ event: "posted", data: {}, broadcast: {}, seq }));
    };
    const query = `?connection_id=${"c".repeat(26)}&sequence_number=4`;
    const { socket, messages } = await openWebsocket(gateway.url, query, bearer);
    expect(mattermost.upgrades.at(-1)?.url).toBe(`/api/v4/websocket${query}`);
    socket.send(JSON.stringify({ seq: 1, action: "ping" }));
    await soon(() => expect(messages).toHaveLength(3));
    expect(messages).toMatchObject([{ seq: 4 }, { seq: 5 }, { seq_reply: 1 }]);
    socket.close();
  });

  test("resumes even when nothing was missed and Mattermost stays silent", async () => {
    const query = `?connection_id=${"c".repeat(26)}&sequence_number=4`;
    const { socket, messages } = await openWebsocket(gateway.url, query, bearer);
    socket.send(JSON.stringify({ seq: 9, action: "ping" }));
    await soon(() => expect(messages).toMatchObject([{ seq_reply: 9 }]));
    socket.close();
  });

  test("resumes without looking up the user that an earlier hello named", async () => {
    (await openWebsocket(gateway.url, "", bearer)).socket.close();
    const asked = () => mattermost.requests.filter(({ url }) => url?.endsWith("/users/me")).length;
    const before = asked();
    const query = `?connection_id=${"c".repeat(26)}&sequence_number=4`;
    (await openWebsocket(gateway.url, query, bearer)).socket.close();
    expect(asked()).toBe(before);
  });

  test("is dropped when the client disconnects during the handshake", async () => {
    mattermost.script.onConnection = () => undefined;
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    const before = mattermost.upgrades.length;
    socket.write(
      `GET /api/chat/websocket?token=${alicePat} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await soon(() => expect([mattermost.upgrades.length, mattermost.sockets.size]).toEqual([before + 1, 1]));
    socket.destroy();
    await soon(() => expect(mattermost.sockets.size).toBe(0));
  });
});

describe("the register of websockets", () => {
  test("refuses a user's 21st websocket with 429, and frees a place when one closes", async () => {
    const clients = await Promise.all(
      Array.from({ length: 20 }, () => openWebsocket(gateway.url, "", bearer)),
    );
    const quota = { "ratelimit-policy": '"websockets";q=20', ratelimit: '"websockets";r=0' };
    await expect(openWebsocket(gateway.url, "", bearer)).rejects.toMatchObject({
      status: 429,
      headers: { "retry-after": expect.any(String), ...quota },
      body: { code: "rate_limited" },
    });
    await soon(() => expect(mattermost.sockets.size).toBe(20));
    clients[0]?.socket.close();
    await clients[0]?.closed;
    clients[0] = await soon(() => openWebsocket(gateway.url, "", bearer));
    for (const { socket } of clients) socket.close();
  });

  test("ends a user's open and opening websockets on logout", async () => {
    const open = await openWebsocket(gateway.url, "", bearer);
    let finish = () => undefined as unknown;
    mattermost.script.onConnection = (socket, incoming) => {
      finish = () => playMattermost(socket, incoming);
    };
    const opening = openWebsocket(gateway.url, "", bearer);
    const refusal = refusalOf(opening);
    await soon(() => expect(mattermost.sockets.size).toBe(2));
    gateway.services.sockets.closeOf(aliceId);
    expect(await open.closed).toEqual({ code: 1008, reason: "logged out" });
    finish();
    expect(await refusal).toEqual([401, "unauthorized"]);
    await soon(() => expect(mattermost.sockets.size).toBe(0));
  });
});
