import { expect, test } from "vitest";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

const STATUS = "transaction_status_api.find_transaction";

test("a facilitator that closes while its nodes hang does not wait for its open payments", async () => {
  const chain = await startSandboxChain({ extraNodes: 1 });
  // The attempt lasts longer than any test, so waiting for it would not return.
  const facilitator = await startFacilitator(chain, { waitMs: 50, attemptMs: 600_000 });
  try {
    await facilitator.recover();
    await chain.holdTransactions(true);
    for (let count = 0; count < 3; count++) await facilitator.settle((await signPayment(chain)).request);
    for (const node of [0, 1]) await chain.setFault({ kind: "hang", method: STATUS }, node);
    const recovering = facilitator.recover().catch(() => undefined);
    await expect(facilitator.close()).resolves.toBeUndefined();
    await recovering;
  } finally {
    await chain.close();
  }
});
