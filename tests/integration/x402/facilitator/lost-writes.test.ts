import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CodedError } from "#lib/errors.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let dataDir: string;
let store: Store;
/** The store performs the next write that contains this text, but loses its answer. */
let losesAnswerTo: string | undefined;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
beforeEach(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  dataDir = await mkdtemp(join(tmpdir(), "lost-writes-"));
  store = createSqliteStore({ dataDir });
  losesAnswerTo = undefined;
  const lossy: Store = {
    ...store,
    async commit(change) {
      const isDone = await store.commit(change);
      if (
        losesAnswerTo === undefined ||
        !JSON.stringify(change.set?.map(([, value]) => JSON.parse(value))).includes(losesAnswerTo)
      )
        return isDone;
      losesAnswerTo = undefined;
      throw new CodedError("degraded");
    },
  };
  facilitator = await startFacilitator(chain, { store: lossy });
});
afterEach(async () => {
  await facilitator.close();
  await store.close();
  await chain.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe("a success that its caller missed because the store's answer was lost", () => {
  test("goes only to the next caller when the failure came during the settlement", async () => {
    const { request, txId } = await signPayment(chain);
    losesAnswerTo = '"state":"settled"';
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending", txId });
    expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
    expect(await facilitator.settle(request)).toMatchObject({ success: true, txId });
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_replayed", txId });
  });

  test("goes only to the next caller when the failure came long after the settlement", async () => {
    const { request, txId } = await signPayment(chain);
    const gone = { signal: AbortSignal.abort() };
    await facilitator.settle(request, gone);
    losesAnswerTo = '"state":"settled"';
    await expect(facilitator.settle(request)).rejects.toMatchObject({ code: "degraded" });
    expect(await facilitator.settle(request)).toMatchObject({ success: true, txId });
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_replayed", txId });
  });

  test("goes only to a caller with the same key", async () => {
    const { request, txId } = await signPayment(chain);
    losesAnswerTo = '"state":"settled"';
    const mine = { idempotencyKey: "mine" };
    expect(await facilitator.settle(request, mine)).toMatchObject({ errorReason: "settlement_pending" });
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_replayed", txId });
    expect(await facilitator.settle(request, mine)).toMatchObject({ success: true, txId });
  });
});
