import { describe, expect, test } from "vitest";
import { toMils, UNLIMITED } from "#lib/mils.ts";
import { guardBudgetStore } from "#lib/x402/client/budget-store.ts";
import { type BudgetLimits, createSpending } from "#lib/x402/client/day-book.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";

const HOUR_MS = 3_600_000;

const limits = (given: Partial<BudgetLimits>): BudgetLimits => ({
  perHost: UNLIMITED,
  perDay: UNLIMITED,
  ...given,
});

describe("a daily budget", () => {
  test("releases spending after 24 hours, to the minute", async () => {
    let now = 0;
    const spending = createSpending(limits({ perDay: toMils(100) }), createMemoryStore(), "alice", () => now);
    await spending.reserve("a", toMils(60));
    now = 12 * HOUR_MS;
    await spending.reserve("b", toMils(40));
    expect(await spending.left("a")).toBe(0);
    now = 24 * HOUR_MS;
    expect(await spending.left("a")).toBe(0);
    now += 60_000;
    expect(await spending.left("a")).toBe(60);
    now = 36 * HOUR_MS + 60_000;
    expect(await spending.left("a")).toBe(100);
  });

  test("returns exactly the reserved amount when it is released", async () => {
    const spending = createSpending(
      limits({ perDay: toMils(100), perHost: toMils(100) }),
      createMemoryStore(),
      "alice",
    );
    const reserved = await spending.reserve("a", toMils(100));
    await expect(spending.reserve("a", toMils(1))).rejects.toMatchObject({ code: "over_budget" });
    await reserved.release();
    expect(await spending.left("a")).toBe(100);
  });

  test("never leaves more than the budget, even a day after spending was released", async () => {
    let now = 0;
    const spending = createSpending(limits({ perDay: toMils(100) }), createMemoryStore(), "alice", () => now);
    const reserved = await spending.reserve("a", toMils(100));
    now = 10 * 60_000;
    await reserved.release();
    expect(await spending.left("a")).toBe(100);
    now = 24 * HOUR_MS + 5 * 60_000;
    expect(await spending.left("a")).toBe(100);
    await spending.reserve("a", toMils(100));
    await expect(spending.reserve("a", toMils(1))).rejects.toMatchObject({ code: "over_budget" });
  });

  test("ignores a release of spending older than a day", async () => {
    let now = 0;
    const spending = createSpending(limits({ perDay: toMils(100) }), createMemoryStore(), "alice", () => now);
    const reserved = await spending.reserve("a", toMils(100));
    now = 25 * HOUR_MS;
    await spending.reserve("b", toMils(60));
    await reserved.release();
    expect(await spending.left("a")).toBe(40);
  });

  test("never exceeds the budget with simultaneous requests", async () => {
    const store = createMemoryStore();
    const clients = ["one", "other"].map(() =>
      createSpending(limits({ perDay: toMils(100) }), store, "alice"),
    );
    const tries = Array.from({ length: 20 }, (_, index) =>
      clients[index % 2]?.reserve(`host-${index}`, toMils(10)),
    );
    const ends = await Promise.allSettled(tries);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(await clients[0]?.left("a")).toBe(0);
  });

  test("counts spending across restarts of the client, and only for its own account", async () => {
    const store = createMemoryStore();
    const start = (account: string) =>
      createSpending(limits({ perDay: toMils(100), perHost: toMils(80) }), store, account);
    await start("alice").reserve("a", toMils(80));
    expect(await start("alice").left("a")).toBe(20);
    expect(await start("alice").spent()).toEqual({ lastDay: "0.080 HBD", byHost: {} });
    expect(await start("bob").left("a")).toBe(80);
  });

  test.each([
    ["does not answer", () => Promise.reject(new Error("down"))],
    ["holds something else", async () => "{}"],
    ["holds fractions", async () => "[[1,0.5]]"],
  ])("allows nothing while the store %s", async (_name, get) => {
    const spending = createSpending(
      limits({ perDay: toMils(1000) }),
      guardBudgetStore({ ...createMemoryStore(), get }),
      "alice",
    );
    const unavailable = { name: "PaymentError", code: "budget_unavailable" };
    await expect(spending.left("a")).rejects.toMatchObject(unavailable);
    await expect(spending.reserve("a", toMils(1))).rejects.toMatchObject(unavailable);
    await expect(spending.spent()).rejects.toMatchObject(unavailable);
  });
});

test("reports spending by host", async () => {
  const spending = createSpending(limits({}), createMemoryStore(), "alice");
  await spending.reserve("a", toMils(60));
  await spending.reserve("b", toMils(40));
  await (await spending.reserve("c", toMils(5))).release();
  expect(await spending.spent()).toEqual({
    lastDay: "0.100 HBD",
    byHost: { a: "0.060 HBD", b: "0.040 HBD" },
  });
});

test("allows any amount without a budget", async () => {
  expect(await createSpending(limits({}), createMemoryStore(), "alice").left("a")).toBe(
    Number.POSITIVE_INFINITY,
  );
});
