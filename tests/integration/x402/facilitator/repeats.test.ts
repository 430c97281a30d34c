import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHiveClient, type HiveClient } from "#lib/hive/client.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let client: HiveClient;
let sent: object[];
let beforeBroadcast: Promise<unknown> | undefined;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
beforeEach(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  client = createHiveClient({ nodes: chain.urls, chainId: chain.chainId });
  sent = [];
  beforeBroadcast = undefined;
  const counting: HiveClient = {
    ...client,
    async broadcast(transaction) {
      sent.push(transaction);
      await beforeBroadcast;
      await client.broadcast(transaction);
    },
  };
  facilitator = await startFacilitator(chain, { client: counting });
});
afterEach(async () => {
  await facilitator.close();
  await client.close();
  await chain.close();
});

describe("a repeated payment", () => {
  test("sent ten times at once is broadcast once, and succeeds for one caller", async () => {
    const { request } = await signPayment(chain);
    const answers = await Promise.all(Array.from({ length: 10 }, () => facilitator.settle(request)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(sent).toHaveLength(1);
  });

  test("pending at the chain is not sent again by a recovery round", async () => {
    const { request } = await signPayment(chain);
    let letGo = () => {};
    beforeBroadcast = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const settling = facilitator.settle(request);
    await expect.poll(() => sent.length).toBe(1);
    await facilitator.recover();
    letGo();
    expect(await settling).toMatchObject({ success: true });
    expect(sent).toHaveLength(1);
  });

  test("succeeds once for its holder after the first caller left, while other callers get settlement_pending", async () => {
    const { request } = await signPayment(chain);
    const heldBy = (holder: string): typeof request => {
      const { paymentPayload: sent } = request;
      const payload = { ...sent.payload, holder };
      return { ...request, paymentPayload: { ...sent, payload } };
    };
    const own = heldBy("h".repeat(22));
    expect(await facilitator.settle(own, { signal: AbortSignal.abort() })).toMatchObject({ success: false });
    const strangers = [
      facilitator.settle(request),
      facilitator.settle(heldBy("s".repeat(22))),
      facilitator.settle(request, { idempotencyKey: "stranger" }),
      facilitator.settle(own, { idempotencyKey: "stranger" }),
    ];
    for (const answer of await Promise.all(strangers))
      expect(answer).toMatchObject({ success: false, errorReason: "settlement_pending" });
    expect(await facilitator.settle(own)).toMatchObject({ success: true });
    expect(await facilitator.settle(own)).toMatchObject({ errorReason: "payment_replayed" });
  });

  test.each([
    ["without a key", {}],
    ["with a key", { idempotencyKey: "stranger" }],
  ])(
    "succeeds for the caller that waits first, not for strangers %s, at two facilitators on one store",
    async (_how, given) => {
      const other = await startFacilitator(chain, { client, store: facilitator.store });
      try {
        const { request, txId } = await signPayment(chain);
        await chain.holdTransactions(true);
        const settling = facilitator.settle(request);
        await expect
          .poll(() => chain.call("transaction_status_api.find_transaction", { transaction_id: txId }))
          .toEqual({ status: "within_mempool" });
        const strangers = [facilitator, other].map(({ settle }) => settle(request, given));
        for (const answer of await Promise.all(strangers))
          expect(answer).toMatchObject({ success: false, errorReason: "settlement_pending" });
        await chain.holdTransactions(false);
        expect(await settling).toMatchObject({ success: true });
      } finally {
        await other.close();
      }
    },
  );

  test("with a new key each time does not fill the store", async () => {
    const { request } = await signPayment(chain);
    expect(await facilitator.settle(request)).toMatchObject({ success: true });
    const entries = () => facilitator.store.list("x402:", 1000);
    const paid = (await entries()).filter(({ key }) => key.startsWith("x402:payment:"));
    for (let index = 0; index < 20; index++)
      expect(await facilitator.settle(request, { idempotencyKey: `guess-${index}` })).toMatchObject({
        errorReason: "payment_replayed",
      });
    expect(await entries()).toEqual(expect.arrayContaining(paid));
    expect((await entries()).length).toBeLessThan(10);
  });
});
