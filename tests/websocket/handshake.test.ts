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

describe("who gets a websocket", () => {
  test("bearer, query and same-site cookie carry the token", async () => {
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

  test("bearer and query may come from any origin, the cookie from our own pages only", async () => {
    const origin = "https://evil.example";
    (await openWebsocket(gateway.url, "", { headers: { ...bearer.headers, origin } })).socket.close();
    (await openWebsocket(gateway.url, `?token=${alicePat}`, cookie(origin))).socket.close();
    expect(await refusalOf(openWebsocket(gateway.url, "", cookie(origin)))).toEqual([403, "forbidden"]);
    expect(await refusalOf(openWebsocket(gateway.url, "", cookie()))).toEqual([403, "forbidden"]);
  });

  test("a missing, malformed or empty token is 401 before the upgrade, without a call to Mattermost", async () => {
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

  test("a revoked token is 401, found out by the challenge", async () => {
    const revoked = { headers: { authorization: `Bearer ${"r".repeat(26)}` } };
    const attempt = openWebsocket(gateway.url, "", revoked);
    await expect(attempt).rejects.toMatchObject({
      status: 401,
      body: { code: "unauthorized", error: expect.any(String), requestId: expect.any(String) },
    });
  });

  test("a Mattermost that answers the challenge or the upgrade with a refusal is 401 too", async () => {
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

  test("the refusal carries the caller's request id and is not to be stored", async () => {
    const options = { headers: { "x-request-id": "my-id" } };
    await expect(openWebsocket(gateway.url, "", options)).rejects.toMatchObject({
      headers: { "x-request-id": "my-id", "cache-control": "no-store" },
      body: { requestId: "my-id" },
    });
  });

  test("so does the acceptance", async () => {
    const options = { headers: { "x-request-id": "my-id" } };
    const { headers, socket } = await openWebsocket(gateway.url, `?token=${alicePat}`, options);
    expect(headers["x-request-id"]).toBe("my-id");
    socket.terminate();
  });
});

describe("what is no upgrade", () => {
  const ask = (lines: string[]) =>
    exchangeBytes(Number(new URL(gateway.url).port), `${lines.join("\r\n")}\r\n\r\n`);
  const target = `/api/chat/websocket?token=${alicePat}`;
  const upgrade = ["Host: x", "Connection: Upgrade", "Upgrade: websocket"];
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

  test("a plain GET is 400, or 401 without a token", async () => {
    const withToken = await fetch(`${gateway.url}${target}`);
    expect([withToken.status, await withToken.json()]).toMatchObject([400, { code: "invalid_upgrade" }]);
    expect((await fetch(`${gateway.url}/api/chat/websocket`)).status).toBe(401);
  });

  test("an upgrade without key, with another version, protocol or method is 400", async () => {
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

  test("an upgrade of another path is 404 and ends", async () => {
    for (const path of ["/", "/api/chat/channels", "/elsewhere", "//", "http://gate.example/"])
      expect(await ask([`GET ${path} HTTP/1.1`, ...upgrade, key])).toMatch(/^HTTP\/1.1 404 /);
  });

  test("an upgrade with a target that is no address, or without one Host, is 400", async () => {
    const [, ...hostless] = upgrade;
    for (const lines of [
      ["GET http://[ HTTP/1.1", ...upgrade, key],
      [`GET ${target} HTTP/1.1`, ...hostless, key],
      [`GET ${target} HTTP/1.1`, "Host: y", ...upgrade, key],
    ])
      expect(await ask(lines)).toMatch(/^HTTP\/1.1 400 .*invalid_request/s);
  });

  test("resume parameters of a wrong shape are 400", async () => {
    for (const query of ["?connection_id=x&sequence_number=1", "?sequence_number=x", "?sequence_number=-1"])
      expect(await refusalOf(openWebsocket(gateway.url, query, bearer))).toEqual([400, "invalid_request"]);
    const refusal = openWebsocket(gateway.url, "?sequence_number=x", bearer);
    await expect(refusal).rejects.toMatchObject({ body: { issues: [{ path: "sequence_number" }] } });
  });
});

describe("a Mattermost in trouble", () => {
  test("it resets, redirects, answers 500 or garbage, or says something else than hello: 502", async () => {
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

  test("it cuts the connection although the token is good: 502", async () => {
    mattermost.script.onConnection = (socket) => socket.terminate();
    expect(await refusalOf(openWebsocket(gateway.url, "", bearer))).toEqual([502, "backend_unreachable"]);
  });
});

describe("the connection to Mattermost", () => {
  test("carries the Authorization header and the challenge, and neither Origin nor token in the address", async () => {
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

  test("resumes: the parameters pass, replayed events come without hello, our own frames' replies don't", async () => {
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

  test("resumes also when nothing was missed and Mattermost stays silent", async () => {
    const query = `?connection_id=${"c".repeat(26)}&sequence_number=4`;
    const { socket, messages } = await openWebsocket(gateway.url, query, bearer);
    socket.send(JSON.stringify({ seq: 9, action: "ping" }));
    await soon(() => expect(messages).toMatchObject([{ seq_reply: 9 }]));
    socket.close();
  });

  test("resumes without asking whose it is, once a hello has told", async () => {
    (await openWebsocket(gateway.url, "", bearer)).socket.close();
    const asked = () => mattermost.requests.filter(({ url }) => url?.endsWith("/users/me")).length;
    const before = asked();
    const query = `?connection_id=${"c".repeat(26)}&sequence_number=4`;
    (await openWebsocket(gateway.url, query, bearer)).socket.close();
    expect(asked()).toBe(before);
  });

  test("is given up when the client leaves during the handshake", async () => {
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

describe("how many", () => {
  test("the 21st websocket of a user is 429, and a place is free again when one closes", async () => {
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

  test("logout closes the user's websockets, and one that is just being opened", async () => {
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
