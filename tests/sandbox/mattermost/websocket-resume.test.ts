import { expect, it } from "vitest";
import { messages, openWorld } from "./websocket-world.ts";

async function opened(limits: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(limits);
  const first = await world.listen();
  const id: string = (await first.event("hello")).data.connection_id;
  await first.event("status_change");
  return { world, first, id };
}

it("replays the last 128 events, and no older ones", async () => {
  const { world, first, id } = await opened({});
  // With the hello and the status, these are the events 0 to 141.
  for (let index = 0; index < 140; index += 1) await world.type();
  await first.find((frame) => frame.seq === 141);
  await world.drop(first);
  const oldest = await world.resume(id, 14);
  await oldest.find((frame) => frame.seq === 141);
  expect(oldest.frames[0]?.seq).toBe(14);
  expect(oldest.events("hello")).toEqual([]);
  const last = Math.max(...oldest.frames.flatMap(({ seq }) => seq ?? []));
  await world.drop(oldest);
  const tooOld = await world.resume(id, last - 128);
  const hello = await tooOld.event("hello");
  expect(hello.seq).toBe(0);
  expect(hello.data.connection_id).not.toBe(id);
});

it("says hello and counts from 0 if the number is too old, then sends waiting events", async () => {
  const { world, first, id } = await opened({ websocketLimits: { maxReplayed: 4 } });
  for (let index = 0; index < 8; index += 1) await world.type();
  await first.find((frame) => frame.seq === 9);
  await world.drop(first);
  await world.post("waited");
  const second = await world.resume(id, 2);
  await second.event("posted");
  expect(second.frames[0]).toMatchObject({ event: "hello", seq: 0 });
  const numbers = second.frames.flatMap(({ seq }) => seq ?? []);
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect(messages(second)).toEqual(["waited"]);
  const fresh = second.frames[0]?.data.connection_id;
  const next = numbers.length;
  await world.drop(second);
  const third = await world.resume(fresh, next);
  await third.event("status_change");
  expect(third.events("hello")).toEqual([]);
});

it("counts from 0 again without a hello for a known id and the number 0", async () => {
  const { world, first, id } = await opened({});
  await world.drop(first);
  const second = await world.resume(id, 0);
  await second.event("status_change", (frame) => frame.data.status === "online");
  expect(second.events("hello")).toEqual([]);
  expect(second.frames[0]?.seq).toBe(0);
});

it("drops a connection whose queue fills up while it has no socket", async () => {
  const { world, first, id } = await opened({ websocketLimits: { maxQueued: 4 } });
  await world.drop(first);
  for (let index = 0; index < 6; index += 1) await world.post(`post ${index}`);
  const second = await world.resume(id, 2);
  const hello = await second.event("hello");
  expect(hello.data.connection_id).not.toBe(id);
  await second.ask("ping");
  expect(messages(second)).toEqual([]);
});

it("drops short-lived events from a half-full queue, without leaving a gap", async () => {
  const { world, first, id } = await opened({ websocketLimits: { maxQueued: 8 } });
  await world.drop(first);
  for (let index = 0; index < 4; index += 1) await world.post(`post ${index}`);
  for (let index = 0; index < 10; index += 1) await world.type();
  await world.post("last");
  const second = await world.resume(id, 2);
  await second.find((frame) => frame.event === "posted" && frame.data.post.includes("last"));
  expect(second.events("typing")).toEqual([]);
  expect(messages(second)).toEqual(["post 0", "post 1", "post 2", "post 3", "last"]);
  const numbers = second.frames.flatMap(({ seq }) => seq ?? []);
  expect(numbers).toEqual(numbers.map((_, index) => 2 + index));
});

it("limits how many disconnected sessions each user has", async () => {
  const world = await openWorld({ websocketLimits: { maxDormant: 2 } });
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const listener = await world.listen();
    ids.push((await listener.event("hello")).data.connection_id);
    await world.drop(listener);
  }
  const kept = await world.resume(ids[2] ?? "", 1);
  await kept.find((frame) => frame.seq !== undefined);
  expect(kept.events("hello")).toEqual([]);
  const lost = await world.resume(ids[0] ?? "", 1);
  expect((await lost.event("hello")).data.connection_id).not.toBe(ids[0]);
});

it("does not deliver events that occurred while the user was deactivated", async () => {
  const { world, first, id } = await opened({});
  await world.drop(first);
  await world.ask(world.admin.token, "PUT", `/users/${world.bob.id}/active`, { active: false });
  await world.post("not for bob");
  await world.ask(world.admin.token, "PUT", `/users/${world.bob.id}/active`, { active: true });
  const second = await world.resume(id, 2);
  await second.find((frame) => frame.seq !== undefined);
  await second.ask("ping");
  expect(messages(second)).toEqual([]);
});
