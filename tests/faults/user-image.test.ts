import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Gateway, startGateway } from "../harness/start-gateway.ts";

const MIB = 1024 * 1024;
const pat = "p".repeat(26);
const someone = { id: "u".repeat(26), username: "someone", first_name: "", last_name: "", nickname: "" };

describe("GET /users/{user_id}/image", () => {
  let mattermost: Server;
  let gateway: Gateway;
  let answer: RequestListener;
  let asked: Array<string | undefined> = [];

  beforeAll(async () => {
    mattermost = createServer((incoming, outgoing) => {
      asked.push(incoming.url);
      if (incoming.url?.endsWith("/image")) return answer(incoming, outgoing);
      outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(someone));
    });
    await once(mattermost.listen(0, "127.0.0.1"), "listening");
    const { port } = mattermost.address() as AddressInfo;
    gateway = await startGateway({ settings: { CHAT_BASE_URL: `http://127.0.0.1:${port}/api/v4` } });
  });
  beforeEach(() => {
    answer = (_incoming, outgoing) => outgoing.end();
  });
  afterAll(async () => {
    await gateway.close();
    mattermost.close();
    mattermost.closeAllConnections();
  });

  const image = (signal?: AbortSignal) =>
    fetch(`${gateway.url}/api/chat/users/${someone.id}/image`, signal ? { signal } : {});

  it("returns 502 for a picture with a declared length over 8 MiB", async () => {
    answer = (_incoming, outgoing) => {
      outgoing.writeHead(200, { "content-type": "image/png", "content-length": 8 * MIB + 1 });
      outgoing.write(Buffer.alloc(100));
    };
    const response = await image();
    expect([response.status, (await response.json()).code]).toEqual([502, "backend_unreachable"]);
  });

  it("breaks off a picture that exceeds 8 MiB without a declared length", async () => {
    answer = (_incoming, outgoing) => {
      outgoing.writeHead(200, { "content-type": "image/png" });
      outgoing.write(Buffer.alloc(8 * MIB), () => outgoing.end(Buffer.alloc(1)));
    };
    const response = await image();
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it("returns a picture of 8 MiB", async () => {
    answer = (_incoming, outgoing) =>
      outgoing.writeHead(200, { "content-type": "image/png" }).end(Buffer.alloc(8 * MIB));
    expect((await (await image()).arrayBuffer()).byteLength).toBe(8 * MIB);
  });

  it("returns 504 at the deadline for a picture that drips in", async () => {
    const dripping: NodeJS.Timeout[] = [];
    answer = (_incoming, outgoing) => {
      outgoing.writeHead(200, { "content-type": "image/png", "content-length": 100_000 });
      dripping.push(setInterval(() => outgoing.write(Buffer.alloc(10)), 200));
    };
    const response = await image();
    for (const timer of dripping) clearInterval(timer);
    expect([response.status, (await response.json()).code]).toEqual([504, "backend_timeout"]);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("returns 502 when Mattermost dies midway", async () => {
    answer = (incoming, outgoing) => {
      outgoing.writeHead(200, { "content-type": "image/png", "content-length": 100_000 });
      outgoing.write(Buffer.alloc(10), () => incoming.socket.destroy());
    };
    const response = await image();
    expect([response.status, (await response.json()).code]).toEqual([502, "backend_unreachable"]);
  });

  it.each(["text/html", "image/", "application/octet-stream; image/png", "image/png,text/html"])(
    "returns 502 for a picture whose content type is %s",
    async (type) => {
      answer = (_incoming, outgoing) => outgoing.writeHead(200, { "content-type": type }).end("<script>");
      expect((await image()).status).toBe(502);
    },
  );

  it("returns 404 for an unknown user without checking Mattermost's database", async () => {
    asked = [];
    answer = (_incoming, outgoing) =>
      outgoing.writeHead(404).end(JSON.stringify({ id: "app.user.missing_account.const" }));
    const response = await image();
    expect([response.status, (await response.json()).code]).toEqual([404, "not_found"]);
    expect(asked.filter((url) => url?.includes("/system/ping"))).toEqual([]);
  });

  it("leaves the other routes responsive while many pictures hang", async () => {
    let waitingPictures = 0;
    answer = () => {
      waitingPictures += 1;
    };
    const leaving = new AbortController();
    const waiting = Array.from({ length: 100 }, () => image(leaving.signal).catch(() => undefined));
    await expect.poll(() => waitingPictures).toBeGreaterThan(0);
    await fetch(`${gateway.url}/api/health/live`);
    const me = await fetch(`${gateway.url}/api/chat/me`, { headers: { authorization: `Bearer ${pat}` } });
    expect(me.status).toBe(200);
    leaving.abort();
    await Promise.all(waiting);
  });
});
