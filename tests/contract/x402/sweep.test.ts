import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createReturnBook } from "#lib/x402/return-book.ts";
import { memoOfTicket } from "#lib/x402/ticket-memo.ts";
import { sendTransfer } from "../../harness/send-transfer.ts";
import { startGateway } from "../../harness/start-gateway.ts";
import { startSandboxChain } from "../../harness/start-sandbox-chain.ts";

const TWO_DAYS_SECONDS = 50 * 3600;

test.each([
  ["off", 0],
  ["on", 1],
] as const)("a gateway with X402_SWEEP=%s owes %i unclaimed transfers back", async (sweep, owed) => {
  const chain = await startSandboxChain({ extraNodes: 1 });
  try {
    await chain.produceBlocks(5);
    const txId = await sendTransfer(chain, { memo: memoOfTicket(randomBytes(32).toString("base64url")) });
    await chain.produceBlocks();
    await chain.advanceTime(TWO_DAYS_SECONDS);
    await chain.produceBlocks(30);
    const gateway = await startGateway({
      settings: {
        ...{ HIVE_NODES: chain.urls.join(","), HIVE_CHAIN_ID: chain.chainId, X402_NETWORK: "chain:sandbox" },
        ...{ PAYWALL_ACCOUNT: "shop", X402_SWEEP: sweep },
      },
    });
    try {
      await gateway.services.facilitator().facilitator.recover();
      const book = createReturnBook(gateway.services.store, { network: "chain:sandbox", account: "shop" });
      expect((await book.list()).map((one) => one.txId)).toEqual(owed ? [txId] : []);
    } finally {
      await gateway.close();
    }
  } finally {
    await chain.close();
  }
});
