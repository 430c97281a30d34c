import { expect, test } from "vitest";
import { createTransferSupport } from "#lib/x402/paywall/transfer-support.ts";

const network = "chain:mainnet";
const supported = { kinds: [{ network, extra: { assetTransferMethods: ["memo"] } }] };

/** Creates the check of a facilitator that answers only after `start`, by a clock that `pass` moves on. */
function createCheck(isOwn: boolean) {
  let [nowMs, isUp] = [0, false];
  const facilitator = { supported: async () => (isUp ? supported : null) };
  return {
    check: createTransferSupport({ network, isOwn }, facilitator, () => nowMs),
    start: (is = true) => {
      isUp = is;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test("transfers are offered once a facilitator elsewhere has listed them, and while it is silent later", async () => {
  const { check, start, pass } = createCheck(false);
  expect(await check()).toBe(false);
  start();
  pass(4999);
  expect(await check()).toBe(false);
  pass(1);
  expect(await check()).toBe(true);
  start(false);
  pass(60_000);
  expect(await check()).toBe(true);
});

test("transfers are offered by a facilitator in the same process that does not describe itself", async () => {
  expect(await createCheck(true).check()).toBe(true);
});
