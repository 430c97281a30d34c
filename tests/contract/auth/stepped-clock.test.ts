import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startAccountNode } from "../../harness/account-node.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { formAccessToken } from "../../harness/form-access-token.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

const realNow = Date.now;
const realUptime = process.hrtime.bigint;

describe("a login challenge", () => {
  let node: Awaited<ReturnType<typeof startAccountNode>>;
  let gateway: Gateway;

  beforeEach(async () => {
    node = await startAccountNode(["alice"]);
    gateway = await startGateway({ settings: { HIVE_NODES: node.url } });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await gateway.close();
    await node.close();
  });

  const { challenge, answer } = createAuthClient(() => gateway.url);

  /** Sets how far both clocks have advanced since the test began. */
  const showClocks = (uptimeSeconds: number, wallSeconds: number) => {
    const passed = BigInt(uptimeSeconds) * 10n ** 9n;
    vi.spyOn(process.hrtime, "bigint").mockImplementation(() => realUptime() + passed);
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + wallSeconds * 1000);
  };

  it.each([
    ["seven minutes", 420],
    ["a week", 7 * 86_400],
  ])(
    "stays used if, %s later, the wall clock is stepped back to a time when it was open",
    async (_, seconds) => {
      const message = await challenge();
      expect((await answer(message)).status).toBe(200);
      showClocks(seconds, seconds);
      expect((await answer(message)).status).toBe(401);
      showClocks(seconds, 120);
      expect(await answer(message)).toMatchObject({ status: 401, body: { code: "unauthorized" } });
      expect((await answer(await challenge())).status).toBe(200);
    },
  );

  it("is refused as expired when answered after five minutes", async () => {
    const message = await challenge();
    showClocks(301, 301);
    expect(await answer(message)).toMatchObject({ status: 401, body: { code: "challenge_expired" } });
  });
});

describe("an access token that an account formed itself", () => {
  const DAY = 86_400;
  let chain: SandboxChain;
  let gateway: Gateway;

  beforeEach(async () => {
    chain = await startSandboxChain({ blockIntervalMs: 100, extraNodes: 1, now: realNow });
    gateway = await startGateway({
      settings: { HIVE_NODES: chain.urls.join(","), HIVE_CHAIN_ID: chain.chainId },
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await gateway.close();
    await chain.close();
  });

  /**
   * Returns whether the gateway accepts the age of a token. If it does, the request fails only at the closed
   * Mattermost.
   */
  async function isTaken(ageSeconds: number): Promise<boolean> {
    const timestamp = Math.floor(realNow() / 1000) - ageSeconds;
    const response = await fetch(`${gateway.url}/api/chat/bootstrap`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "alice", accessToken: formAccessToken("alice", { timestamp }) }),
    });
    expect([401, 502]).toContain(response.status);
    return response.status === 502;
  }

  it.each([
    ["back by three days", -3 * DAY],
    ["forward by three days", 3 * DAY],
  ])("is dated by the chain's clock after the wall clock is stepped %s", async (_, seconds) => {
    const health = async () => (await fetch(`${gateway.url}/api/x402/health`)).json();
    expect(await health()).toMatchObject({ status: "ok" });
    expect([await isTaken(0), await isTaken(6 * DAY), await isTaken(8 * DAY)]).toEqual([true, true, false]);
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + seconds * 1000);
    await expect.poll(health).toMatchObject({ failing: ["clock"] });
    expect([await isTaken(0), await isTaken(6 * DAY), await isTaken(8 * DAY)]).toEqual([true, true, false]);
  });
});
