import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";
import { type Catalogue, createCatalogue } from "#lib/x402/discovery/catalogue.ts";

const MINUTE_MS = 60_000;
const NETWORK = "chain:sandbox";
const bazaar = { info: { input: { type: "http", method: "GET" } }, schema: {} };

let folder: string;
let store: Store;
let catalogue: Catalogue;
let payments = 0;
/** The status of every seller's answer. */
let status: number;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  folder = mkdtempSync(join(tmpdir(), "hivegate-catalogue-"));
  store = createSqliteStore({ dataDir: folder });
  status = 402;
  catalogue = createCatalogue({
    ...{ store, networks: [NETWORK] },
    ask: async () => ({ status, header: () => null, text: JSON.stringify(offer) }),
  });
});
afterEach(async () => {
  await catalogue.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
  vi.useRealTimers();
});

const offer = {
  ...{ x402Version: 2, extensions: { bazaar } },
  accepts: [
    {
      ...{ scheme: "exact", network: NETWORK, amount: "50", asset: "HBD", payTo: "shop" },
      maxTimeoutSeconds: 60,
    },
  ],
};

const pay = async (address: string) => {
  catalogue.consider({ txId: `${payments++}`, address, extensions: { bazaar }, payTo: "shop" });
  await catalogue.settled();
  vi.advanceTimersByTime(1);
};
/** Pays for `count` resources of each host, at a pace at which every host may be asked. */
const payForAll = async (hosts: readonly string[], count: number) => {
  for (let path = 0; path < count; path++) {
    if (path % 10 === 0) vi.advanceTimersByTime(MINUTE_MS);
    for (const host of hosts) await pay(`https://${host}/${path}`);
  }
};
const countOf = async (host: string) =>
  (await catalogue.read()).filter(({ resource }) => new URL(resource).host === host).length;

describe("the limits of the catalogue", () => {
  test("keep an account's resources when another host lists many as paid to the same account", async () => {
    await payForAll(["shop.example"], 3);
    await payForAll(["evil.example"], 51);
    expect(await countOf("shop.example")).toBe(3);
    expect(await countOf("evil.example")).toBe(50);
    const resources = (await catalogue.read()).map(({ resource }) => resource);
    expect(resources).toContain("https://evil.example/50");
    expect(resources).not.toContain("https://evil.example/0");
  });

  test("remove from the host that has the most once the catalogue is full", async () => {
    await payForAll(["shop.example"], 3);
    const others = Array.from({ length: 20 }, (_, number) => `evil${number}.example`);
    await payForAll(others, 50);
    expect(await catalogue.read()).toHaveLength(1000);
    expect(await countOf("shop.example")).toBe(3);
    await pay("https://new.example/");
    expect(await catalogue.read()).toHaveLength(1000);
    expect(await countOf("shop.example")).toBe(3);
    expect(await countOf("new.example")).toBe(1);
  });
});

describe("a resource that its server does not find", () => {
  const DAY_MS = 24 * 60 * MINUTE_MS;
  const askAgain = async (answered: number) => {
    status = answered;
    vi.advanceTimersByTime(MINUTE_MS);
    await pay("https://shop.example/one");
    return countOf("shop.example");
  };

  test("stays listed until a day has passed", async () => {
    await pay("https://shop.example/one");
    expect(await askAgain(404)).toBe(1);
    vi.advanceTimersByTime(DAY_MS - 2 * MINUTE_MS);
    expect(await askAgain(404)).toBe(1);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(await askAgain(404)).toBe(0);
  });

  test("stays listed if the server has offered it since", async () => {
    await pay("https://shop.example/one");
    expect(await askAgain(404)).toBe(1);
    vi.advanceTimersByTime(DAY_MS);
    expect(await askAgain(402)).toBe(1);
    expect(await askAgain(404)).toBe(1);
  });
});
