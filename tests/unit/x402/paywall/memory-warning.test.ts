import { expect, test, vi } from "vitest";

test("warns once about deliveries in memory, and names the options that store them", async () => {
  const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  vi.resetModules();
  const { createMemoryClaimStore } = await import("#lib/x402/paywall/claim-store.ts");
  createMemoryClaimStore();
  createMemoryClaimStore();
  expect(emitted.mock.calls.map(([message]) => message)).toEqual([
    expect.stringMatching(/`dataDir`.*`redisUrl`/),
  ]);
  emitted.mockRestore();
});
