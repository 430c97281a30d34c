import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readChecked } from "../../harness/check-answer.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let gateway: Gateway;
beforeAll(async () => {
  chain = await startSandboxChain();
  gateway = await startGateway({
    settings: { HIVE_NODES: chain.url, HIVE_CHAIN_ID: chain.chainId, X402_NETWORK: "chain:sandbox" },
  });
});
afterAll(async () => {
  await gateway?.close();
  await chain?.close();
});

describe("GET /health and /supported", () => {
  test("/health returns network, head block, lag and store, and whether a single node decides", async () => {
    const response = await fetch(`${gateway.url}/api/x402/health`);
    expect(response.status).toBe(200);
    expect(await readChecked("GET", response)).toEqual({
      status: "ok",
      network: "chain:sandbox",
      headBlock: expect.any(Number),
      chainLagSeconds: expect.any(Number),
      store: "ok",
      warnings: [expect.stringMatching(/^One chain node is named: whoever runs it decides/)],
    });
  });

  test("/health returns 503 and names the failure when the chain is down", async () => {
    await chain.setFault({ kind: "cut" });
    try {
      const probe = async () => readChecked("GET", await fetch(`${gateway.url}/api/x402/health`));
      await expect.poll(probe).toMatchObject({ status: "degraded", failing: ["chain"] });
      expect((await fetch(`${gateway.url}/api/x402/health`)).status).toBe(503);
    } finally {
      await chain.clearFaults();
    }
  });

  test("/supported lists both versions for the sandbox's one network", async () => {
    const response = await fetch(`${gateway.url}/api/x402/supported`);
    expect(await readChecked("GET", response)).toEqual({
      kinds: [
        { x402Version: 1, scheme: "exact", network: "chain:sandbox" },
        {
          ...{ x402Version: 2, scheme: "exact", network: "chain:sandbox" },
          extra: { assetTransferMethods: ["memo"] },
        },
      ],
      extensions: ["bazaar"],
      signers: {},
    });
  });
});
