import { setImmediate as later } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createPlaces, createSingleFlight, forEachWithConcurrency } from "../../../lib/async/concurrency.ts";

describe("work with a limit", () => {
  it("does every item once, never more than the limit at a time", async () => {
    let underWay = 0;
    let most = 0;
    const done: number[] = [];
    const items = Array.from({ length: 50 }, (_, index) => index);
    await forEachWithConcurrency(items, 8, async (item) => {
      most = Math.max(most, ++underWay);
      await later();
      underWay -= 1;
      done.push(item);
    });
    expect(done.sort((one, two) => one - two)).toEqual(items);
    expect(most).toBe(8);
  });

  it("begins nothing more after a failure, and rejects with it", async () => {
    let begun = 0;
    const run = forEachWithConcurrency(Array(100).fill(0), 2, async () => {
      begun += 1;
      await later();
      if (begun > 3) throw new Error("no");
    });
    await expect(run).rejects.toThrow("no");
    expect(begun).toBeLessThan(10);
  });
});

describe("places", () => {
  it("are taken in the order of asking, each key's apart from the others'", async () => {
    const take = createPlaces(1, 2);
    const order: string[] = [];
    const free = await take("a");
    const second = take("a").then((give) => {
      order.push("second");
      give();
    });
    const third = take("a").then(() => order.push("third"));
    await take("b");
    expect(order).toEqual([]);
    free();
    await Promise.all([second, third]);
    expect(order).toEqual(["second", "third"]);
  });

  it("are refused where too many wait, and free again when somebody who waits gives up", async () => {
    const take = createPlaces(1, 1);
    const free = await take("a");
    const reader = new AbortController();
    const waiting = take("a", reader.signal);
    await expect(take("a")).rejects.toMatchObject({ code: "overloaded" });
    reader.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    const next = take("a");
    free();
    (await next)();
    await expect(take("a", reader.signal)).resolves.toBeTypeOf("function");
    await expect(take("a", reader.signal)).rejects.toThrow("gone");
  });

  it("given back twice make room once", async () => {
    const take = createPlaces(1, 1);
    const free = await take("a");
    const next = take("a");
    free();
    free();
    await next;
    const reader = new AbortController();
    const waiting = take("a", reader.signal);
    reader.abort(new Error("still taken"));
    await expect(waiting).rejects.toThrow("still taken");
  });
});

describe("a single flight", () => {
  it("is shared by all who ask meanwhile, flies again afterwards, and passes failures on", async () => {
    const share = createSingleFlight<number>();
    let flights = 0;
    const work = async () => {
      flights += 1;
      await later();
      if (flights === 2) throw new Error("second");
      return flights;
    };
    expect(await Promise.all([share("a", work), share("a", work), share("a", work)])).toEqual([1, 1, 1]);
    await expect(share("a", work)).rejects.toThrow("second");
    expect(await Promise.all([share("a", work), share("b", work)])).toEqual([4, 4]);
  });
});
