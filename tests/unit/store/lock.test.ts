import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withLock } from "../../../lib/store/lock.ts";
import { openSqliteStore } from "../../../lib/store/open-sqlite-store.ts";
import { createSqliteStore } from "../../../lib/store/sqlite-store.ts";
import type { Store } from "../../../lib/store/store.ts";
import { soon } from "../../harness/soon.ts";

describe("withLock", () => {
  let folder: string;
  let one: Store;
  let two: Store;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hivegate-lock-"));
    one = createSqliteStore({ dataDir: folder });
    two = createSqliteStore({ dataDir: folder });
  });
  afterEach(async () => {
    await one.close();
    await two.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const never = new AbortController().signal;

  it("admits one worker at a time, across all openings of the store", async () => {
    let inside = 0;
    let done = 0;
    const most: number[] = [];
    let refusals = 0;
    const noting = (store: Store): Store => ({
      ...store,
      setIfAbsent: async (...given) => {
        const isSet = await store.setIfAbsent(...given);
        if (!isSet) refusals += 1;
        return isSet;
      },
    });
    // Each worker stays until every later one was refused on a retry, or is inside too.
    const work = async () => {
      inside += 1;
      const [before, others] = [refusals, 3 - done];
      await soon(() => expect(refusals - before + inside - 1).toBeGreaterThanOrEqual(others));
      most.push(inside);
      inside -= 1;
      done += 1;
    };
    await Promise.all([one, two, one, two].map((store) => withLock(noting(store), "lock", never, work)));
    expect(most).toEqual([1, 1, 1, 1]);
    expect(await one.get("lock")).toBeNull();
  });

  it("holds a lock as long as the work takes", async () => {
    // Five renewals, one a second, take longer than the four seconds after which a lock expires.
    const renewed = new AbortController();
    let renewals = 0;
    const counting: Store = {
      ...one,
      replace: async (...given) => {
        if (++renewals === 5) renewed.abort(new Error("five times"));
        return one.replace(...given);
      },
    };
    const holding = withLock(counting, "lock", never, async () => {
      await once(renewed.signal, "abort");
      return "done";
    });
    await soon(async () => expect(await one.get("lock")).not.toBeNull());
    await expect(withLock(two, "lock", renewed.signal, async () => "in")).rejects.toThrow("five times");
    expect(await holding).toBe("done");
  });

  it("frees a lock after its holder has died", async () => {
    await one.setIfAbsent("lock", "a holder that was killed", 0.3);
    expect(await withLock(two, "lock", never, async () => "in")).toBe("in");
  });

  it("releases a lock if the work fails", async () => {
    const failing = withLock(one, "lock", never, async () => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await two.get("lock")).toBeNull();
  });

  it("does not release the next holder's lock if the former holder was delayed", async () => {
    await withLock(one, "lock", never, async () => {
      await two.set("lock", "the next holder");
    });
    expect(await two.get("lock")).toBe("the next holder");
  });

  it("returns the work's result even if the store fails at the release", async () => {
    const away: Store = { ...one, deleteIf: () => Promise.reject(new Error("away")) };
    expect(await withLock(away, "lock", never, async () => "done")).toBe("done");
  });

  describe("over time", () => {
    let nowMs = 1_000_000;
    let timed: Store;
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      // The store is in a separate file, because one that was already written by the machine's clock would
      // add that clock's fraction of a ms.
      timed = openSqliteStore(join(folder, "timed"), { now: () => nowMs });
    });
    afterEach(async () => {
      await timed.close();
      vi.useRealTimers();
    });
    const pass = (ms: number) => {
      nowMs += ms;
      vi.advanceTimersByTime(ms);
    };

    it("frees a lock four seconds after its holder's last sign of life, not earlier", async () => {
      await withLock(timed, "lock", never, async () => {
        nowMs += 3999;
        expect(await timed.setIfAbsent("lock", "the next holder")).toBe(false);
        nowMs += 1;
        expect(await timed.setIfAbsent("lock", "the next holder")).toBe(true);
      });
    });

    it("renews a lock every second during the work, and never for another holder", async () => {
      const renewals = vi.spyOn(timed, "replace");
      const timersBefore = vi.getTimerCount();
      await withLock(timed, "lock", never, async () => {
        for (let second = 0; second < 10; second++) {
          pass(1000);
          // Waits for the renewal: a read runs after the writes before it.
          await timed.get("lock");
        }
        expect(renewals).toHaveBeenCalledTimes(10);
        expect(await timed.setIfAbsent("lock", "the next holder")).toBe(false);
        await timed.set("lock", "the next holder");
        pass(1000);
      });
      expect(await timed.get("lock")).toBe("the next holder");
      expect(vi.getTimerCount()).toBe(timersBefore);
    });
  });
});
