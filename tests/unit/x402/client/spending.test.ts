import { describe, expect, test } from "vitest";
import { createSpending } from "../../../../lib/x402/client/spending.ts";

const HOUR_MS = 3_600_000;

describe("a budget per day", () => {
  test("comes back 24 hours after it was spent", () => {
    let now = 0;
    const spending = createSpending({ perDay: 0.1 }, () => now);
    spending.reserve("a", 60);
    now = 12 * HOUR_MS;
    spending.reserve("b", 40);
    expect(spending.allows("a", 1)).toBe(false);
    now = 24 * HOUR_MS;
    expect([spending.allows("a", 60), spending.allows("a", 61)]).toEqual([true, false]);
    now = 36 * HOUR_MS;
    expect(spending.allows("a", 100)).toBe(true);
  });

  test("takes back what was released, and only that", () => {
    const spending = createSpending({ perDay: 0.1, perHost: 0.1 });
    const reserved = spending.reserve("a", 100);
    expect(() => spending.reserve("a", 1)).toThrow("budget");
    reserved.release();
    expect(spending.allows("a", 100)).toBe(true);
  });
});

describe("no budget", () => {
  test("allows everything", () => {
    expect(createSpending({}).allows("a", 1e12)).toBe(true);
  });
});
