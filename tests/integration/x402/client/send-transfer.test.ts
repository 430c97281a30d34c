import { expect, test } from "vitest";
import {
  type BudgetStore,
  createPayingFetch,
  type PayingFetchOptions,
  type TransferToSend,
} from "#lib/x402/client/index.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import type { TransferOffer } from "#lib/x402/types.ts";
import { echo, openShop } from "../../../harness/open-shop.ts";
import { sendTransfer as send } from "../../../harness/send-transfer.ts";

const { shop, sell, serve } = await openShop();
const selling = { transfers: true, secret: "s".repeat(32), store: createMemoryStore() };

type Options = Partial<PayingFetchOptions> & Pick<PayingFetchOptions, "sendTransfer">;

/** Creates a client of alice, whose wallet sends transfers, with a list of what it sent. */
function openWallet({ sendTransfer, ...options }: Options = { sendTransfer: undefined }) {
  const sent: TransferToSend[] = [];
  const { account, nodes, chainId } = shop.purse();
  const pay = createPayingFetch({
    ...{ account, nodes, chainId },
    async sendTransfer(transfer: TransferToSend) {
      sent.push(transfer);
      return sendTransfer ? sendTransfer(transfer) : sendAsWallet(transfer);
    },
    ...options,
  } as PayingFetchOptions);
  return { pay, sent };
}
const sendAsWallet = ({ from, to, amount, memo }: TransferToSend) =>
  send(shop.chain, { from, to, memo, mils: Math.round(Number.parseFloat(amount) * 1000) });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "resolved",
    (error: { code?: string }) => error.code,
  );

test("a client whose wallet only sends pays with one transfer, and gets the content", async () => {
  const { pay, sent } = openWallet();
  const response = await pay(await sell(echo, selling));
  expect(await response.json()).toMatchObject({ payer: "alice" });
  expect(sent).toMatchObject([{ from: "alice", to: "shop", amount: "0.050 HBD" }]);
  expect(sent[0]?.hiveUri).toMatch(/^hive:\/\/sign\/op\//);
});

test("a client that signs ignores an offer to pay by a sent transfer", async () => {
  const response = await shop.payer()(await sell(echo, selling));
  expect(await response.json()).toMatchObject({ payer: "alice" });
});

test("a client whose wallet only sends pays no server that does not offer it", async () => {
  const { pay, sent } = openWallet();
  expect(await codeOf(pay(await sell(echo)))).toBe("unknown_scheme");
  expect(sent).toEqual([]);
});

test.each([
  ["over_limit", { maxPayment: "0.049 HBD" }],
  ["over_budget", { budget: { perHost: "0.049 HBD" } }],
  ["payee_not_allowed", { allowedPayees: ["bob"] }],
  ["host_not_allowed", { allowedHosts: ["shop.example"] }],
  ["not_approved", { approve: () => false }],
] as const)("a transfer is not sent if the client's rules refuse it with %s", async (code, options) => {
  const { pay, sent } = openWallet(options as unknown as Options);
  expect(await codeOf(pay(await sell(echo, selling)))).toBe(code);
  expect(sent).toEqual([]);
});

test("a transfer that the wallet declined is neither kept nor counted", async () => {
  let isWilling = false;
  const { pay, sent } = openWallet({
    sendTransfer: (transfer) => (isWilling ? sendAsWallet(transfer) : null),
  });
  const url = await sell(echo, selling);
  expect(await codeOf(pay(url))).toBe("transfer_not_sent");
  expect(await pay.spent()).toMatchObject({ lastDay: "0.000 HBD" });
  isWilling = true;
  expect((await pay(url)).status).toBe(200);
  expect(sent).toHaveLength(2);
});

test("a wallet whose answer was lost is not asked again, and the repeat gets the content", async () => {
  const { pay, sent } = openWallet({
    async sendTransfer(transfer) {
      await sendAsWallet(transfer);
      throw new Error("the wallet's answer was lost");
    },
  });
  const url = await sell(echo, selling);
  expect(await codeOf(pay(url))).toBe("transfer_unconfirmed");
  const response = await pay(url);
  expect(await response.json()).toMatchObject({ payer: "alice" });
  expect(sent).toHaveLength(1);
});

test("the next process presents the stored claim of a dead one instead of sending again", async () => {
  const stored = new Map<string, string>();
  const memory = createMemoryStore();
  const store: BudgetStore = {
    ...memory,
    async setIfAbsent(key, value, ttl) {
      const isSet = await memory.setIfAbsent(key, value, ttl);
      if (isSet) stored.set(key, value);
      return isSet;
    },
    async replace(key, from, to, ttl) {
      const isSet = await memory.replace(key, from, to, ttl);
      if (isSet) stored.set(key, to);
      return isSet;
    },
  };
  const url = await sell(echo, selling);
  let hasSent = () => {};
  const sending = new Promise<void>((resolve) => {
    hasSent = resolve;
  });
  const dying = openWallet({
    budget: { store },
    async sendTransfer(transfer) {
      await sendAsWallet(transfer);
      hasSent();
      // The process dies before its wallet answers.
      return new Promise<string>(() => {});
    },
  });
  void dying.pay(url);
  await sending;
  const left = createMemoryStore();
  for (const [key, value] of stored) await left.setIfAbsent(key, value);
  const next = openWallet({ budget: { store: left }, sendTransfer: undefined });
  const response = await next.pay(url);
  expect(await response.json()).toMatchObject({ payer: "alice" });
  expect(next.sent).toEqual([]);
});

const isUnderWay = (key: string) => key.startsWith("x402:underway:");

/** Stores a claim of a client that ends before it asks its wallet. */
async function endBeforeAsking(url: string, store: BudgetStore): Promise<{ sent: TransferToSend[] }> {
  let hasEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    hasEnded = resolve;
  });
  const ending: BudgetStore = {
    ...store,
    async replace(key, ...change) {
      if (!isUnderWay(key)) return store.replace(key, ...change);
      hasEnded();
      return new Promise<boolean>(() => {});
    },
  };
  const { pay, sent } = openWallet({ budget: { store: ending }, sendTransfer: undefined });
  void codeOf(pay(url));
  await ended;
  return { sent };
}

test("a claim whose client ended before it asked its wallet keeps nobody from paying", async () => {
  const store = createMemoryStore();
  const url = await sell(echo, selling);
  const dying = await endBeforeAsking(url, store);
  const next = openWallet({ budget: { store }, sendTransfer: undefined });
  const response = await next.pay(url);
  expect(await response.json()).toMatchObject({ payer: "alice" });
  expect([dying.sent.length, next.sent.length]).toEqual([0, 1]);
  expect(await next.pay.spent()).toMatchObject({ lastDay: "0.050 HBD" });
});

test("a claim that the store does not forget stops the next client instead of paying twice", async () => {
  const memory = createMemoryStore();
  const store: BudgetStore = {
    ...memory,
    async replace(key, from, to, ttl) {
      if (isUnderWay(key) && to === "[]") throw new Error("refused");
      return memory.replace(key, from, to, ttl);
    },
  };
  const url = await sell(echo, selling);
  await endBeforeAsking(url, memory);
  const next = openWallet({ budget: { store }, sendTransfer: undefined });
  expect(await codeOf(next.pay(url))).toBe("budget_unavailable");
  expect(next.sent).toEqual([]);
});

test("a client whose store loses an answer before its wallet is asked pays at the next call", async () => {
  const memory = createMemoryStore();
  let isLost = false;
  const store: BudgetStore = {
    ...memory,
    async replace(key, ...change) {
      const isSet = await memory.replace(key, ...change);
      if (!isUnderWay(key) || isLost) return isSet;
      isLost = true;
      throw new Error("the answer was lost");
    },
  };
  const { pay, sent } = openWallet({ budget: { store }, sendTransfer: undefined });
  const url = await sell(echo, selling);
  expect(await codeOf(pay(url))).toBe("budget_unavailable");
  expect(await pay.spent()).toMatchObject({ lastDay: "0.000 HBD" });
  expect((await pay(url)).status).toBe(200);
  expect(sent).toHaveLength(1);
});

test("two equal requests pay and count twice even if the store answers the first one late", async () => {
  const memory = createMemoryStore();
  let noteStored = () => {};
  const stored = new Promise<void>((resolve) => {
    noteStored = resolve;
  });
  let goOn = () => {};
  const isNext = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const store: BudgetStore = {
    ...memory,
    async setIfAbsent(key, ...change) {
      const isSet = await memory.setIfAbsent(key, ...change);
      if (isUnderWay(key) && isSet) {
        noteStored();
        await isNext;
      }
      return isSet;
    },
    async replace(key, ...change) {
      const isSet = await memory.replace(key, ...change);
      if (isUnderWay(key)) goOn();
      return isSet;
    },
  };
  const { pay, sent } = openWallet({ budget: { store }, sendTransfer: undefined });
  const url = await sell(echo, selling);
  const first = pay(url);
  void codeOf(first);
  await stored;
  expect((await pay(url)).status).toBe(200);
  expect((await first).status).toBe(200);
  expect(sent).toHaveLength(2);
  expect(await pay.spent()).toMatchObject({ lastDay: "0.100 HBD" });
});

test("a server that forges the memo of another claim gets no transfer", async () => {
  const { transfer } = (await (await fetch(await sell(echo, selling))).json()) as { transfer: TransferOffer };
  const forged = { ...transfer, extra: { ...transfer.extra, claim: "A".repeat(64) } };
  const url = await serve(() => Response.json({ x402Version: 2, accepts: [forged] }, { status: 402 }));
  const { pay, sent } = openWallet();
  expect(await codeOf(pay(url))).toBe("malformed_offer");
  expect(sent).toEqual([]);
});
