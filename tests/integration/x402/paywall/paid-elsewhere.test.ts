import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import type { PaywallOptions } from "#lib/x402/paywall/options.ts";
import type { PaymentRequired, TransferOffer } from "#lib/x402/types.ts";
import { echo, openShop } from "../../../harness/open-shop.ts";
import {
  presentClaim,
  type SentTransfer,
  sendTransfer,
  transferOfferOf,
} from "../../../harness/send-transfer.ts";
import { askSignedIn } from "../../../harness/sign-in.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { callRpc } from "../../../harness/start-sandbox-chain.ts";
import { type ScriptedReply, startScriptedNode } from "../../../harness/start-scripted-node.ts";

const { shop, sell } = await openShop();

const terms = () => ({
  ...{ transfers: true, secret: "s".repeat(32), store: createMemoryStore() },
  nodes: shop.chain.urls,
  access: { for: "1h", account: (request: Request) => request.headers.get("x-account") },
});
const sellArticle = (options: Partial<PaywallOptions<Request>> = {}) =>
  sell(echo, { ...terms(), ...options });
const present = (url: string, offer: TransferOffer) => fetch(url, { headers: presentClaim(offer) });
const codeOf = async (response: Response) => ((await response.json()) as PaymentRequired).code;

/** Asks for an offer, and presents its claim once, before anything is paid. */
async function openOffer(url: string): Promise<TransferOffer> {
  const offer = await transferOfferOf(await fetch(url));
  expect(await codeOf(await present(url, offer))).toBe("payment_not_seen");
  return offer;
}

/** Sends a transfer, and waits until no fork can remove it. */
async function pay(transfer: SentTransfer): Promise<string> {
  const txId = await sendTransfer(shop.chain, transfer);
  const isFinal = async () => {
    const { status } = (await shop.chain.call("transaction_status_api.find_transaction", {
      transaction_id: txId,
    })) as { status: string };
    return status === "within_irreversible_block";
  };
  await expect.poll(isFinal, { timeout: 60_000 }).toBe(true);
  return txId;
}

/** Asks as an account until the answer no longer says that the same request may succeed soon. */
async function askUntilClear(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask();
    if (response.status !== 503) return response;
    await response.body?.cancel();
  }
}
const askAs = (url: string, account: string) =>
  askUntilClear(() => fetch(url, { headers: { "x-account": account } }));

describe("a transfer whose claim was presented before it was sent", () => {
  test("opens the page on another device for the payer's session, and counts once", async () => {
    const url = await sellArticle();
    const offer = await openOffer(url);
    const txId = await pay({ from: "bob", memo: offer.extra.memo });
    const before = await shop.balances();
    const found = await askAs(url, "bob");
    expect([found.status, await found.json()]).toEqual([200, { payer: "bob", txId }]);
    const again = await askAs(url, "bob");
    expect([again.status, await again.json()]).toEqual([200, { payer: "bob", txId }]);
    expect(await codeOf(await present(url, offer))).toBe("payment_replayed");
    expect(await shop.balances()).toEqual(before);
  });

  test("opens the page after a facilitator with the same store has started", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "hivegate-noted-"));
    const store = createSqliteStore({ dataDir });
    const url = await sellArticle({ store });
    const offer = await openOffer(url);
    const facilitator = await startFacilitator(shop.chain, { store });
    await facilitator.recover();
    await facilitator.close();
    await pay({ from: "bob", memo: offer.extra.memo });
    expect((await askAs(url, "bob")).status).toBe(200);
    await store.close();
    await rm(dataDir, { recursive: true });
  });

  test("opens the page for each of two requests at once", async () => {
    const url = await sellArticle();
    const offer = await openOffer(url);
    await pay({ from: "bob", memo: offer.extra.memo });
    const both = await Promise.all([1, 2].map(() => fetch(url, { headers: { "x-account": "bob" } })));
    expect(both.map(({ status }) => status === 402)).toEqual([false, false]);
    expect((await askAs(url, "bob")).status).toBe(200);
  });

  test("opens the page on another device for the payer's signature", async () => {
    const url = await sellArticle({ access: { for: "1h" } });
    const offer = await openOffer(url);
    const txId = await pay({ from: "bob", memo: offer.extra.memo });
    const found = await askUntilClear(() => askSignedIn(url, { account: "bob" }));
    expect([found.status, await found.json()]).toEqual([200, { payer: "bob", txId }]);
  });

  test("opens the page at another server with the same store and a new secret", async () => {
    const shared = terms();
    const publicUrl = "http://shop.example";
    const offer = await openOffer(await sellArticle({ ...shared, publicUrl }));
    const txId = await pay({ from: "bob", memo: offer.extra.memo });
    const renewed = { secret: "n".repeat(32), previousSecret: shared.secret };
    const found = await askAs(await sellArticle({ ...shared, publicUrl, ...renewed }), "bob");
    expect([found.status, await found.json()]).toEqual([200, { payer: "bob", txId }]);
  });

  test("delivers to one of two devices at once, and to the other by the purchase", async () => {
    const url = await sellArticle();
    const offer = await openOffer(url);
    const txId = await pay({ from: "bob", memo: offer.extra.memo });
    const answers = await Promise.all([askAs(url, "bob"), askUntilClear(() => present(url, offer))]);
    const [session, claim] = answers.map(({ status }) => status);
    // Whichever was first, the claim delivers at most once, and nothing is paid again.
    expect([session === 200 || claim === 200, (await askAs(url, "bob")).status]).toEqual([true, 200]);
    expect(await (await askAs(url, "bob")).json()).toEqual({ payer: "bob", txId });
  });

  test("asks nobody to pay again while the facilitator does not see the transfer yet", async () => {
    let isBehind = true;
    const facilitator = {
      ...shop.facilitator,
      verify: async (body: unknown) =>
        isBehind ? { isValid: false, invalidReason: "payment_not_seen" } : shop.facilitator.verify(body),
    };
    const url = await sellArticle({ facilitator, facilitatorUrl: undefined });
    const offer = await openOffer(url);
    await pay({ from: "bob", memo: offer.extra.memo });
    const early = await fetch(url, { headers: { "x-account": "bob" } });
    expect([early.status, await codeOf(early)]).toEqual([503, "settlement_pending"]);
    isBehind = false;
    expect((await askAs(url, "bob")).status).toBe(200);
  });

  test("opens no page for another account, which gets the offer with a claim of its own", async () => {
    const url = await sellArticle();
    const offer = await openOffer(url);
    await pay({ from: "bob", memo: offer.extra.memo });
    const refused = await askAs(url, "carol");
    const { transfer } = (await refused.json()) as PaymentRequired;
    expect([refused.status, transfer?.extra.claim === offer.extra.claim]).toEqual([402, false]);
    expect((await present(url, offer)).status).toBe(200);
  });

  test("opens no page at another address", async () => {
    const url = await sellArticle();
    const offer = await openOffer(`${url}/one`);
    await pay({ from: "bob", memo: offer.extra.memo });
    expect((await askAs(`${url}/two`, "bob")).status).toBe(402);
  });
});

describe("an account that sends dust with the memo of another one's offer", () => {
  test("gets neither the page nor the claim before that offer is paid", async () => {
    const url = await sellArticle();
    const offer = await openOffer(url);
    await pay({ from: "carol", mils: 1, memo: offer.extra.memo });
    const refused = await askAs(url, "carol");
    const { transfer } = (await refused.json()) as PaymentRequired;
    expect([refused.status, transfer?.extra.claim === offer.extra.claim]).toEqual([402, false]);
  });

  test("gets no page after that offer is paid", async () => {
    const url = await sellArticle();
    const offer = await openOffer(url);
    await pay({ from: "bob", memo: offer.extra.memo });
    await pay({ from: "carol", memo: offer.extra.memo });
    expect((await askAs(url, "carol")).status).toBe(402);
    expect((await present(url, offer)).status).toBe(200);
  });
});

describe("while a claim of its address is open, an account may buy", () => {
  /** Starts a node that answers questions for a history by `answer`. */
  const startNode = (answer: () => ScriptedReply) =>
    startScriptedNode(shop.chain.chainId, async ({ method, params }) => {
      if (method === "condenser_api.get_account_history") return answer();
      const { result, error } = await callRpc(shop.chain.urls[0] ?? "", method, params);
      return error ? { error } : { result };
    });
  const longMemo = "\u0007".repeat(2048);
  const dust = { from: "eve", to: "bob", amount: "0.001 HBD", memo: longMemo };
  const histories: Array<[string, () => ScriptedReply]> = [
    ["whose newest 2000 operations are no transfers", () => ({ error: { code: -32003, message: "" } })],
    [
      "that got the longest memos",
      () => ({
        result: Array.from({ length: 250 }, (_, number) => [number, { op: ["transfer", dust] }]),
      }),
    ],
  ];

  test.each(histories)("%s", async (_, answer) => {
    const nodes = await Promise.all([startNode(answer), startNode(answer)]);
    const url = await sellArticle({ nodes: nodes.map((node) => node.url) });
    await openOffer(url);
    const asked = await fetch(url, { headers: { "x-account": "bob" } });
    expect([asked.status, await codeOf(asked)]).toEqual([402, "payment_required"]);
    for (const node of nodes) await node.close();
  });
});

test("a noted claim is nowhere in the store", async () => {
  const store = createMemoryStore();
  const texts: string[] = [];
  const listening: typeof store = {
    ...store,
    setIfAbsent: (key, value, seconds) => {
      texts.push(key, value);
      return store.setIfAbsent(key, value, seconds);
    },
  };
  const offer = await openOffer(await sellArticle({ store: listening }));
  expect(texts.join()).toContain(offer.extra.memo);
  expect(texts.join()).not.toContain(offer.extra.claim);
});
