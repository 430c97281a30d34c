import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createChatClient, type Fetch } from "../../lib/chat-client/index.ts";
import { startAccountNode } from "../harness/account-node.ts";
import { createAuthClient } from "../harness/auth-client.ts";
import { type Gateway, startGateway } from "../harness/start-gateway.ts";

describe("the chat client's sign-in by a wallet elsewhere", () => {
  let node: Awaited<ReturnType<typeof startAccountNode>>;
  let gateway: Gateway;

  beforeAll(async () => {
    node = await startAccountNode(["alice"]);
    gateway = await startGateway({ settings: { HIVE_NODES: node.url } });
  });
  afterAll(async () => {
    await gateway.close();
    await node.close();
  });

  const { signByWallet } = createAuthClient(() => gateway.url);
  /** Creates a client whose requests for the session pass `meet` first, with their number. */
  const clientWith = (meet: (count: number) => Response | undefined = () => undefined) => {
    let count = 0;
    const fetchWatched: Fetch = async (address, init) => {
      const met = address.endsWith("/session") ? meet(++count) : undefined;
      return met ?? fetch(address, init);
    };
    return createChatClient({
      baseUrl: gateway.url,
      token: "a".repeat(26),
      fetch: fetchWatched,
    });
  };

  it("returns the account and tokens once the wallet has signed", async () => {
    const { auth } = clientWith();
    const asked = await auth.askWallet("alice");
    const waiting = auth.waitForWallet(asked);
    waiting.catch(() => undefined);
    await signByWallet(asked);
    const { username, accessToken, refreshToken, expiresAt, ...more } = await waiting;
    expect({ username, more }).toEqual({ username: "alice", more: {} });
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    expect((await auth.refresh(refreshToken)).accessToken).not.toBe(accessToken);
  });

  it("continues after a lost connection, a full quota and an outage", async () => {
    const later = { "retry-after": "1" };
    const { auth } = clientWith((count) => {
      if (count === 1) throw new TypeError("cut off in the background");
      if (count === 2) return Response.json({}, { status: 429, headers: later });
      return count === 3 ? Response.json({}, { status: 503, headers: later }) : undefined;
    });
    const asked = await auth.askWallet("alice");
    await signByWallet(asked);
    expect((await auth.waitForWallet(asked)).username).toBe("alice");
  });

  it("rejects if the wallet's owner has ended the sign-in", async () => {
    const { auth } = clientWith();
    const asked = await auth.askWallet("alice");
    const { body } = await signByWallet(asked);
    await fetch(`${gateway.url}/api/auth/wallet/${asked.id}/end`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ endToken: body.endToken }),
    });
    await expect(auth.waitForWallet(asked)).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("stops waiting when its caller leaves, also between two requests", async () => {
    const leaving = new AbortController();
    const { auth } = clientWith((count) => {
      if (count > 1) throw new Error("asked again after its caller had left");
      setTimeout(() => leaving.abort(new Error("left")), 50);
      return Response.json({}, { status: 503, headers: { "retry-after": "60" } });
    });
    const waiting = auth.waitForWallet(await auth.askWallet("alice"), { signal: leaving.signal });
    await expect(waiting).rejects.toThrow("left");
  });

  it("gives up an unreachable server a minute after the challenge's end, with the last error", async () => {
    const { auth } = clientWith((count) => {
      if (count > 1) vi.spyOn(performance, "now").mockReturnValue(began + 361_000);
      throw new TypeError("no network");
    });
    const asked = await auth.askWallet("alice");
    const began = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(began);
    try {
      await expect(auth.waitForWallet(asked)).rejects.toMatchObject({ code: "offline" });
    } finally {
      vi.restoreAllMocks();
    }
  });

  it.each([
    ["another site", (text: string) => text.replace(/"app":"[^"]*"/, '"app":"other.example.com"')],
    ["another account", (text: string) => text.replace('"authors":["alice"]', '"authors":["bob"]')],
    ["another purpose", (text: string) => text.replace('"type":"login"', '"type":"code"')],
  ])("asks no wallet to sign a text for %s", async (_, change) => {
    const fetchChanged: Fetch = async (address, init) => {
      const answer = (await (await fetch(address, init)).json()) as { message: string };
      return Response.json({ ...answer, message: change(answer.message) });
    };
    const { auth } = createChatClient({ baseUrl: gateway.url, token: "a".repeat(26), fetch: fetchChanged });
    await expect(auth.askWallet("alice")).rejects.toMatchObject({ code: "unreadable" });
  });
});
