import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { createPayingFetch } from "../../lib/x402/client/index.ts";
import { signPayment } from "../harness/sign-payment.ts";
import { requestBootstrap } from "../harness/start-chat.ts";
import type { SandboxChain } from "../harness/start-sandbox-chain.ts";
import { wifOf } from "../harness/start-shop.ts";

type Place = { urls: { app: string; facilitator: string }; chain: SandboxChain };

/** The number of answers, by caller and status: `pages 200`. */
export type Tally = Map<string, number>;

const slug = "three-seconds-and-no-fee";

/**
 * Simulates all users and programs at the same time until the signal aborts. Resolves once the last of them
 * has stopped.
 */
export async function runTraffic({ urls, chain }: Place, tally: Tally, signal: AbortSignal): Promise<void> {
  const count = (who: string, what: unknown) =>
    tally.set(`${who} ${what}`, (tally.get(`${who} ${what}`) ?? 0) + 1);
  const repeat = async (who: string, pauseMs: number, act: () => Promise<void>) => {
    while (!signal.aborted) {
      try {
        await act();
      } catch (error) {
        const { code, name } = error as Error & { code?: unknown };
        count(who, typeof code === "string" ? code : name);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };

  const person = (name: string) => async () => {
    const { status, body } = await requestBootstrap(urls.app, name, { community: "hive-100001" });
    count("bootstrap", status);
    const { token, userId, channelId } = body;
    const ask = async (method: string, path: string, sent?: unknown) => {
      const response = await fetch(`${urls.app}/api/chat${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(sent !== undefined && { body: JSON.stringify(sent) }),
      });
      count("chat", response.status);
      const text = await response.text();
      return (response.ok && text.startsWith("{") ? JSON.parse(text) : {}) as { post?: { id: string } };
    };
    const events = new WebSocket(`${urls.app.replace("http", "ws")}/api/chat/websocket?token=${token}`);
    events.on("error", () => undefined);
    events.on("open", () => count("websocket", "open"));
    events.on("message", () => count("websocket", "message"));
    for (let round = 0; round < 4 && !signal.aborted; round++) {
      const { post } = await ask("POST", `/channels/${channelId}/posts`, { message: `hello from ${name}` });
      await ask("GET", "/channels");
      await ask("GET", "/channels/unreads");
      await ask("GET", `/channels/${channelId}/posts`);
      await ask("POST", `/channels/${channelId}/view`);
      await ask("POST", "/search/posts", { term: "hello" });
      await ask("GET", "/users/search?q=b");
      if (post) {
        await ask("PATCH", `/channels/${channelId}/posts/${post.id}`, { message: "changed" });
        await ask("POST", `/channels/${channelId}/posts/${post.id}/reactions`, { emoji: "smile", add: true });
        await ask("DELETE", `/channels/${channelId}/posts/${post.id}`);
      }
      for (const method of ["GET", "HEAD"]) await ask(method, `/users/${userId}/image`);
      if (events.readyState === events.OPEN) events.send(JSON.stringify({ seq: round + 1, action: "ping" }));
      await sleep(200);
    }
    // Some users disconnect without signing out.
    if (name === "bob") events.terminate();
    else events.close();
  };

  const pages = [
    "/",
    "/chat",
    "/articles",
    `/articles/${slug}`,
    "/payments",
    "/reference",
    "/chat/%",
    "/nowhere",
  ];
  const readPages = async () => {
    for (const path of pages) {
      const response = await fetch(urls.app + path);
      await response.text();
      count("pages", response.status);
    }
  };

  const tip = (account: string) => {
    const payingFetch = createPayingFetch({
      account,
      activeKey: wifOf(account),
      nodes: chain.urls,
      chainId: chain.chainId,
      maxPayment: "1.000 HBD",
    });
    return async () => {
      const response = await payingFetch(`${urls.app}/api/demo/tips?to=shop&amount=0.050`, {
        method: "POST",
      });
      await response.text();
      count("tips", response.status);
    };
  };

  const settle = async () => {
    const { request } = await signPayment(chain, { from: "bob", mils: 1 });
    for (const path of ["/verify", "/settle", "/settle"]) {
      const response = await fetch(urls.facilitator + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(request),
      });
      await response.text();
      count("facilitator", response.status);
    }
  };

  const leaveEarly = async () => {
    const leaving = new AbortController();
    const answers = [`/api/chat/users/${"z".repeat(26)}/image`, "/chat", "/api/openapi.json"].map((path) =>
      fetch(urls.app + path, { signal: leaving.signal }).then(
        () => count("leaving", "too late"),
        () => count("leaving", "left"),
      ),
    );
    await sleep(3);
    leaving.abort();
    await Promise.all(answers);
    const stranger = new WebSocket(
      `${urls.app.replace("http", "ws")}/api/chat/websocket?token=${"x".repeat(26)}`,
    );
    await new Promise((resolve) => stranger.on("error", resolve).on("close", resolve));
    count("stranger", "refused");
  };

  await Promise.all([
    ...["alice", "bob", "carol", "erin"].map((name) => repeat(name, 1000, person(name))),
    repeat("pages", 300, readPages),
    repeat("tips", 700, tip("alice")),
    repeat("facilitator", 700, settle),
    repeat("leaving", 500, leaveEarly),
  ]);
}
