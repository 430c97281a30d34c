import { expect, it } from "vitest";
import { messages, openWorld } from "./websocket-world.ts";

it("the server closes only the connection of a reader that stops reading", async () => {
  const world = await openWorld({ websocketLimits: { maxQueued: 16 } });
  const quick = await world.listen();
  const slow = await world.listen();
  await quick.event("hello");
  await slow.event("hello");
  slow.socket.pause();
  const big = "x".repeat(16_000);
  // The operating system buffers several megabytes before the queue starts to fill.
  const count = 800;
  for (let sent = 0; sent < count; sent += 40) {
    await Promise.all(Array.from({ length: 40 }, () => world.post(big)));
  }
  slow.socket.resume();
  const code = await slow.closed;
  expect([1005, 1006]).toContain(code);
  expect(messages(slow).length).toBeLessThan(count);
  await expect.poll(() => messages(quick).length).toBe(count);
});

it("the server delivers a burst completely to a fast reader, even if its queue is short", async () => {
  const world = await openWorld({ websocketLimits: { maxQueued: 4 } });
  const listener = await world.listen();
  await listener.event("hello");
  await Promise.all(Array.from({ length: 60 }, (_, index) => world.post(`burst ${index}`)));
  await expect.poll(() => messages(listener).length).toBe(60);
  const numbers = listener.frames.flatMap(({ seq }) => seq ?? []);
  expect(numbers).toEqual(numbers.map((_, index) => index));
});
