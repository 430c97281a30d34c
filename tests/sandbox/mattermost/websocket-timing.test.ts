import { expect, it } from "vitest";
import { openListener } from "../../contract/mattermost/support/listener.ts";
import { openWorld } from "./websocket-world.ts";

it("sends ping frames, and keeps a client that answers them connected beyond the read limit", async () => {
  const world = await openWorld({ websocketLimits: { pingMs: 100, readMs: 1_500 } });
  const listener = await world.listen();
  let pings = 0;
  await new Promise<void>((resolve) => {
    listener.socket.on("ping", () => {
      pings += 1;
      if (pings === 20) resolve();
    });
  });
  expect((await listener.ask("ping")).status).toBe("OK");
});

it("cuts a client that sends actions but no pong frames", async () => {
  const world = await openWorld({ websocketLimits: { pingMs: 20, readMs: 150 } });
  const listener = await world.listen({ isMute: true });
  const timer = setInterval(() => listener.send({ seq: 1, action: "ping" }), 10);
  const code = await listener.closed;
  clearInterval(timer);
  expect(code).toBe(1006);
  expect(listener.frames.some((frame) => frame.seq_reply === 1)).toBe(true);
});

it("cuts a client whose pong frames stop, counted from the last one", async () => {
  const world = await openWorld({ websocketLimits: { pingMs: 50, readMs: 1_000 } });
  const listener = await world.listen({ isMute: true });
  let answered = 0;
  listener.socket.on("ping", () => {
    if (answered >= 30) return;
    answered += 1;
    listener.socket.pong();
  });
  expect(await listener.closed).toBe(1006);
  expect(answered).toBe(30);
});

it("cuts only clients that do not authenticate in time", async () => {
  const world = await openWorld({ websocketLimits: { authenticateMs: 1_000 } });
  const good = await openListener(world.baseUrl);
  good.send({ seq: 1, action: "authentication_challenge", data: { token: world.bob.token } });
  await good.event("hello");
  const idle = await openListener(world.baseUrl);
  expect(await idle.closed).toBe(1006);
  expect((await good.ask("ping")).status).toBe("OK");
  good.close();
});

it("sets a user to away on a pong after five minutes without actions", async () => {
  let now = Date.now();
  const world = await openWorld({ now: () => now, websocketLimits: { pingMs: 20 } });
  const listener = await world.listen();
  await listener.event("status_change", (frame) => frame.data.status === "online");
  await new Promise((resolve) => listener.socket.once("ping", resolve));
  await listener.ask("ping");
  expect(await world.status()).toBe("online");
  now += 300_001;
  await listener.event("status_change", (frame) => frame.data.status === "away");
  await listener.ask("user_update_active_status", { user_is_active: true });
  expect(await world.status()).toBe("online");
});

it("drops a connection that has no socket when its time runs out, not earlier", async () => {
  let now = Date.now();
  let looks = 0;
  const clock = () => {
    looks += 1;
    return now;
  };
  const world = await openWorld({ now: clock, websocketLimits: { reapMs: 30 } });
  const first = await world.listen();
  const id: string = (await first.event("hello")).data.connection_id;
  await first.event("status_change");
  await world.drop(first);
  let next = 2;
  const isKnown = async () => {
    const listener = await world.resume(id, next);
    await listener.event("status_change", (frame) => frame.data.status === "online");
    next = 1 + Math.max(...listener.frames.flatMap(({ seq }) => seq ?? []));
    const isResumed = listener.events("hello").length === 0;
    await world.drop(listener);
    return isResumed;
  };
  // Without connections and calls, only the search for expired connections reads the clock.
  const pause = async () => {
    const before = looks;
    await expect.poll(() => looks).toBeGreaterThanOrEqual(before + 2);
  };
  await pause();
  expect(await isKnown()).toBe(true);
  let steps = 0;
  do {
    expect(++steps, "the connection was never forgotten").toBeLessThan(100);
    now += 31;
    await pause();
  } while (await isKnown());
});

it("cuts a client when Mattermost closes", async () => {
  const world = await openWorld();
  const listener = await world.listen();
  await listener.event("hello");
  await world.mattermost.close();
  expect(await listener.closed).toBe(1006);
});
