import { expect, it } from "vitest";
import { createStaleWhileRevalidate } from "../../../lib/async/cache.ts";

function scripted() {
  const asked: Array<{ resolve(value: number): void; reject(error: Error): void }> = [];
  const read = () => new Promise<number>((resolve, reject) => asked.push({ resolve, reject }));
  return { asked, read };
}

it("loads once for many callers", async () => {
  const { asked, read } = scripted();
  const value = createStaleWhileRevalidate(read, 100, { now: () => 0 });
  const both = Promise.all([value(), value()]);
  asked[0]?.resolve(7);
  expect(await both).toEqual([7, 7]);
  expect(await value()).toBe(7);
  expect(asked).toHaveLength(1);
});

it("loads again once the value has expired, and serves the old value meanwhile", async () => {
  let now = 0;
  const { asked, read } = scripted();
  const value = createStaleWhileRevalidate(read, 100, { now: () => now });
  const first = value();
  asked[0]?.resolve(1);
  await first;
  now = 101;
  expect(await value()).toBe(1);
  expect(asked).toHaveLength(2);
  asked[1]?.resolve(2);
  await expect.poll(value).toBe(2);
});

it("fails for the first caller, and tries again for the next", async () => {
  const { asked, read } = scripted();
  const value = createStaleWhileRevalidate(read, 100, { now: () => 0 });
  const first = value();
  asked[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  const second = value();
  asked[1]?.resolve(3);
  expect(await second).toBe(3);
});

it("keeps the old value if a later load fails", async () => {
  let now = 0;
  const { asked, read } = scripted();
  const value = createStaleWhileRevalidate(read, 100, { now: () => now });
  const first = value();
  asked[0]?.resolve(1);
  await first;
  now = 101;
  await value();
  asked[1]?.reject(new Error("away"));
  await expect.poll(() => value().then(() => asked.length)).toBe(3);
  expect(await value()).toBe(1);
});

it("waits for a new value beyond the maximum age, and serves the old one if that fails", async () => {
  let now = 0;
  const { asked, read } = scripted();
  const value = createStaleWhileRevalidate(read, 100, { mostMs: 200, now: () => now });
  const first = value();
  asked[0]?.resolve(1);
  await first;
  now = 201;
  const late = value();
  asked[1]?.resolve(2);
  expect(await late).toBe(2);
  now = 402;
  const refused = value();
  asked[2]?.reject(new Error("away"));
  expect(await refused).toBe(2);
});

it("loads again for callers after an invalidation, even if a load is in progress", async () => {
  const { asked, read } = scripted();
  const value = createStaleWhileRevalidate(read, 100, { now: () => 0 });
  const before = value();
  value.forget();
  const after = value();
  asked[0]?.resolve(1);
  asked[1]?.resolve(2);
  expect(await Promise.all([before, after])).toEqual([1, 2]);
  expect(await value()).toBe(2);
});
