import { expect, test } from "vitest";
import { fuzz } from "./fuzz.ts";

test("500 random requests make the app, the facilitator and a paywall neither return 500, hang nor throw", async () => {
  const { failure, requests } = await fuzz({ requests: 500, seed: 20_261_122 });
  expect(failure).toBeNull();
  expect(requests).toBeGreaterThanOrEqual(500);
}, 120_000);
