import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { signPayment } from "#lib/x402/client/index.ts";
import { withPaywall } from "#lib/x402/next.ts";
import type { Claim } from "#lib/x402/paywall/claim.ts";
import { type ClaimStore, createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { createClaims } from "#lib/x402/paywall/claims.ts";
import { offerOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";

const { shop } = await openShop();

const claim: Claim = {
  phase: "settling",
  resource: "hash",
  validBefore: "2026-01-01T00:05:00.000Z",
  amount: "0.050 HBD",
  idempotencyKey: "key",
};

const never = () => new Promise<never>(() => {});
const takeTime = () =>
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
beforeEach(() => void takeTime());
afterEach(() => void vi.useRealTimers());

/** Returns "done", the error's name or "still waiting": the state of the work after this many ms. */
async function outcomeAfter(ms: number, work: Promise<unknown>) {
  const outcome = work.then(
    () => "done",
    (error: Error) => error.name,
  );
  await vi.advanceTimersByTimeAsync(ms);
  return Promise.race([outcome, Promise.resolve("still waiting")]);
}

describe("a claim store that never answers", () => {
  test("fails a paid request with 503 `degraded` after five seconds", async () => {
    vi.useRealTimers();
    const store = { ...createMemoryClaimStore(), get: never };
    const GET = withPaywall({ ...shop.price, store }, () => new Response("content"));
    const url = "http://shop.example/";
    const requirements = await offerOf(await GET(new Request(url)));
    const headers = { "x-payment": await signPayment({ ...shop.purse(), requirements }) };
    takeTime();
    const answering = GET(new Request(url, { headers }));
    expect(await outcomeAfter(5000, answering)).toBe("done");
    const response = await answering;
    expect([response.status, await response.json()]).toMatchObject([503, { code: "degraded" }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each<[string, Partial<ClaimStore>, (claims: ReturnType<typeof createClaims>) => Promise<unknown>]>([
    ["a read", { get: never }, (claims) => claims.read("payment")],
    ["a lease", { setIfAbsent: never }, (claims) => claims.lease("payment")],
    ["a new claim", { setIfAbsent: never }, (claims) => claims.open("payment", claim)],
    ["the release of a refused claim", { replace: never }, (claims) => claims.letGo("payment", claim)],
  ])("fails %s after five seconds", async (_name, hanging, ask) => {
    const claims = createClaims({ ...createMemoryClaimStore(), ...hanging });
    expect(await outcomeAfter(5000, ask(claims))).toBe("ClaimStoreError");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("fails a change after three tries", async () => {
    const claims = createClaims({ ...createMemoryClaimStore(), replace: never });
    expect(await outcomeAfter(15_000, claims.change("payment", claim, { ...claim, phase: "paid" }))).toBe(
      "ClaimStoreError",
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  test("leaves no timer behind when a claim is released", async () => {
    const claims = createClaims({ ...createMemoryClaimStore(), replace: never, deleteIf: never });
    const lease = await claims.lease("payment");
    await vi.advanceTimersByTimeAsync(3000);
    expect(await outcomeAfter(5000, lease?.release() ?? Promise.resolve())).toBe("done");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a claim store that answers only after five seconds", () => {
  test("grants no claim, and the claim that it stored expires without renewal", async () => {
    let nowMs = 0;
    const memory = createMemoryClaimStore(() => nowMs);
    let grant = () => {};
    const slow: ClaimStore = {
      ...memory,
      setIfAbsent: (...given) =>
        new Promise((resolve) => {
          grant = () => void memory.setIfAbsent(...given).then(resolve);
        }),
    };
    expect(await outcomeAfter(5000, createClaims(slow).lease("payment"))).toBe("ClaimStoreError");
    grant();
    await vi.advanceTimersByTimeAsync(10_000);
    const others = createClaims(memory);
    expect(await others.lease("payment")).toBeNull();
    nowMs += 4000;
    expect(await others.lease("payment")).not.toBeNull();
  });
});

test("an expired claim is no longer renewed", async () => {
  let nowMs = 0;
  const store = createMemoryClaimStore(() => nowMs);
  const renewals = vi.spyOn(store, "replace");
  const claims = createClaims(store);
  await claims.lease("payment");
  nowMs += 4000;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(renewals).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});
