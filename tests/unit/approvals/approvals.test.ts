import { describe, expect, test } from "vitest";
import { createApprovals } from "../../../lib/approvals/approvals.ts";
import { createMemoryStore } from "../../../lib/x402/memory-store.ts";

const wanted = {
  ...{ amount: "0.300 HBD", payTo: "shop", network: "chain:sandbox", url: "https://shop.example/" },
  request: "aa",
};

const open = () => {
  let now = 1_000_000;
  const approvals = createApprovals(createMemoryStore(), {
    key: "approvals",
    waitingMs: 3_600_000,
    now: () => now,
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { approvals, pass };
};

describe("an approval", () => {
  test("expires after ten minutes", async () => {
    const { approvals, pass } = open();
    const asked = await approvals.ask(wanted, undefined);
    pass(1_800_000);
    expect(await approvals.approve(asked?.id ?? "")).toMatchObject({ state: "approved" });
    pass(599_999);
    expect(await approvals.list()).toHaveLength(1);
    pass(1);
    expect(await approvals.take(wanted)).toBeNull();
  });

  test.each([
    ["amount", "0.301 HBD"],
    ["payTo", "bob"],
    ["network", "chain:mainnet"],
    ["url", "https://shop.example/other"],
    ["request", "bb"],
  ])("does not permit a payment with another %s", async (name, value) => {
    const { approvals } = open();
    const asked = await approvals.ask(wanted, undefined);
    await approvals.approve(asked?.id ?? "");
    expect(await approvals.take({ ...wanted, [name]: value })).toBeNull();
    expect(await approvals.take(wanted)).toMatchObject({ wanted });
  });

  test("is used once, even by simultaneous calls", async () => {
    const { approvals } = open();
    const asked = await approvals.ask(wanted, undefined);
    await approvals.approve(asked?.id ?? "");
    const taken = await Promise.all(Array.from({ length: 5 }, () => approvals.take(wanted)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test("is granted once per request, and approving again does not prolong it", async () => {
    const { approvals, pass } = open();
    const asked = await approvals.ask(wanted, undefined);
    await approvals.approve(asked?.id ?? "");
    pass(300_000);
    // A second run of the command does not prolong the first approval.
    await approvals.approve(asked?.id ?? "");
    pass(300_000);
    expect(await approvals.take(wanted)).toBeNull();
  });

  test("does not return when the clock steps back after its end", async () => {
    const { approvals, pass } = open();
    const asked = await approvals.ask(wanted, undefined);
    await approvals.approve(asked?.id ?? "");
    pass(600_000);
    await approvals.find(asked?.id ?? "");
    pass(-60_000);
    expect(await approvals.take(wanted)).toBeNull();
  });

  test("ends when the clock steps back by an hour", async () => {
    const { approvals, pass } = open();
    const asked = await approvals.ask(wanted, undefined);
    await approvals.approve(asked?.id ?? "");
    pass(-3_600_000);
    expect(await approvals.take(wanted)).toBeNull();
  });

  test("can be requested for up to 20 payments at a time", async () => {
    const { approvals } = open();
    for (let index = 0; index < 20; index++)
      expect(await approvals.ask({ ...wanted, request: String(index) }, undefined)).not.toBeNull();
    expect(await approvals.ask({ ...wanted, request: "one more" }, undefined)).toBeNull();
  });
});
