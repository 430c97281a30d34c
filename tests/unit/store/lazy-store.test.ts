import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLazyStore, createOpener } from "../../../lib/store/lazy-store.ts";
import { createSqliteStore } from "../../../lib/store/sqlite-store.ts";
import type { Store } from "../../../lib/store/store.ts";

let dataDir: string;
let nowMs: number;
let attempts: number;
let fault: Error | null;
let store: Store;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "hivegate-lazy-"));
  nowMs = 0;
  attempts = 0;
  fault = null;
  const attempt = async () => {
    attempts++;
    if (fault) throw fault;
    return createSqliteStore({ dataDir });
  };
  store = createLazyStore(createOpener(attempt, () => nowMs));
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("a lazily opened store", () => {
  it("opens once on the first call, even for simultaneous calls", async () => {
    expect(attempts).toBe(0);
    await Promise.all(Array.from({ length: 10 }, (_, index) => store.set(`key${index}`, "1")));
    expect(attempts).toBe(1);
    expect(await store.list("key", 100)).toHaveLength(10);
  });

  it("rejects with degraded while the store cannot be opened, without the fault's text", async () => {
    fault = Object.assign(new Error("secret path"), { code: "EACCES" });
    const error = await store.get("a").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "degraded", status: 503, retryAfterSeconds: expect.any(Number) });
    expect(String((error as Error).cause)).toContain("EACCES");
    expect(`${(error as Error).message}${(error as Error).cause}`).not.toContain("secret");
  });

  it("tries again after a second, not on every call", async () => {
    fault = new Error("down");
    for (let call = 0; call < 5; call++)
      await expect(store.ping()).rejects.toMatchObject({ code: "degraded" });
    expect(attempts).toBe(1);
    fault = null;
    nowMs = 999;
    await expect(store.ping()).rejects.toMatchObject({ code: "degraded" });
    nowMs = 1000;
    await store.ping();
    expect(attempts).toBe(2);
  });

  it("does not open once closed", async () => {
    await store.close();
    await expect(store.ping()).rejects.toMatchObject({ code: "degraded" });
    expect(attempts).toBe(0);
  });
});
