import { expect, test } from "vitest";
import { fuzz } from "./fuzz.ts";

test("the app, the facilitator and a paywall withstand 500 random requests without a 500, a hang or an exception", async () => {
  const { failure, requests } = await fuzz({ requests: 500, seed: 20_261_122 });
  expect(failure).toBeNull();
  expect(requests).toBeGreaterThanOrEqual(500);
}, 120_000);
