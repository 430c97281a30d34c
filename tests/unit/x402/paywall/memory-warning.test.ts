import { expect, test, vi } from "vitest";

test("the warning about deliveries in memory names the options that keep them, once", async () => {
  const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  vi.resetModules();
  const { createMemoryClaimStore } = await import("#lib/x402/paywall/claims.ts");
  createMemoryClaimStore();
  createMemoryClaimStore();
  expect(emitted.mock.calls.map(([message]) => message)).toEqual([
    expect.stringMatching(/`dataDir`.*`redisUrl`/),
  ]);
  emitted.mockRestore();
});
