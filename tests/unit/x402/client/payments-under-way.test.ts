import { expect, test } from "vitest";
import { toMils } from "#lib/mils.ts";
import { createPaymentsUnderWay } from "#lib/x402/client/payments-under-way.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const unasked = {
  ...({ header: "h", sentAs: "x-payment", amountMils: toMils(50), payTo: "shop", network: "hive" } as const),
  ...{ sentUntilMs: NOW_MS + 60_000, isUnasked: true },
};
const { signal } = new AbortController();

/** Creates two clients of one store. Neither says that it is alive. */
function openClients() {
  const store = createMemoryStore();
  const open = () => createPaymentsUnderWay(store, "alice", { isShared: false, now: async () => NOW_MS });
  return [open(), open()] as const;
}

test("a client whose payment another one took over may not ask its wallet", async () => {
  const [late, other] = openClients();
  const held = await late.keep("a request", unasked);
  expect((await other.take("a request", signal))?.payment.isUnasked).toBe(true);
  expect(await held.markAsked()).toBe(false);
});

test("a payment whose wallet is asked while another client takes it over counts as sent", async () => {
  const [slow, other] = openClients();
  const held = await slow.keep("a request", unasked);
  const taken = other.take("a request", signal);
  expect(await held.markAsked()).toBe(true);
  expect((await taken)?.payment).toEqual({ ...unasked, isUnasked: undefined });
});
